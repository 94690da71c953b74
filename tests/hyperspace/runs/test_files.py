"""Files that somebody else wrote are read whole or not at all, and what is wrong is named."""

import os
from pathlib import Path

import pytest

from guards.scope.regular_files import MOST_BYTES, Unreadable, read_whole
from hyperspace.runs.files import ReadingNotes, TextFile, read_json

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"


def test_a_regular_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n\xff")
    assert read_whole(path) == b"x = 1\n\xff"
    assert (TextFile(path).read(), TextFile(path).size_bytes()) == ("x = 1\n\ufffd", 7)


@pytest.mark.parametrize("kind", ["link", "directory", "pipe", "huge"])
def test_what_is_no_plain_file_of_a_bounded_size_is_refused_at_once(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "a.py"
    match kind:
        case "link":
            (tmp_path / "secret").write_text("KEY")
            path.symlink_to(tmp_path / "secret")
        case "directory":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case _:
            path.touch()
            os.truncate(path, MOST_BYTES + 1)
    notes = ReadingNotes(tmp_path)
    assert notes.bytes_of(path) is None
    assert notes.lines() == (
        f"a.py is no plain file of at most {MOST_BYTES} bytes and was not read",
    )
    assert TextFile(path).read() is None


@pytest.mark.parametrize(
    ("text", "reason"), [(None, "is missing"), (POINTER, "is a git-lfs pointer")]
)
def test_a_missing_file_and_a_pointer_are_named(
    tmp_path: Path, text: str | None, reason: str
) -> None:
    path = tmp_path / "metadata.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(Unreadable, match=reason) as refused:
        read_whole(path)
    assert refused.value.is_missing == (text is None)
    assert read_json(path, int) is None
    notes = ReadingNotes(tmp_path)
    assert notes.object_of(path, needed=False) == {}
    assert len(notes.lines()) == (text is not None)


def test_notes_beyond_the_first_are_counted(tmp_path: Path) -> None:
    notes = ReadingNotes(tmp_path)
    for number in range(11):
        notes.say(f"note {number}")
    assert notes.lines()[-2:] == ("note 7", "and 3 more like these")
