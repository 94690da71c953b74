"""Targets that cannot be written are refused before the work, in one sentence."""

from pathlib import Path

import pytest

from hyperspace.kernel.errors import RunUsageError
from transfer_experiment.outputs.targets import check_targets


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file in it."""
    (tmp_path / "file").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("page", "tables", "why"),
    [
        (".", None, "is a folder; name a file for the page"),
        ("file/x.html", None, "file is no folder"),
        ("file/x/y.html", None, "file is no folder"),
        ("x" * 300, None, "cannot be written: File name too long"),
        (None, "file", "tables go into a folder"),
        (None, "file/x", "file is no folder"),
        ("page.html", "x" * 300, "cannot be written: File name too long"),
    ],
)
def test_what_cannot_be_written_is_refused(
    folder: Path, page: str | None, tables: str | None, why: str
) -> None:
    with pytest.raises(RunUsageError, match=why):
        check_targets(folder / page if page else None, folder / tables if tables else None)


def test_folders_that_are_missing_are_no_obstacle_and_are_not_made(folder: Path) -> None:
    check_targets(folder / "a" / "page.html", folder / "b" / "tables")
    check_targets(folder / "file", folder)
    check_targets(None, None)
    assert [path.name for path in folder.iterdir()] == ["file"]
