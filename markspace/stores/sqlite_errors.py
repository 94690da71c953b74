"""SQLite's errors as ours: what was tried, what is wrong, what to do."""

import shutil
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from markspace.errors import (
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreMissing,
    StoreReadOnly,
)

PRIMARY_CODE = 0xFF
ROOM_BYTES = 256 * 1024


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Raise SQLite's errors inside as a `StoreError` about `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise typed(error, path) from error


def typed(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the error of ours that fits."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & PRIMARY_CODE
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLocked(f"{path} is locked by another writer; wait for it or stop it")
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and no_room(path)):
        return StoreFull(f"no room left on the disk of {path}; free some and write again")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreCorrupt(f"{path} is damaged or no space ({error}); restore it from a copy")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StoreReadOnly(f"{path} cannot be written; copy it elsewhere or open it read-only")
    if code == sqlite3.SQLITE_CANTOPEN:
        return cannot_open(path)
    return StoreError(f"{path}: {error}")


def cannot_open(path: Path) -> StoreError:
    """Return why a file cannot be opened."""
    if not path.parent.is_dir():
        return StoreMissing(f"{path}: the folder {path.parent} does not exist; create it first")
    if not path.exists():
        return StoreReadOnly(f"{path} does not exist and cannot be created in {path.parent}")
    return StoreReadOnly(f"{path} cannot be opened; check its rights, or open it read-only")


def no_room(path: Path) -> bool:
    """Return whether the disk of `path` is as good as full."""
    try:
        return shutil.disk_usage(path.parent).free < ROOM_BYTES
    except OSError:
        return False
