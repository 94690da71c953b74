"""What is lost or changed in a run's folder is found when the run is taken up, and named.

What the space holds is made again, byte for byte, and that is on record; the rest is refused.
"""

import json
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.files import tree_hashes
from hyperspace.kernel.state.digest import digest
from hyperspace.kernel.views.stamps import StampLine, stamp_of
from tests.support.command import failed, hyperspace, kill_at
from tests.support.runs.copied import copied
from tests.support.runs.taken_up import take_up

pytestmark = pytest.mark.long

NUMBERS = ("--generations", "3", "--seed", "5")
COMMAND = ("pair", "--models", "offline/tinker", "offline/complacent?after=0", *NUMBERS)
PLACE = Path("repo_quality", "tinker_vs_complacent", "seed5")
VIEWS = ("tinker/archive.jsonl", "complacent/archive.jsonl", "audit.jsonl")
REMADE = (
    "metadata.json",
    "repo/task_agent.py",
    "repo/agent/llm_client.py",
    "eval_train/predictions.csv",
    "eval_train/staged/report.json",
    "eval_val/report.json",
)
LOST = ("llm_calls.jsonl", "edits.jsonl", "accesses.jsonl")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was killed in tinker's generation 3."""
    results = tmp_path_factory.mktemp("killed")
    arguments = (*COMMAND, "--domain", "repo_quality", "--results", results)
    done = kill_at(results / "log", "tinker:3:gate", *arguments)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return results / PLACE


@pytest.fixture
def run(killed: Path, tmp_path: Path) -> Path:
    """A copy of its folder."""
    return copied(killed, tmp_path / PLACE)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:10])


def change(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def lose(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


DAMAGES: tuple[Callable[[Path], None], ...] = (cut, change, lose)


def repairs(run: Path) -> list[str]:
    """What audit.jsonl says was repaired."""
    lines = map(json.loads, (run / "audit.jsonl").read_text().splitlines())
    problems_told = [
        line["evidence"]["problems"] for line in lines if line["verdict"] == "repaired"
    ]
    return [f"{run}/{problem}" for problems in problems_told for problem in problems]


def test_an_undamaged_run_is_taken_up_in_silence(run: Path) -> None:
    before = {path: (run / path).read_bytes() for path in VIEWS}
    resumed = take_up(run)
    assert resumed.notices == []
    assert resumed.newest == {"tinker": 2, "complacent": 2}
    assert all(before.values())
    assert {path: (run / path).read_bytes() for path in VIEWS} == before


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_damaged_view_is_named_and_made_again(
    run: Path, view: str, damage: Callable[[Path], None]
) -> None:
    before = (run / view).read_bytes()
    damage(run / view)
    (notice,) = take_up(run).notices
    assert str(run / view) in notice
    assert [problem in notice for problem in repairs(run)] == [True]
    assert (run / view).read_bytes().startswith(before)


def test_a_last_line_that_a_kill_has_torn_is_no_damage(run: Path) -> None:
    view = run / "tinker" / "archive.jsonl"
    before = view.read_bytes()
    view.write_bytes(before[:-7])
    assert take_up(run).notices == []
    assert view.read_bytes() == before


@pytest.mark.parametrize("damage", [change, lose])
@pytest.mark.parametrize("path", REMADE)
def test_a_file_that_the_space_holds_is_made_again_byte_for_byte(
    run: Path, path: str, damage: Callable[[Path], None]
) -> None:
    before = tree_hashes(run / "tinker")
    file = run / "tinker" / "gen_1" / path
    damage(file)
    (notice,) = take_up(run).notices
    assert notice.startswith(f"repaired from the space: {file} ")
    assert repairs(run) == [notice.removeprefix("repaired from the space: ")]
    after = tree_hashes(run / "tinker")
    assert {path: after[path] for path in before if path.startswith("gen_")} == {
        path: digest for path, digest in before.items() if path.startswith("gen_")
    }
    assert take_up(run).notices == []


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("path", LOST)
def test_a_file_that_the_space_does_not_hold_is_refused_by_name(
    run: Path, path: str, damage: Callable[[Path], None]
) -> None:
    file, other = (run / "complacent" / "gen_1" / name for name in (path, "metadata.json"))
    damage(file)
    other.unlink()
    with pytest.raises(RunDamaged, match="cannot be made again from the space") as refused:
        take_up(run)
    assert str(file) in str(refused.value)
    assert not other.exists(), "a run that is refused is left as it is"


def test_a_forged_stamp_vouches_for_nothing(run: Path) -> None:
    folder = run / "tinker" / "gen_0"
    (folder / "repo" / "task_agent.py").write_text("raise SystemExit\n")
    stamps = run / "tinker" / "stamps.jsonl"
    first, *others = stamps.read_bytes().splitlines(keepends=True)
    line = msgspec.json.decode(first, type=StampLine)
    forged = msgspec.structs.replace(line, stamp=stamp_of(folder, line.paths or ()))
    stamps.write_bytes(b"".join([msgspec.json.encode(forged) + b"\n", *others]))
    (notice,) = take_up(run).notices
    assert "repo/task_agent.py was changed" in notice


def test_lost_stamps_are_made_again_and_nobody_need_be_told(run: Path) -> None:
    (run / "tinker" / "stamps.jsonl").unlink()
    assert take_up(run).notices == []
    assert len((run / "tinker" / "stamps.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize("damage", [lose, empty])
def test_a_run_whose_space_is_lost_is_not_played_over(
    run: Path, damage: Callable[[Path], None]
) -> None:
    for name in ("space.db-wal", "space.db-shm"):
        (run / name).unlink(missing_ok=True)
    damage(run / "space.db")
    before = tree_hashes(run)
    commands = (("resume",), ("digest",), ("audit",), ("export",), ("analyze",), ("space", "marks"))
    said = {failed(hyperspace(*command, run), 1) for command in commands}
    said.add(failed(hyperspace("replay", run), 1))
    (sentence,) = said
    assert f"{run / 'space.db'} is lost, and with it the state of the run" in sentence
    assert tree_hashes(run) == before


def test_a_space_that_is_older_than_its_files_is_refused(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run / "tinker" / "gen_2", run / "tinker" / "gen_7")
    before = tree_hashes(run / "tinker")
    with pytest.raises(RunDamaged, match=r"gen_7 is there, and the run's space knows only 3"):
        take_up(run)
    assert tree_hashes(run / "tinker") == before


@pytest.mark.parametrize("damage", [lose, cut])
def test_a_ledger_that_lacks_lines_is_refused_as_spending_would_be_forgotten(
    run: Path, damage: Callable[[Path], None]
) -> None:
    damage(run / "ledger.jsonl")
    done = hyperspace("resume", run)
    assert done.returncode == 1
    assert "without it nobody knows what the run has spent" in done.stderr


def test_code_that_rotted_in_the_space_is_never_run(run: Path) -> None:
    with closing(sqlite3.connect(run / "space.db")) as space, space:
        marks = space.execute("SELECT sequence, body FROM marks").fetchall()
        rotten = [(body.replace(b"def ", b"deg "), sequence) for sequence, body in marks]
        assert [body for body, _ in rotten] != [body for _, body in marks]
        space.executemany("UPDATE marks SET body = ? WHERE sequence = ?", rotten)
    done = hyperspace("resume", run)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "its content hash differs" in done.stderr


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was played to its end."""
    results = tmp_path_factory.mktemp("finished")
    done = hyperspace(*COMMAND, "--domain", "repo_quality", "--results", results)
    assert done.returncode == 0, done.stderr
    return results / PLACE


@pytest.mark.parametrize(
    "path", ["tinker/archive.jsonl", "tinker/gen_1/metadata.json", "test_eval/tinker/metadata.json"]
)
def test_damage_in_a_finished_run_is_found_and_mended(
    finished: Path, tmp_path: Path, path: str
) -> None:
    run = copied(finished, tmp_path / PLACE)
    before = tree_hashes(run)
    cut(run / path)
    assert hyperspace("audit", run).returncode == 1
    done = hyperspace("resume", run)
    assert done.returncode == 0, done.stderr
    assert f"repaired from the space: {run / path}" in done.stderr
    assert tree_hashes(run)[path] == before[path]
    assert "no work was done" in hyperspace("resume", run).stdout


def test_a_summary_that_says_another_score_is_made_again(finished: Path, tmp_path: Path) -> None:
    run = copied(finished, tmp_path / PLACE)
    summary = json.loads((run / "summary.json").read_text())
    said = json.loads(json.dumps(summary))
    said["agents"][0]["test"] = 0.123
    (run / "summary.json").write_text(json.dumps(said))
    done = hyperspace("resume", run)
    assert "is not what the run came to; it is made again" in done.stderr
    again = json.loads((run / "summary.json").read_text())
    assert again["agents"] == summary["agents"]


def test_a_repaired_run_ends_as_if_undisturbed(run: Path, tmp_path: Path) -> None:
    shutil.rmtree(run / "tinker" / "gen_2" / "repo")
    cut(run / "complacent" / "archive.jsonl")
    done = hyperspace("resume", run)
    assert done.returncode == 0, done.stderr
    assert "repaired from the space" in done.stderr
    assert hyperspace("audit", run).returncode == 0
    undisturbed = hyperspace(*COMMAND, "--domain", "repo_quality", "--results", tmp_path / "other")
    assert undisturbed.returncode == 0, undisturbed.stderr
    assert digest(run) == digest(tmp_path / "other" / PLACE)
