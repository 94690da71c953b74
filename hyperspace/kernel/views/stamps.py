"""Whether files were touched, asked of the file system: far quicker than reading them.

A stamp covers, for each file, when its inode was last changed, its size and its inode. Nobody can
set the first back. A stamp that is still the same says that the files are; another one, as in a
copy of the folder, says nothing, and then the files are read.
"""

import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain
from operator import attrgetter
from pathlib import Path
from struct import pack
from typing import NamedTuple

import msgspec

from hyperspace.kernel.files import files_below, hashes_of

_SAID = attrgetter("st_ctime_ns", "st_size", "st_ino")
LOST = ""  # the stamp of files of which one is missing


class HashedFolder(NamedTuple):
    """The files below a folder.

    Attributes:
        hashes: Path to SHA-256 of each regular file, in path order.
        stamp: Their stamp, taken before they were read.
    """

    hashes: dict[str, str]
    stamp: str


class StampLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of stamps.jsonl.

    Attributes:
        generation: Which.
        stamp: The stamp of its files.
        paths: Their paths, in order; None: the same as in the line before.
    """

    generation: int
    stamp: str
    paths: tuple[str, ...] | None = None


class Stamped(NamedTuple):
    """A generation's files as they were stamped; `StampLine` says what the fields are."""

    generation: int
    stamp: str
    paths: tuple[str, ...]


def survey(folder: Path) -> HashedFolder:
    """Stamp and hash every regular file below a folder."""
    paths = files_below(folder)
    stamp = stamp_of(folder, paths)
    return HashedFolder(hashes_of(folder, paths), stamp)


def stamp_of(folder: Path | str, paths: Iterable[str]) -> str:
    """Stamp files by their paths below a folder; `LOST` if one is not there."""
    stats = map(os.lstat, map(f"{folder}/".__add__, paths))
    try:  # no loop of ours: a start asks for hundreds of thousands of files
        numbers = list(chain.from_iterable(map(_SAID, stats)))
    except OSError:
        return LOST
    return sha256(pack(f"<{len(numbers)}Q", *numbers)).hexdigest()


def stamp_line(stamped: Stamped, before: Stamped | None) -> StampLine:
    """The line of a generation; paths are not said twice in a row."""
    same = before is not None and before.paths == stamped.paths
    return StampLine(stamped.generation, stamped.stamp, None if same else stamped.paths)


def read_stamps(data: bytes) -> Iterator[Stamped]:
    """Read what `stamp_lines` made."""
    paths: tuple[str, ...] = ()
    for line in msgspec.json.Decoder(StampLine).decode_lines(data):
        paths = paths if line.paths is None else line.paths
        yield Stamped(line.generation, line.stamp, paths)
