"""Folders of a person's own that jobs read: published texts, problems, or a model.

They stay where they are, and sandboxes see them read only. What they hold is known by its hash: a
run says which data it was made with, and jobs of the same data are the same wherever it lies.
"""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from guards.scope.regular_files import open_regular
from hyperspace.research.errors import EnvironmentUnusable

MOST_ENTRIES: Final = 100_000
DEEPEST: Final = 64
_PART_BYTES: Final = 1024**2


class DataFolder(msgspec.Struct, frozen=True):
    """A folder that jobs read.

    Attributes:
        name: What environments call it.
        path: Where it lies.
        sha256: Of the names of its files and folders, and of contents.
        stamp: Of what the file system says of them, which changes with every change.
    """

    name: str
    path: Path
    sha256: str
    stamp: str

    def is_as_it_was(self) -> bool:
        """Return whether nothing was changed since it was read; reads no contents."""
        try:
            return _stamp(list(_entries(self.name, self.path))) == self.stamp
        except EnvironmentUnusable:
            return False


def read_data(folders: Mapping[str, Path]) -> dict[str, DataFolder]:
    """Read what folders hold, by their names; takes about a second for a gigabyte.

    Raises:
        EnvironmentUnusable: One is missing or empty, or holds links or special files, which lead
            out of it.
    """
    return {name: _read(name, path.resolve()) for name, path in folders.items()}


class _Entry(NamedTuple):
    path: Path
    inside: bytes
    status: os.stat_result

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.status.st_mode)


def _read(name: str, folder: Path) -> DataFolder:
    entries = list(_entries(name, folder))
    if not any(entry.is_file for entry in entries):
        raise EnvironmentUnusable(f"--data {name}={folder} is empty")
    whole = sha256()
    try:
        for entry in entries:
            content = _file_hash(entry.path) if entry.is_file else "folder"
            whole.update(b"%d %s %s\n" % (len(entry.inside), entry.inside, content.encode()))
    except OSError as error:
        raise _unreadable(name, folder, error) from error
    return DataFolder(name, folder, whole.hexdigest(), _stamp(entries))


def _entries(name: str, folder: Path) -> Iterator[_Entry]:
    """Yield the folder, and all that is in it, in the order of names.

    Raises:
        EnvironmentUnusable: It cannot be read, or holds what is neither file nor folder.
    """
    waiting, count = [folder], 0
    try:
        while waiting:
            path, count = waiting.pop(), count + 1
            entry = _Entry(path, os.fsencode(path.relative_to(folder)), path.lstat())
            if entry.is_file and path == folder:
                raise NotADirectoryError(errno.ENOTDIR, "it is no folder")
            if not (entry.is_file or stat.S_ISDIR(entry.status.st_mode)):
                what = "a link" if path.is_symlink() else "neither a file nor a folder"
                raise EnvironmentUnusable(
                    f"--data {name}={folder}: {path} is {what}, and it may hold files and folders "
                    "alone"
                )
            if count > MOST_ENTRIES or len(path.parts) > len(folder.parts) + DEEPEST:
                raise EnvironmentUnusable(
                    f"--data {name}={folder} holds more than {MOST_ENTRIES:,} files and folders, "
                    f"or folders {DEEPEST} deep; pack them"
                )
            yield entry
            if not entry.is_file:
                waiting += sorted(path.iterdir(), key=os.fsencode, reverse=True)
    except OSError as error:
        raise _unreadable(name, folder, error) from error


def _unreadable(name: str, folder: Path, error: OSError) -> EnvironmentUnusable:
    where = f": {os.fsdecode(error.filename)}" if error.filename else ""
    why = error.strerror or type(error).__name__
    return EnvironmentUnusable(f"--data {name}={folder} cannot be read{where}: {why}")


def _stamp(entries: list[_Entry]) -> str:
    whole = sha256()
    for entry in entries:
        s = entry.status
        facts = (s.st_dev, s.st_ino, s.st_mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns)
        whole.update(entry.inside + repr(facts).encode())
    return whole.hexdigest()


def _file_hash(path: Path) -> str:
    hashed = sha256()
    with open_regular(path) as file:
        while part := file.read(_PART_BYTES):
            hashed.update(part)
    return hashed.hexdigest()
