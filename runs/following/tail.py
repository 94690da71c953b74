"""The lines of a file that somebody else goes on writing: each look reads what was added."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from guards.scope.regular_files import open_regular

CHUNK_BYTES: Final = 1 << 20


class LineTail:
    """Reads a file of lines as it grows; a torn last line is left for later.

    Attributes:
        lines: How many lines were read so far.
        was_replaced: Whether the last look began again, because it is another file now.
    """

    def __init__(self, path: Path) -> None:
        """Follow a file; it need not be there yet."""
        self.lines = 0
        self.was_replaced = False
        self._path = path
        self._inode: int = 0
        self._read_bytes = 0

    def look(self) -> Iterator[bytes]:
        """Return the lines that were completed since the last look, in pieces of a megabyte.

        Raises:
            OSError: It cannot be read, or is no regular file.
        """
        self.was_replaced = False
        if self._path.parent.is_symlink():
            raise OSError(f"{self._path.parent.name} is a link, and links are not followed")
        try:
            file = open_regular(self._path)
        except FileNotFoundError:
            return
        with file:
            status = os.fstat(file.fileno())
            if status.st_ino != self._inode or status.st_size < self._read_bytes:
                self.was_replaced = self.lines > 0
                self.lines, self._read_bytes, self._inode = 0, 0, status.st_ino
            file.seek(self._read_bytes)
            while text := file.read(CHUNK_BYTES):
                *complete, torn = text.split(b"\n")
                if not complete and len(text) == CHUNK_BYTES:
                    raise OSError(f"line {self.lines + 1} is longer than {CHUNK_BYTES} bytes")
                for line in complete:
                    self.lines += 1
                    self._read_bytes += len(line) + 1
                    yield line
                if torn:
                    file.seek(self._read_bytes)
                if len(text) < CHUNK_BYTES:
                    return
