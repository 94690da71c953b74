"""Temporary things lie where nobody else can put anything, and sweeps look nowhere else."""

import os
import tempfile
from pathlib import Path

import pytest

from guards.sandboxes.own_folder import own_folder
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import SandboxUnavailable
from guards.sandboxes.sweep import marker, remove_folder


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that everybody may write to, as /tmp is."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tmp_path.chmod(0o1777)
    return tmp_path


def test_only_this_user_may_write_to_it_whatever_the_umask(shared: Path) -> None:
    before = os.umask(0)
    try:
        folder = own_folder()
    finally:
        os.umask(before)
    assert folder.parent == shared
    assert folder.stat().st_mode & 0o777 == 0o711
    assert own_folder() == folder


def test_a_link_in_its_place_is_refused_with_what_to_do(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (shared / f"hyperspace-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SandboxUnavailable, match="not this user's alone; set TMPDIR"):
        own_folder()


def test_a_folder_that_others_may_write_to_is_refused(shared: Path) -> None:
    own_folder().chmod(0o777)
    with pytest.raises(SandboxUnavailable, match="set TMPDIR"):
        own_folder()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_somebody_elses_folder_is_refused(shared: Path) -> None:
    os.chown(own_folder(), 60_734, -1)
    with pytest.raises(SandboxUnavailable, match="set TMPDIR"):
        own_folder()


def test_a_shared_folder_in_which_others_may_rename_is_refused(shared: Path) -> None:
    shared.chmod(0o777)
    with pytest.raises(SandboxUnavailable, match="others may rename"):
        own_folder()


def test_a_sweep_leaves_folders_alone_that_somebody_else_may_have_made(shared: Path) -> None:
    ours, planted = (base / f"{marker('run')}-x" for base in (own_folder(), shared))
    for folder in (ours, planted):
        (folder / "below").mkdir(parents=True, mode=0o500)
    ProcessSandbox().sweep("run")
    assert not ours.exists()
    assert (planted / "below").stat().st_mode & 0o777 == 0o500


def test_removing_a_folder_follows_no_link_and_needs_no_right(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    folder = tmp_path / "folder"
    (folder / "closed" / "below").mkdir(parents=True)
    (folder / "closed" / "link").symlink_to(outside)
    (folder / "closed" / "below").chmod(0)
    (folder / "closed").chmod(0)
    folder.chmod(0)
    remove_folder(folder)
    assert not folder.exists()
    assert outside.stat().st_mode & 0o777 == 0o500
