"""Writing files so that a crash leaves the old content or the new one, never half of it."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

_ENCODER = msgspec.json.Encoder(order="deterministic")
_TEMPORARY: Final = re.compile(r"\.(?P<target>.+)\.\d+\.tmp")


def canonical_json(value: Any) -> bytes:
    """Encode a value as JSON with sorted keys and no spaces: equal values, equal bytes."""
    return _ENCODER.encode(value)


def written_name(name: str) -> str:
    """Return a name of a file, or a text with one, as JSON can hold it: it need not be UTF-8."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def pretty_json(value: Any) -> bytes:
    """Encode a value as JSON for people."""
    return msgspec.json.format(_ENCODER.encode(value), indent=2) + b"\n"


def sha256_hex(data: bytes) -> str:
    """SHA-256 as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def text_hashes(texts: Mapping[str, str]) -> dict[str, str]:
    """Map paths to the SHA-256 of each text, in path order."""
    return {path: sha256_hex(text.encode()) for path, text in sorted(texts.items())}


def settled(path: Path) -> Path:
    """Return the file that a temporary one of `write_atomically` is written beside; else itself."""
    match = _TEMPORARY.fullmatch(path.name)
    return path if match is None else path.with_name(match["target"])


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file's content in one step that survives a crash; makes missing folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write_synced(temporary, data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_tree(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their paths below a folder, each synced."""
    for parent in sorted({name.rpartition("/")[0] for name in files}):
        Path(folder, parent).mkdir(parents=True, exist_ok=True)
    for name, data in sorted(files.items()):
        with open(f"{folder}/{name}", "wb") as file:  # noqa: PTH123  as below
            file.write(data)
    # When all are written: the first sync takes much of the others to disk with it.
    for name in files:
        _sync(f"{folder}/{name}")


def write_synced(path: Path | str, data: bytes) -> None:
    """Write a new file and wait until its content is on disk."""
    with open(path, "wb") as file:  # noqa: PTH123  as below
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def in_the_way(folder: Path) -> Path | None:
    """Return what keeps a folder from being made: a path on the way that is not a directory.

    Raises:
        OSError: A name is too long, or may not be looked at.
    """
    nearest = next((path for path in (folder, *folder.parents) if path.exists()), None)
    return None if nearest is None or nearest.is_dir() else nearest


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable."""
    _sync(folder, os.O_DIRECTORY)


def _sync(path: Path | str, flags: int = 0) -> None:
    descriptor = os.open(path, os.O_RDONLY | flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append_line(path: Path, value: Any) -> None:
    """Append one JSON line to a file; makes missing folders."""
    append_bytes(path, canonical_json(value) + b"\n")


def append_bytes(path: Path, data: bytes) -> None:
    """Append to a file; makes missing folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data)


def tree_hashes(folder: Path) -> dict[str, str]:
    """Map each regular file below a folder to the SHA-256 of its content, in path order."""
    return hashes_of(folder, files_below(folder))


def content_sha256(path: Path) -> str:
    """SHA-256 of a file's content, or of the paths and contents below a folder."""
    return sha256_hex(canonical_json(tree_hashes(path)) if path.is_dir() else path.read_bytes())


def hashes_of(folder: Path, paths: Iterable[str]) -> dict[str, str]:
    """Map paths below a folder to the SHA-256 of each file's content."""
    return {path: sha256_hex(_read(f"{folder}/{path}")) for path in paths}


def files_below(folder: Path) -> list[str]:
    """Relative paths of the regular files below a folder, in path order; follows no link.

    There are none where there is no folder.
    """
    if not folder.is_dir():
        return []
    return sorted(_files_below(str(folder), ""), key=lambda path: path.split("/"))


def _files_below(folder: str, prefix: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(entry.path, f"{prefix}{entry.name}/")
            elif entry.is_file(follow_symlinks=False):
                yield f"{prefix}{entry.name}"


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123  a Path costs more than the reading
        return file.readall()
