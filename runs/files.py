"""Opening files of run folders that somebody else wrote: regular ones only, links not followed."""

import os
import stat
from pathlib import Path
from typing import BinaryIO, Final, Protocol, TypeVar

import msgspec

LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/v1"
MOST_TEXT_BYTES: Final = 16_000_000
T = TypeVar("T")
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Text(Protocol):
    """A text that is read when it is asked for."""

    def read(self) -> str | None:
        """The text; None if it is not there."""
        ...

    def size_bytes(self) -> int | None:
        """Its size; None if it is not known."""
        ...


class TextFile(msgspec.Struct, frozen=True):
    """A text in a file; bytes that are no UTF-8 come out as replacement characters.

    Attributes:
        path: Where it lies, if it does.
    """

    path: Path

    def read(self) -> str | None:
        """The text; None if there is no such file, a git-lfs pointer in its place, or too much."""
        try:
            with open_regular(self.path) as file:
                content = file.read(MOST_TEXT_BYTES + 1)
        except OSError:
            return None
        if len(content) > MOST_TEXT_BYTES or content.startswith(LFS_POINTER):
            return None
        return content.decode("utf-8", "replace")

    def size_bytes(self) -> int | None:
        """The size of the file; None if it is missing or a git-lfs pointer stands for it."""
        try:
            with open_regular(self.path) as file:
                if file.read(len(LFS_POINTER)) == LFS_POINTER:
                    return None
                return os.fstat(file.fileno()).st_size
        except OSError:
            return None


class HeldText(msgspec.Struct, frozen=True):
    """A text that lies in no file.

    Attributes:
        text: It.
    """

    text: str

    def read(self) -> str:
        """The text."""
        return self.text

    def size_bytes(self) -> int:
        """Its size in UTF-8."""
        return len(self.text.encode())


class NoText(msgspec.Struct, frozen=True):
    """A text of which at most the size is known.

    Attributes:
        size: In bytes; None if that is not known either.
    """

    size: int | None = None

    def read(self) -> None:
        """There is none."""
        return

    def size_bytes(self) -> int | None:
        """Its size."""
        return self.size


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        OSError: There is none, or a link or something else stands in its place.
    """
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileNotFoundError(f"{path} is no regular file")
    return os.fdopen(descriptor, "rb")


def read_json(path: Path, kind: type[T]) -> T | None:
    """Read a small JSON file; None if it is missing or is not of this kind."""
    try:
        with open_regular(path) as file:
            return msgspec.json.decode(file.read(MOST_TEXT_BYTES), type=kind)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
