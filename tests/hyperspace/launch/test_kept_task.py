"""The files of a task of one's own are kept in the run, bounded, for this user alone."""

import stat
from pathlib import Path

import msgspec
import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.config import read_record, write_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import new_record, working
from hyperspace.launch.kept_task import MOST_BYTES, NamedTask, keep_task, kept_spec, task_of
from hyperspace.tasks.registry import files_sha256
from tests.support.runs.begun import CONFIG
from tests.support.runs.copied import strangers

CODE = 'from pathlib import Path\nROWS = Path(__file__).with_name("rows.csv").read_text()\n'


@pytest.fixture
def task(tmp_path: Path) -> NamedTask:
    folder = tmp_path / "mine"
    (folder / "data" / "deep").mkdir(parents=True)
    for name, text in (
        ("own.py", CODE),
        ("rows.csv", "a,b\n"),
        ("rows.csv.key", "a secret that the code does not name"),
        ("data/deep/labels.csv", "yes\n"),
    ):
        (folder / name).write_text(text)
    return NamedTask(f"{folder}/own.py:mine?rows=3", folder / "data")


@pytest.fixture
def run(tmp_path: Path, task: NamedTask) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    record = new_record(msgspec.structs.replace(CONFIG, domain=task.spec), "process", ())
    record = msgspec.structs.replace(record, domain_sha256=files_sha256(task.spec))
    with working(folder, record):
        pass
    return folder


def gone(task: NamedTask) -> None:
    folder = Path(task.spec).parent
    folder.rename(folder.with_name("elsewhere"))


def test_code_what_it_names_and_data_are_kept_for_this_user_alone(
    run: RunFolder, task: NamedTask
) -> None:
    assert keep_task(run, task) == ""
    kept = {path for path in run.kept_task.rglob("*") if path.is_file()}
    names = {"code/own.py", "code/rows.csv", "data/deep/labels.csv"}
    assert {str(path.relative_to(run.kept_task)) for path in kept} == names
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE(run.kept_task.stat().st_mode) == 0o700


def test_what_was_kept_is_taken_where_the_original_is_gone_and_only_there(
    run: RunFolder, task: NamedTask
) -> None:
    keep_task(run, task)
    assert task_of(run.root, task) == task
    assert kept_spec(run.root, task.spec) == task.spec
    gone(task)
    spec = f"{run.kept_task}/code/own.py:mine?rows=3"
    assert task_of(run.root, task) == NamedTask(spec, run.kept_task / "data")
    assert kept_spec(run.root, task.spec) == spec


def test_the_task_of_somebody_elses_run_is_never_taken(
    run: RunFolder, task: NamedTask, tmp_path: Path
) -> None:
    keep_task(run, task)
    gone(task)
    assert task_of(strangers(run.root, tmp_path / "theirs"), task) == task


def test_code_that_was_changed_in_the_run_is_refused(run: RunFolder, task: NamedTask) -> None:
    keep_task(run, task)
    gone(task)
    (run.kept_task / "code" / "own.py").write_text("import evil")
    with pytest.raises(RunUsageError, match="is not what the run was begun with"):
        task_of(run.root, task)


def test_a_file_that_was_edited_since_is_not_kept_as_what_the_run_began_with(
    run: RunFolder, task: NamedTask
) -> None:
    Path(task.spec.partition(":")[0]).write_text("edited = True")
    assert keep_task(run, task) == ""
    assert not run.kept_task.exists()


def test_data_that_are_too_large_are_not_kept_and_that_is_said(
    run: RunFolder, task: NamedTask
) -> None:
    assert task.data is not None
    (task.data / "large.bin").write_bytes(bytes(MOST_BYTES))
    told = keep_task(run, task)
    assert "large.bin" in told and "to go on it needs them where they lie" in told
    assert (run.kept_task / "code" / "own.py").is_file()
    assert not (run.kept_task / "data").exists()


def test_a_folder_of_three_files_is_kept_and_a_task_that_comes_along_is_not(
    run: RunFolder, tmp_path: Path
) -> None:
    assert keep_task(run, NamedTask("repo_quality?rows_seed=7", None)) == ""
    assert not run.kept_task.exists()
    folder = tmp_path / "three"
    folder.mkdir()
    (folder / "config.toml").write_text("x = 1\n")
    record = read_record(run.record)
    write_record(run.record, msgspec.structs.replace(record, domain_sha256=None))
    assert keep_task(run, NamedTask(str(folder), None)) == ""
    folder.rename(tmp_path / "away")
    taken = task_of(run.root, NamedTask(str(folder), None))
    assert taken.spec == f"{run.kept_task}/code/three"
    assert (Path(taken.spec) / "config.toml").read_text() == "x = 1\n"
