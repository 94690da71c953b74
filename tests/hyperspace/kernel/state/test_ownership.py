"""Whose a run is: this user's where it was begun, and nobody's anywhere else."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.config import read_record, write_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.ownership import enter, is_own, sign, state_folder
from tests.support.runs.begun import begun


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "hyperspace"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return begun(tmp_path / "run")


def test_a_run_that_was_begun_here_is_ours_and_stays_so_when_it_is_moved(run: Path) -> None:
    assert is_own(run)
    assert is_own(run.rename(run.with_name("moved")))


def test_a_folder_may_be_called_by_any_bytes(run: Path) -> None:
    named = run.rename(os.fsdecode(bytes(run.parent) + b"/a\n\xff"))
    assert is_own(named)
    assert not is_own(Path(shutil.copytree(named, run.with_name("copy"))))


def test_a_copy_is_not_ours_but_one_in_the_old_place_is(run: Path) -> None:
    copy = Path(shutil.copytree(run, run.with_name("copy")))
    assert not is_own(copy)
    shutil.rmtree(run)
    shutil.copytree(copy, run)  # a backup, put back
    assert is_own(run)


@pytest.mark.parametrize("field", ["sandbox", "seed", "domain"])
def test_a_record_that_somebody_changed_is_not_ours(run: Path, field: str) -> None:
    record = run / "run_config.json"
    record.write_text(record.read_text().replace(f'"{field}"', f'"{field}x"', 1))
    assert not is_own(run)


def test_what_we_write_ourselves_is_signed_and_what_is_not_ours_stays_so(run: Path) -> None:
    path = RunFolder(run).record
    write_record(path, read_record(path))
    assert is_own(run)
    path.write_text(path.read_text().replace('"process"', '"docker"'))
    write_record(path, read_record(path))
    assert not is_own(run)


def test_a_crash_between_signature_and_record_leaves_the_run_ours(run: Path) -> None:
    sign(run, b"the record that was about to be written")
    assert is_own(run)


def test_another_secret_knows_none_of_our_runs(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert not is_own(run)
    begun(tmp_path / "another")
    assert not is_own(run)


def test_the_secret_is_the_users_alone_and_made_once(run: Path, state: Path) -> None:
    (secret,) = state.iterdir()
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    before = secret.read_bytes()
    begun(run.with_name("second"))
    assert secret.read_bytes() == before
    assert [path for path in run.rglob("*") if path.is_file() and before in path.read_bytes()] == []


def test_a_secret_that_others_may_read_signs_nothing(run: Path, state: Path) -> None:
    (secret,) = state.iterdir()
    secret.chmod(0o644)
    assert not is_own(run)
    with pytest.raises(RunUsageError, match="others may read it"):
        begun(run.with_name("second"))


def test_a_link_is_no_secret(run: Path, state: Path) -> None:
    (secret,) = state.iterdir()
    secret.symlink_to(secret.rename(state / "elsewhere"))
    assert not is_own(run)


@pytest.mark.parametrize("home", ["", "here"])
def test_without_a_home_it_is_said_what_to_set(
    home: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("XDG_STATE_HOME", "no/absolute/path")
    with pytest.raises(RunUsageError, match="set HOME, or XDG_STATE_HOME"):
        begun(tmp_path / "run")
    assert not (tmp_path / "run" / "run_config.json").exists()


def test_a_place_that_cannot_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    with pytest.raises(RunUsageError, match=r"/dev/null/hyperspace.* cannot be made"):
        begun(tmp_path / "run")


def test_the_home_holds_it_where_nothing_else_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_folder() == tmp_path / ".local" / "state" / "hyperspace"


def test_only_what_is_not_ours_is_looked_through(run: Path) -> None:
    os.mkfifo(run / "pipe")
    enter(run)
    copy = run.with_name("copy")
    copy.mkdir()
    os.mkfifo(copy / "pipe")
    with pytest.raises(RunUsageError, match="neither a file nor a folder"):
        enter(copy)
