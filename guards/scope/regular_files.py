"""Files and folders that somebody else made: regular, of a bounded size, no links followed.

What is read here never makes the reader wait, leave the folder that it was given, or fill memory.
"""

import errno
import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/v1"
MOST_BYTES: Final = 16_000_000
MOST_ENTRIES: Final = 5_000_000  # of a tree: ten thousand generations have some hundred thousand
DEEPEST: Final = 64
MOST_LIST_BYTES: Final = 1 << 27  # of export.json, which lists every file of a run
_LARGEST_NAMED: Final = {"export.json": MOST_LIST_BYTES}
_LARGEST: Final = {".json": MOST_BYTES, ".db": 1 << 36, ".db-wal": 1 << 36}
_LARGEST_ELSE: Final = 1 << 28
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPENDED: Final = (
    os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
)
_FOLDER_FLAGS: Final = _FLAGS | os.O_DIRECTORY


class Unreadable(Exception):
    """A file cannot be read; the message is the end of a sentence about it.

    Attributes:
        is_missing: Whether there is nothing of this name.
    """

    def __init__(self, reason: str, *, is_missing: bool = False) -> None:
        super().__init__(reason)
        self.is_missing = is_missing


class NotRegular(OSError):
    """A link or something else stands where a regular file should."""


class UnsafeTree(Exception):
    """A folder holds what nothing may be done with; the message names it and says why."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading, without waiting for what is none.

    Raises:
        NotRegular: A link, a directory or a pipe stands in its place.
        OSError: There is none, or it cannot be opened.
    """
    return os.fdopen(_open_file(path).descriptor, "rb")


def open_to_append(path: Path) -> int:
    """Open a regular file for reading and appending, made if missing; returns its descriptor.

    Raises:
        NotRegular: A link, a device or a pipe stands in its place.
        OSError: It cannot be opened.
    """
    return _open_file(path, _APPENDED).descriptor


class _OpenFile(NamedTuple):
    descriptor: int
    size_bytes: int


def _open_file(path: Path, flags: int = _FLAGS) -> _OpenFile:
    try:
        descriptor = os.open(path, flags, 0o644)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotRegular(f"{path} is a link") from error
        raise
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise NotRegular(f"{path} is no regular file")
    return _OpenFile(descriptor, status.st_size)


def read_whole(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Read a regular file of at most so many bytes.

    Raises:
        Unreadable: It is missing, something else, too large, or a git-lfs pointer.
    """
    too_large = f"is no plain file of at most {most_bytes} bytes and was not read"
    try:
        content = _read_up_to(most_bytes, _open_file(path))
    except NotRegular as error:
        raise Unreadable(too_large) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Unreadable("is missing", is_missing=True) from error
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from error
    if len(content) > most_bytes:
        raise Unreadable(too_large)
    if content.startswith(LFS_POINTER):
        raise Unreadable("is a git-lfs pointer; its content was not fetched")
    return content


def read_given(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Read a file that a person names, who may name a link to it; see `read_whole`.

    Raises:
        Unreadable: It is missing, too large, or a folder, a device or a pipe.
    """
    return read_whole(Path(os.path.realpath(path)), most_bytes)


def _read_up_to(most_bytes: int, file: _OpenFile) -> bytes:
    """Read and close a file; of one that is too large, one byte more than is allowed."""
    try:
        # A buffer of the largest size would cost more than most files are worth.
        expected = min(file.size_bytes, most_bytes)
        content = os.read(file.descriptor, expected + 1)
        if len(content) != expected:  # it is larger, it grew, or it came in parts
            with os.fdopen(file.descriptor, "rb", closefd=False) as rest:
                content += rest.read(most_bytes + 1 - len(content))
    finally:
        os.close(file.descriptor)
    return content


def check_tree(root: Path, *, alone: bool = False) -> None:
    """Check that a folder holds nothing but folders and regular files of allowed size.

    It is walked by descriptors, so that no link is followed on the way.

    Args:
        root: The folder; it may be a link itself, that is the person's own word.
        alone: Refuse files with a second name too, which a writer would write under both.

    Raises:
        UnsafeTree: It holds something else, or too much.
        OSError: A folder cannot be read.
    """
    for seen, (name, problem) in enumerate(_entries(root, alone=alone)):
        if seen > MOST_ENTRIES:
            raise UnsafeTree(f"{root} has more than {MOST_ENTRIES} files")
        if problem:
            raise UnsafeTree(f"{root}/{name} {problem}")


def _entries(root: Path, *, alone: bool) -> Iterator[tuple[str, str]]:
    """Yield the path of everything below a folder and what is wrong with it, if anything."""
    waiting = [""]
    with _opened(str(root), None) as top:
        while waiting:
            prefix = waiting.pop()
            with _opened(prefix.rstrip("/") or ".", top) as folder, os.scandir(folder) as listing:
                for entry in listing:
                    name = prefix + entry.name
                    problem = _problem(entry, alone=alone)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(f"{name}/")
                        problem = "is nested too deeply" if name.count("/") >= DEEPEST else ""
                    yield name, problem


def _problem(entry: os.DirEntry[str], *, alone: bool) -> str:
    if entry.is_symlink():
        return "is a link, and links are not followed"
    if entry.is_dir(follow_symlinks=False):
        return ""
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        return "is neither a file nor a folder"
    suffix = os.path.splitext(entry.name)[1]  # noqa: PTH122  no Path for each of many
    largest = _LARGEST_NAMED.get(entry.name) or _LARGEST.get(suffix, _LARGEST_ELSE)
    if status.st_size > largest:
        return f"has {status.st_size} bytes, and at most {largest} are allowed there"
    if alone and status.st_nlink > 1:
        return "has a second name (a hard link), under which it would be written too"
    return ""


@contextmanager
def _opened(path: str, above: int | None) -> Generator[int]:
    """Open a folder; below another one, no link is followed at its end."""
    flags = _FOLDER_FLAGS if above is not None else _FOLDER_FLAGS & ~os.O_NOFOLLOW
    descriptor = os.open(path, flags, dir_fd=above)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
