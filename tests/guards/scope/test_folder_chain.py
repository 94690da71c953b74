"""Folders that are opened one after another share what they have in common."""

import os
from pathlib import Path

import pytest

from guards.scope.walk import FolderChain


def test_each_folder_is_opened_and_nothing_stays_open(tmp_path: Path) -> None:
    for path in ("a/b/c", "a/d", "e"):
        (tmp_path / path).mkdir(parents=True)
    root = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    before = sorted(Path("/proc/self/fd").iterdir())
    with FolderChain(root) as chain:
        for path in ("", "a", "a/b", "a/b/c", "a/d", "e", "a/b/c", ""):
            assert os.path.samestat(os.fstat(chain.open(path)), (tmp_path / path).stat())
        with pytest.raises(FileNotFoundError):
            chain.open("a/b/none")
        assert os.path.samestat(os.fstat(chain.open("a/b")), (tmp_path / "a/b").stat())
    assert sorted(Path("/proc/self/fd").iterdir()) == before
    os.close(root)


def test_a_link_on_the_way_is_refused_also_after_what_is_open(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "out").symlink_to(tmp_path)
    root = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    with FolderChain(root) as chain:
        chain.open("a/b")
        with pytest.raises(OSError, match="out"):
            chain.open("a/out/a")
    os.close(root)
