"""Folders of a person's own that jobs read: published texts, problems, or a model.

They stay where they are, and sandboxes see them read only. What they hold is known by its hash: a
run says which data it was made with, and jobs of the same data are the same wherever it lies.
"""

import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from guards.scope.regular_files import NotRegular, open_regular
from research.errors import EnvironmentUnusable

MOST_FILES: Final = 100_000
_PART_BYTES: Final = 1024**2


class DataFolder(msgspec.Struct, frozen=True):
    """A folder that jobs read.

    Attributes:
        path: Where it lies.
        sha256: Of the names and contents of its files.
    """

    path: Path
    sha256: str


def read_data(folders: Mapping[str, Path]) -> dict[str, DataFolder]:
    """Read what folders hold, by their names; takes about a second for a gigabyte.

    Raises:
        EnvironmentUnusable: One is missing or empty, or holds links or special files, which lead
            out of it.
    """
    return {name: DataFolder(path.resolve(), _hash(name, path)) for name, path in folders.items()}


def _hash(name: str, folder: Path) -> str:
    root, whole, count = folder.resolve(), sha256(), 0
    try:
        for path in _files(root):
            count += 1
            if count > MOST_FILES:
                raise EnvironmentUnusable(
                    f"--data {name}={folder} holds more than {MOST_FILES:,} files; pack them"
                )
            inside = os.fsencode(path.relative_to(root))
            whole.update(b"%d %s %s\n" % (len(inside), inside, _file_hash(path).encode()))
    except NotRegular as error:
        raise EnvironmentUnusable(
            f"--data {name}={folder}: {error}, and it may hold files and folders alone"
        ) from error
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise EnvironmentUnusable(f"--data {name}={folder} cannot be read: {why}") from error
    if not count:
        raise EnvironmentUnusable(f"--data {name}={folder} is empty")
    return whole.hexdigest()


def _file_hash(path: Path) -> str:
    hashed = sha256()
    with open_regular(path) as file:
        while part := file.read(_PART_BYTES):
            hashed.update(part)
    return hashed.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: os.fsencode(entry.name))
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path))
        else:
            yield Path(entry.path)
