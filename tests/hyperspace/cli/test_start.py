"""What a run starts from: patches, another run's code, parts put back to the seed."""

import json
import shutil
from pathlib import Path

import pytest

from hyperspace.kernel.state.digest import digest
from hyperspace.tasks.registry import load
from hyperspace.workspace.seed_code import seed_files
from tests.support.command import PAIR, failed, hyperspace, pair
from tests.support.runs.copied import copied
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [
    pytest.mark.long,
    needs_bubblewrap,  # code that is not ours is never run without a boundary
]
SEED = load("repo_quality").seed_files()["task_agent.py"].decode()
META = seed_files()["meta_agent.py"].decode()
PUBLISHED = ("--seed-agent", "published")
PATCH = """--- a/task_agent.py
+++ b/task_agent.py
@@ -10 +10 @@
-THRESHOLD = 3.05
+THRESHOLD = 2.95
"""
META_PATCH = """--- a/meta_agent.py
+++ b/meta_agent.py
@@ -1 +1,2 @@
 \"\"\"The meta agent: improves the code of this agent, itself included.\"\"\"
+# patched
"""


@pytest.fixture
def patches(tmp_path: Path) -> Path:
    folder = tmp_path / "patches"
    folder.mkdir()
    (folder / "1.diff").write_text(PATCH)
    (folder / "2.patch").write_text(META_PATCH)
    (folder / "notes.txt").write_text("no patch")
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(pair(tmp_path_factory.mktemp("other"), *PUBLISHED)["run"])


def code(run: Path, agent: str, generation: int, name: str) -> str:
    return (run / agent / f"gen_{generation}" / "repo" / name).read_text("utf-8")


def test_patches_are_applied_in_order_and_a_part_put_back(patches: Path, tmp_path: Path) -> None:
    options = ("--start-from", str(patches), "--reset", "meta", *PUBLISHED)
    run = Path(pair(tmp_path / "r", *options, generations=1)["run"])
    for agent in ("tinker", "magpie"):
        assert code(run, agent, 0, "task_agent.py") == SEED.replace("= 3.05", "= 2.95")
        assert code(run, agent, 0, "meta_agent.py") == META
    shutil.rmtree(patches)
    done = hyperspace("resume", run, "--json")
    assert json.loads(done.stdout)["digest"] == digest(run)


def test_marks_of_byte_order_and_line_ends_of_other_systems_are_read_as_python_reads_them(
    tmp_path: Path,
) -> None:
    initial, patch = tmp_path / "initial", tmp_path / "p.diff"
    initial.mkdir()
    (initial / "task_agent.py").write_bytes(b"\xef\xbb\xbf" + SEED.replace("\n", "\r\n").encode())
    patch.write_bytes(
        b"\xef\xbb\xbf" + PATCH.replace("3.05\n", "3.05\r\n").replace("2.95\n", "2.95\r\n").encode()
    )
    options = ("--initial", str(initial), "--start-from", str(patch))
    run = Path(pair(tmp_path / "r", *options, generations=1)["run"])
    code = (run / "tinker" / "gen_0" / "repo" / "task_agent.py").read_bytes()
    assert code == SEED.replace("= 3.05", "= 2.95").replace("\n", "\r\n").encode()


def test_a_patch_that_does_not_fit_names_its_hunk(patches: Path, tmp_path: Path) -> None:
    (patches / "3.diff").write_text(PATCH)
    command = ("pair", *PAIR, *PUBLISHED, "--start-from", patches, "--results", tmp_path / "r")
    message = failed(hyperspace(*command), 2)
    assert "3.diff" in message
    assert "@@ -10 +10 @@" in message
    assert not (tmp_path / "r").exists()


def test_a_patch_outside_of_the_edit_scope_is_refused(tmp_path: Path) -> None:
    patch = tmp_path / "p.diff"
    patch.write_text(PATCH.replace("task_agent.py", "agent/llm_client.py"))
    command = ("pair", *PAIR, "--start-from", patch, "--results", tmp_path / "r")
    assert "agent/llm_client.py: outside the edit scope" in failed(hyperspace(*command), 2)


def test_a_run_starts_from_another_ones_best_and_goes_on_without_it(
    other: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    copied(other, source)
    best = json.loads((source / "magpie" / "summary.json").read_text())["best_generation"]
    start = ("--from-run", f"{source}#magpie")
    run = Path(pair(tmp_path / "r", *start, generations=1)["run"])
    wanted = code(source, "magpie", best, "task_agent.py")
    assert wanted != SEED
    assert code(run, "tinker", 0, "task_agent.py") == wanted
    shutil.rmtree(source)
    (run / "summary.json").unlink()  # so that there is something left to do
    done = hyperspace("resume", run, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"] == digest(run)


def test_a_solo_run_starts_from_another_run_then_patches_then_a_reset(
    other: Path, patches: Path, tmp_path: Path
) -> None:
    (patches / "1.diff").unlink()
    start = ("--from-run", f"{other}#magpie", "--start-from", patches, "--reset", "task")
    place = ("--model", "offline/tinker", "--results", tmp_path / "r", "--no-controls", "--json")
    done = hyperspace("solo", "--domain", "repo_quality", "--iterations", "1", *start, *place)
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    best = json.loads((other / "magpie" / "summary.json").read_text())["best_generation"]
    assert code(other, "magpie", best, "task_agent.py") != SEED
    assert code(run, "tinker", 0, "task_agent.py") == SEED
    meta = code(other, "magpie", best, "meta_agent.py")
    first, rest = meta.split("\n", 1)
    assert code(run, "tinker", 0, "meta_agent.py") == f"{first}\n# patched\n{rest}"


def test_a_generation_of_another_run_is_found_by_its_folder(other: Path, tmp_path: Path) -> None:
    start = ("--from-run", f"{other}#tinker/gen_0")
    run = Path(pair(tmp_path / "r", *start, generations=1)["run"])
    assert code(run, "magpie", 0, "task_agent.py") == SEED


@pytest.mark.parametrize(
    ("spec", "why"),
    [("", "#tinker or #magpie"), ("#nobody", "#tinker or #magpie"), ("#tinker/gen_9", "no gener")],
)
def test_what_another_run_does_not_hold_is_named(
    other: Path, tmp_path: Path, spec: str, why: str
) -> None:
    command = ("pair", *PAIR, "--from-run", f"{other}{spec}", "--results", tmp_path)
    assert why in failed(hyperspace(*command), 2)
