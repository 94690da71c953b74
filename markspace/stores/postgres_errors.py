"""PostgreSQL's errors as ours: what is wrong and what to do."""

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from markspace.errors import (
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreUnavailable,
)


@contextmanager
def translated(where: str) -> Generator[None]:
    """Raise psycopg's errors inside as a `StoreError` about `where`."""
    try:
        yield
    except psycopg.Error as error:
        raise typed(error, where) from error


def typed(error: psycopg.Error, where: str) -> StoreError:
    """Return the error of ours that fits."""
    said = str(error).strip().partition("\n")[0]
    if isinstance(error, errors.LockNotAvailable):
        return StoreLocked(f"{where} is locked by another writer; wait for it or stop it")
    if isinstance(error, errors.DiskFull):
        return StoreFull(f"{where}: no room left at the server ({said}); free some")
    if isinstance(error, errors.ReadOnlySqlTransaction | errors.InsufficientPrivilege):
        return StoreReadOnly(f"{where} cannot be written: {said}")
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        return StoreCorrupt(f"{where} is damaged: {said}; restore it from a copy")
    if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn):
        return StoreCorrupt(f"{where} is not laid out as a space: {said}")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StoreUnavailable(
            f"{where}: the server does not answer ({said}); start it or check the address. "
            "Whether a commit in flight was made is not known: read before writing again"
        )
    return StoreError(f"{where}: {said}")
