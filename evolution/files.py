"""Writing files so that a crash leaves the old content or the new one, never half of it."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="deterministic")


def canonical_json(value: Any) -> bytes:
    """Encode a value as JSON with sorted keys and no spaces: equal values, equal bytes."""
    return _ENCODER.encode(value)


def pretty_json(value: Any) -> bytes:
    """Encode a value as JSON for people."""
    return msgspec.json.format(_ENCODER.encode(value), indent=2) + b"\n"


def sha256_hex(data: bytes) -> str:
    """SHA-256 as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


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


def write_synced(path: Path, data: bytes) -> None:
    """Write a new file and wait until its content is on disk; makes missing folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_synced(path, data)


def write_tree(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their paths below a folder, each synced."""
    for parent in sorted({(folder / name).parent for name in files}):
        parent.mkdir(parents=True, exist_ok=True)
    for name, data in sorted(files.items()):
        _write_synced(folder / name, data)


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
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
    return {
        str(path.relative_to(folder)): sha256_hex(path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
