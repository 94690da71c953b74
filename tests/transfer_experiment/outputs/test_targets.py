"""Targets that cannot be written are refused before the work, in one sentence."""

from pathlib import Path

import pytest

from evolution.errors import RunUsageError
from transfer_experiment.outputs.targets import check_targets


@pytest.fixture
def place(tmp_path: Path) -> Path:
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
    place: Path, page: str | None, tables: str | None, why: str
) -> None:
    with pytest.raises(RunUsageError, match=why):
        check_targets(place / page if page else None, place / tables if tables else None)


def test_folders_that_are_missing_are_no_obstacle_and_are_not_made(place: Path) -> None:
    check_targets(place / "a" / "page.html", place / "b" / "tables")
    check_targets(place / "file", place)
    check_targets(None, None)
    assert [path.name for path in place.iterdir()] == ["file"]
