"""Unified diffs, as `git diff` and `diff -u` write them, applied to code that is held in memory.

A hunk fits where every line that it expects stands exactly so; it may stand elsewhere than its
header says, and the nearest such place counts, as with `git apply`. Nothing is guessed: a hunk
that fits nowhere is refused, and with it the whole patch.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

from guards.scope.changes import parents

MOST_CHARACTERS: Final = 1_000_000  # of one patch; five times the longest code that is taken in
MOST_HUNKS: Final = 1_000
MOST_COMPARED: Final = 5_000_000  # lines, to find where all hunks fit
_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_UNKNOWN: Final = ("rename from ", "copy from ", "GIT binary patch", "Binary files ")
_NOWHERE: Final = "/dev/null"
_NO_NEWLINE: Final = "\\"


class PatchRefused(Exception):
    """A patch cannot be applied; says where and why."""


class Hunk(NamedTuple):
    """A change of one place.

    Attributes:
        header: As it stands in the patch.
        start: Line at which the old lines are expected, from 0.
        old: Lines that must stand there, with their line ends.
        new: Lines that stand there afterwards.
    """

    header: str
    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]


class FilePatch(NamedTuple):
    """The changes of one file.

    Attributes:
        before: Its path; None if the patch makes it.
        after: The same; None if the patch deletes it.
        hunks: In order.
    """

    before: str | None
    after: str | None
    hunks: tuple[Hunk, ...]

    @property
    def path(self) -> str:
        """The file's path."""
        return self.after or self.before or ""


def apply_patch(
    code: Mapping[str, str], patch: str, refusal: Callable[[str], str]
) -> dict[str, str]:
    """Apply a patch to code.

    Args:
        code: Path to text.
        patch: The unified diff.
        refusal: Says why a path may not be touched; empty when it may.

    Returns:
        The code afterwards.

    Raises:
        PatchRefused: Part of it does not fit, or touches what may not be touched; names it.
    """
    changed, work = dict(code), _Work()
    for file in parse_patch(patch):
        if why := refusal(file.path):
            raise PatchRefused(f"{file.path}: {why}")
        text = _patched(changed.get(file.path), file, work)
        if text is None:
            del changed[file.path]
        else:
            changed[file.path] = text
    if why := file_as_folder(changed):
        raise PatchRefused(why)
    return changed


def file_as_folder(paths: Collection[str]) -> str:
    """Return which path lies below one that is a file; empty if a folder can hold them all."""
    for path in paths:
        if file := next((parent for parent in parents(path) if parent in paths), ""):
            return f"{path}: {file} is a file, not a folder"
    return ""


def parse_patch(patch: str) -> list[FilePatch]:
    """Read a unified diff; text between the files is passed over.

    Raises:
        PatchRefused: It holds no change, or one that is malformed or of a kind that is not known.
    """
    if len(patch) > MOST_CHARACTERS:
        raise PatchRefused(f"it has more than {MOST_CHARACTERS} characters")
    reader = _Reader(patch.removesuffix("\n").split("\n"))
    files = list(reader.files())
    if sum(len(file.hunks) for file in files) > MOST_HUNKS:
        raise PatchRefused(f"it has more than {MOST_HUNKS} hunks")
    if not files:
        raise PatchRefused("it holds no change in unified form (---, +++, @@)")
    return files


class _Reader:
    """Goes through the lines of a patch."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def files(self) -> Iterator[FilePatch]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(_UNKNOWN):
                raise PatchRefused(f"line {self._at + 1}: {line[:80]!r} is no change of text")
            if line.startswith("--- ") and self._next().startswith("+++ "):
                yield self._file()
            else:
                self._at += 1

    def _next(self) -> str:
        return self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""

    def _file(self) -> FilePatch:
        before, after = _path(self._lines[self._at]), _path(self._next())
        if before is not None and after is not None and before != after:
            raise PatchRefused(f"line {self._at + 1}: it renames {before!r} to {after!r}")
        self._at += 2
        hunks = tuple(self._hunks())
        if not hunks or (before is None and after is None):
            raise PatchRefused(f"line {self._at}: no hunk follows the names of the file")
        return FilePatch(before, after, hunks)

    def _hunks(self) -> Iterator[Hunk]:
        while self._at < len(self._lines):
            header = self._lines[self._at]
            match = _HUNK.match(header)
            if match is None:
                return
            self._at += 1
            counts = [1 if count is None else int(count) for count in match.group(2, 4)]
            # A hunk without old lines names the line after which its new ones come.
            start = int(match.group(1)) - (counts[0] > 0)
            yield self._hunk(header[: match.end()], start, *counts)

    def _hunk(self, header: str, start: int, old_count: int, new_count: int) -> Hunk:
        old: list[str] = []
        new: list[str] = []
        while len(old) < old_count or len(new) < new_count:
            line = self._lines[self._at] if self._at < len(self._lines) else "@"
            self._at += 1
            sign, text = line[:1] or " ", f"{line[1:]}\n"  # editors strip the space of blank lines
            if sign not in " +-":
                raise PatchRefused(f"hunk {header}: it ends before its last line")
            if sign in " -":
                old.append(text)
            if sign in " +":
                new.append(text)
            if self._at < len(self._lines) and self._lines[self._at].startswith(_NO_NEWLINE):
                self._at += 1
                for lines, signs in ((old, " -"), (new, " +")):
                    if sign in signs:
                        lines[-1] = lines[-1].removesuffix("\n")
        return Hunk(header, start, tuple(old), tuple(new))


def _path(line: str) -> str | None:
    name = line[4:].split("\t")[0].strip()
    if name == _NOWHERE:
        return None
    return name[2:] if name.startswith(("a/", "b/")) else name


class _Work:
    """Counts the lines that are compared to find where the hunks of a patch fit."""

    def __init__(self) -> None:
        self._left = MOST_COMPARED

    def compare(self, lines: list[str], at: int, old: list[str]) -> bool:
        """Return whether some lines stand at a place.

        Raises:
            PatchRefused: Too many were compared.
        """
        is_possible = lines[at] == old[0]
        self._left -= len(old) if is_possible else 1
        if self._left < 0:
            raise PatchRefused("where its hunks fit takes too long to find")
        return is_possible and lines[at : at + len(old)] == old


def _patched(text: str | None, file: FilePatch, work: _Work) -> str | None:
    if text is None and file.before is not None:
        raise PatchRefused(f"{file.path}: there is no such file")
    if text is not None and file.before is None:
        raise PatchRefused(f"{file.path}: it would be made, and is there already")
    *whole, last = (text or "").split("\n")
    lines, end, shift = [f"{line}\n" for line in whole] + ([last] if last else []), 0, 0
    for hunk in file.hunks:
        at = _find(lines, hunk, end, hunk.start + shift, work)
        if at is None:
            raise PatchRefused(f"{file.path}: hunk {hunk.header} does not fit")
        lines[at : at + len(hunk.old)] = hunk.new
        end = at + len(hunk.new)
        shift = end - hunk.start - len(hunk.old)
    if file.after is None and lines:
        raise PatchRefused(f"{file.path}: it would be deleted, and holds more than is taken out")
    return None if file.after is None else "".join(lines)


def _find(lines: list[str], hunk: Hunk, first: int, expected: int, work: _Work) -> int | None:
    """The place nearest to the expected one, not before `first`, where all old lines stand."""
    old, last = list(hunk.old), len(lines) - len(hunk.old)
    if not old:  # nothing to find it by
        return expected if first <= expected <= len(lines) else None
    start = min(max(expected, first), last)
    for distance in range(last - first + 1):
        for at in sorted({start - distance, start + distance}):
            if first <= at <= last and work.compare(lines, at, old):
                return at
    return None
