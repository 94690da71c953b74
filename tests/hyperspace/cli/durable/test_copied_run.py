"""A copy of one's own run goes on, also where files of it are lost; a changed one is refused."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.command import PAIR, failed, hyperspace, kill_at, pair

pytestmark = pytest.mark.long

RUN = ("repo_quality", "tinker_vs_magpie", "seed3")
LONG = ("pair", *PAIR, "--generations", "2", "--seed", "3", "--sandbox", "process")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    played = pair(tmp_path_factory.mktemp("whole"), "--sandbox", "process")
    return str(played["digest"])


@pytest.fixture
def paused(tmp_path: Path) -> Path:
    """A run that its limit has stopped in a generation, whose calls are served again."""
    said = failed(hyperspace(*LONG, "--max-calls", "9", "--results", tmp_path / "r"), 1)
    assert "--max-calls" in said
    return tmp_path.joinpath("r", *RUN)


def went_on(run: Path) -> str:
    done = hyperspace("resume", run, "--max-calls", "none", "--json")
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["digest"])


def test_a_copy_of_a_paused_run_goes_on_and_ends_as_the_run_would_have(
    paused: Path, tmp_path: Path, whole: str
) -> None:
    copy = Path(shutil.copytree(paused, tmp_path / "elsewhere" / "copy"))
    shutil.rmtree(paused)
    assert went_on(copy) == whole
    again = Path(shutil.copytree(copy, tmp_path / "again"))
    replayed = hyperspace("replay", again, "--sandbox", "process", "--json")
    assert json.loads(replayed.stdout)["same"], replayed.stderr


def test_a_damaged_copy_is_mended_from_its_space(paused: Path, tmp_path: Path, whole: str) -> None:
    copy = Path(shutil.copytree(paused, tmp_path / "copy"))
    (copy / "tinker" / "gen_0" / "metadata.json").unlink()
    (copy / "tinker" / "archive.jsonl").write_text("")
    shutil.rmtree(copy / "tinker" / "gen_0" / "repo")
    assert went_on(copy) == whole
    audit = hyperspace("audit", copy)
    assert audit.returncode == 0, audit.stderr
    assert "repaired" in (copy / "audit.jsonl").read_text()


def test_a_trace_that_cannot_be_made_again_is_named(paused: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(paused, tmp_path / "copy"))
    (copy / "tinker" / "gen_1" / "llm_calls.jsonl").write_text("forged\n")
    said = failed(hyperspace("resume", copy, "--max-calls", "none"), 1)
    assert "llm_calls.jsonl was changed since its generation was closed" in said


def test_a_changed_copy_and_one_of_what_a_kill_left_are_refused_with_what_to_do(
    paused: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(paused, tmp_path / "copy"))
    with (copy / "ledger.jsonl").open("ab") as ledger:
        ledger.truncate(10)
    said = failed(hyperspace("resume", copy, "--max-calls", "none"), 2)
    assert "ledger.jsonl is not what it was when that last ended" in said
    kill_at(tmp_path / "log", "magpie:1:gate", *LONG, "--results", tmp_path / "k")
    killed = tmp_path.joinpath("k", *RUN)
    copy = Path(shutil.copytree(killed, tmp_path / "of_killed"))
    said = failed(hyperspace("resume", copy), 2)
    assert "go on with it once where it lay, and copy it then" in said
    assert hyperspace("resume", killed).returncode == 0
    assert hyperspace("resume", shutil.copytree(killed, tmp_path / "later")).returncode == 0
