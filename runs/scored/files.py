"""Reading files that may be missing, damaged or not fetched: named, never guessed."""

import math
import os
import stat
from pathlib import Path
from typing import Any, Final

import msgspec

LFS: Final = b"version https://git-lfs.github.com/spec/v1"
MOST_BYTES: Final = 4 * 1024**2
_MOST_NOTED: Final = 8
_DECODER: Final = msgspec.json.Decoder(dict[str, Any])


class Notes:
    """What is wrong with the files of one run; bounded, with the rest counted."""

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
        """The notes, and how many there were beyond those kept."""
        return (*self._lines, *([f"and {self._more} more like these"] if self._more else []))


def read_bytes(path: Path, notes: Notes, *, needed: bool = True) -> bytes | None:
    """Read a small file; None, and a note, if it is missing, huge, or only a git-lfs pointer.

    Args:
        path: The file.
        notes: Where to say what is wrong.
        needed: Whether its absence is worth a note.
    """
    try:
        data = _content(path)
    except (FileNotFoundError, NotADirectoryError):
        if needed:
            notes.add(path, "is missing")
        return None
    except OSError as error:
        notes.add(path, f"cannot be read ({error.strerror})")
        return None
    if data is None:
        notes.add(path, f"is no plain file of at most {MOST_BYTES} bytes and was not read")
        return None
    if data.startswith(LFS):
        notes.add(path, "is a git-lfs pointer; its content was not fetched")
        return None
    return data


def _content(path: Path) -> bytes | None:
    """All of a plain file; None if it is none, or too large."""
    # Without waiting: a pipe of that name must not hold the report up.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
            return None
        return os.read(descriptor, found.st_size)
    finally:
        os.close(descriptor)


def read_object(path: Path, notes: Notes, *, needed: bool = True) -> dict[str, Any]:
    """Read a JSON object; an empty one, and a note, if there is none to read."""
    data = read_bytes(path, notes, needed=needed)
    if data is None:
        return {}
    try:
        return _DECODER.decode(data)
    except msgspec.DecodeError:
        notes.add(path, "is truncated or no JSON object")
        return {}


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
