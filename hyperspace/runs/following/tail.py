"""The lines of a file that somebody else goes on writing: each look reads what was added."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from guards.parsing import UNDECODABLE
from guards.scope.regular_files import open_regular

CHUNK_BYTES: Final = 1 << 20
T = TypeVar("T")


class LineDamaged(Exception):
    """A line of a file is not what it should be.

    Attributes:
        line: Its number, from 1.
        reason: What is wrong with it.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class LineTail:
    """Reads a file of JSON lines as it grows; a torn last line is left for later.

    Attributes:
        lines: How many lines were read so far.
        was_replaced: Whether what is read now comes from another file than what was read before.
        is_behind: Whether there was more when something was read last.
    """

    def __init__(self, path: Path) -> None:
        """Follow a file; it need not be there yet."""
        self.lines = 0
        self.was_replaced = False
        self.is_behind = False
        self._path, self._folder = path, path.parent
        self._inode: int = 0
        self._at_end: tuple[int, int, int] | None = None  # as it was when it was read whole
        self._read_bytes = 0

    @property
    def read_share(self) -> float:
        """How much of the file has been read, in [0, 1]; 1 where there is none."""
        try:
            size = self._path.lstat().st_size
        except OSError:
            return 1.0
        return min(1.0, self._read_bytes / size) if size else 1.0

    def look(self, decoder: "msgspec.json.Decoder[T]") -> Iterator[list[T]]:
        """Decode the lines that were completed since the last look, a megabyte at a time.

        Whoever stops early goes on from there with the next look. Where the file was replaced,
        the first list is an empty one, with `was_replaced`.

        Raises:
            OSError: It cannot be read, or is no regular file.
            LineDamaged: A line is not what the decoder reads; those before it were returned, and
                every further look ends here again.
        """
        for piece in self._pieces():
            try:
                records = decoder.decode_lines(piece)
            except UNDECODABLE:
                records = []
            if len(records) == piece.count(b"\n"):
                yield records
            else:
                yield from self._one_by_one(piece, decoder)

    def _one_by_one(self, piece: bytes, decoder: "msgspec.json.Decoder[T]") -> Iterator[list[T]]:
        """Decode the lines of a piece up to one that is damaged."""
        *lines, _ = piece.split(b"\n")
        records: list[T] = []
        for text in lines:
            try:
                records.append(decoder.decode(text))
            except UNDECODABLE as error:
                self.lines += len(records) - len(lines)
                self._read_bytes -= sum(len(left) + 1 for left in lines[len(records) :])
                yield records
                raise LineDamaged(self.lines + 1, str(error)) from error
        yield records

    def _pieces(self) -> Iterator[bytes]:
        """Return what was added, cut between lines."""
        self.was_replaced = self.is_behind = False
        if self._folder.is_symlink():
            raise OSError(f"{self._folder.name} is a link, and links are not followed")
        try:
            if file_stamp(self._path.lstat()) == self._at_end:
                return
            file = open_regular(self._path)
        except FileNotFoundError:
            return
        with file:
            status = os.fstat(file.fileno())
            if status.st_ino != self._inode or status.st_size < self._read_bytes:
                self.was_replaced = self.lines > 0
                self.lines, self._read_bytes, self._inode = 0, 0, status.st_ino
            if self.was_replaced:
                yield b""
                self.was_replaced = False
            file.seek(self._read_bytes)
            while text := file.read(CHUNK_BYTES):
                end = text.rfind(b"\n") + 1
                self.is_behind = len(text) == CHUNK_BYTES
                if self.is_behind and not end:
                    raise OSError(f"line {self.lines + 1} is longer than {CHUNK_BYTES} bytes")
                self._read_bytes += end
                self.lines += text.count(b"\n", 0, end)
                if end:
                    yield text[:end]
                if not self.is_behind:
                    break
                file.seek(self._read_bytes)
            self._at_end = file_stamp(status)


def file_stamp(status: os.stat_result) -> tuple[int, int, int]:
    """Return what changes whenever a file does: which one it is, its size and its time."""
    return status.st_ino, status.st_size, status.st_mtime_ns
