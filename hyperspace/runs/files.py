"""Files of run folders that somebody else wrote: regular, of a bounded size, no links followed.

What is missing, damaged or not fetched is named in `ReadingNotes`, never guessed.
"""

import math
import os
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import LFS_POINTER, Unreadable, open_regular, read_whole

TASK: Final = "task_agent.py"
META: Final = "meta_agent.py"
_MOST_NOTED: Final = 8
T = TypeVar("T")


class ReadingNotes:
    """Problems with the files of one run; bounded, with the rest counted."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lines: list[str] = []
        self._more = 0

    def add(self, path: Path, what: str) -> None:
        """Note something about a file below the run's folder."""
        self.say(f"{path.relative_to(self._root)} {what}")

    def say(self, line: str) -> None:
        """Note a sentence."""
        if len(self._lines) < _MOST_NOTED:
            self._lines.append(line)
        else:
            self._more += 1

    def lines(self) -> tuple[str, ...]:
        """Return the notes, and how many there were beyond those kept."""
        return (*self._lines, *([f"and {self._more} more like these"] if self._more else []))

    def bytes_of(self, path: Path, *, needed: bool = True) -> bytes | None:
        """Read a file; None, and a note, if that cannot be done.

        Args:
            path: The file.
            needed: Whether its absence is worth a note.
        """
        if path.parent != self._root and path.parent.is_symlink():
            self.add(path, "is in a folder that is a link and was not read")
            return None
        try:
            return read_whole(path)
        except Unreadable as reason:
            if needed or not reason.is_missing:
                self.add(path, str(reason))
            return None

    def object_of(self, path: Path, *, needed: bool = True) -> dict[str, Any]:
        """Read a JSON object; an empty one, and a note, if there is none to read."""
        data = self.bytes_of(path, needed=needed)
        if data is None:
            return {}
        try:
            return decode_json(data, dict[str, Any])
        except msgspec.MsgspecError:
            self.add(path, "is truncated or no JSON object")
            return {}


class TextFile(msgspec.Struct, frozen=True):
    """A text in a file; bytes that are no UTF-8 come out as replacement characters.

    A file in a folder that is a link is none.

    Attributes:
        path: Where it lies, if it does.
    """

    path: Path

    def read(self) -> str | None:
        """Return the text; None if the file cannot be read (see `read_whole`)."""
        if self.path.parent.is_symlink():
            return None
        try:
            return read_whole(self.path).decode("utf-8", "replace")
        except Unreadable:
            return None

    def size_bytes(self) -> int | None:
        """Return the size of the file; None if it is missing or a git-lfs pointer."""
        if self.path.parent.is_symlink():
            return None
        try:
            with open_regular(self.path) as file:
                if file.read(len(LFS_POINTER)) == LFS_POINTER:
                    return None
                return os.fstat(file.fileno()).st_size
        except OSError:
            return None


def why_unreadable(error: Exception) -> str:
    """Return why something could not be read, as a sentence without its full stop."""
    if isinstance(error, OSError) and isinstance(error.filename, str | bytes):
        return f"{os.fsdecode(error.filename)} cannot be read ({error.strerror})"
    return str(error)


class HeldText(msgspec.Struct, frozen=True):
    """A text that was read or lies in no file, or one of which at most the size is known.

    Attributes:
        text: The text; None if it is not known.
        size: In bytes, where the text is not known or was not all UTF-8; None if nothing says it.
    """

    text: str | None = None
    size: int | None = None

    def read(self) -> str | None:
        """Return the text; None if it is not known."""
        return self.text

    def size_bytes(self) -> int | None:
        """Return its size, of a text alone that in UTF-8; None if it is not known."""
        return self.size if self.text is None or self.size is not None else len(self.text.encode())


StoredText = TextFile | HeldText
"""A text that is read when it is asked for."""


def read_json(path: Path, kind: type[T]) -> T | None:
    """Read a JSON file; None if it cannot be read or is not of this kind."""
    try:
        return decode_json(read_whole(path), kind)
    except (Unreadable, msgspec.MsgspecError):
        return None


def number(fields: dict[str, Any], name: str) -> float | None:
    """Return a finite number; None if there is none."""
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def whole(fields: dict[str, Any], name: str) -> int | None:
    """Return a whole number; published ids are also written as text. None if there is none."""
    value = fields.get(name)
    if isinstance(value, str) and value.removeprefix("-").isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def truth(fields: dict[str, Any], name: str) -> bool | None:
    """Return true or false; None if it says neither."""
    value = fields.get(name)
    return value if isinstance(value, bool) else None


def words(fields: dict[str, Any], name: str) -> str:
    """Return a text; empty if there is none."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def inner(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """Return an object; an empty one if there is none."""
    value = fields.get(name)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
