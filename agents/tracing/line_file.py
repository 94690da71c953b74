"""Files of lines that only grow: a line is there whole or, after a crash or a full disk, not."""

import os
from pathlib import Path

_BLOCK_BYTES = 65536


def open_lines(path: str | os.PathLike[str]) -> int:
    """Open for appending; a torn last line of a killed writer is cut off.

    Returns:
        A descriptor that may also be read.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    _cut_torn_line(file)
    if os.fstat(file).st_size == 0:
        _sync_folder_of(path)  # a synced line is lost all the same if its file's name is
    return file


def append_whole(file: int, line: bytes) -> None:
    """Append a line, which ends in a line feed; what could not be written whole is taken back.

    Raises:
        OSError: It could not be written.
    """
    unwritten = memoryview(line)
    try:
        while unwritten:
            unwritten = unwritten[os.write(file, unwritten) :]
    except OSError:
        if written := len(line) - len(unwritten):
            os.ftruncate(file, os.fstat(file).st_size - written)
        raise


def _sync_folder_of(path: str | os.PathLike[str]) -> None:
    folder = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
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
