"""Files of lines that only grow: a line is there whole or, after a crash or a full disk, not."""

import os
from pathlib import Path
from typing import Self

from guards.scope.regular_files import open_to_append

_BLOCK_BYTES = 65536


class LineFile:
    """A file of lines, open to append to; as a context, it is closed at the end."""

    def __init__(self, path: Path) -> None:
        """Open it, made if missing; a torn last line of a killed writer is cut off.

        Raises:
            NotRegular: A link or a device stands in its place.
            OSError: It cannot be opened.
        """
        self._file = open_to_append(path)
        _cut_torn_line(self._file)
        if self.size_bytes() == 0:
            _sync_folder(path.parent)  # a synced line is lost all the same if its file's name is

    @property
    def is_open(self) -> bool:
        """True until it is closed."""
        return self._file >= 0

    def size_bytes(self) -> int:
        """Size of the file."""
        return os.fstat(self._file).st_size

    def append(self, line: bytes) -> None:
        """Append a line, which ends in a line feed; what could not be written whole is taken back.

        Raises:
            OSError: It could not be written.
        """
        unwritten = memoryview(line)
        try:
            while unwritten:
                unwritten = unwritten[os.write(self._file, unwritten) :]
        except OSError:
            if written := len(line) - len(unwritten):
                os.ftruncate(self._file, self.size_bytes() - written)
            raise

    def sync(self) -> None:
        """Wait until all that was written is on disk."""
        os.fsync(self._file)

    def close(self) -> None:
        """Close it; safe to call twice."""
        if self.is_open:
            file, self._file = self._file, -1
            os.close(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _cut_torn_line(file: int) -> None:
    whole = size = os.fstat(file).st_size
    while whole and os.pread(file, 1, whole - 1) != b"\n":
        start = max(whole - _BLOCK_BYTES, 0)
        whole = start + os.pread(file, whole - start, start).rfind(b"\n") + 1
    if whole < size:
        os.ftruncate(file, whole)
