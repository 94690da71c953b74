"""Opening any mark space for reading: a SQLite file, or a space in a PostgreSQL database.

What cannot be opened raises `SpaceUsageError` or a `PlaceError` when the name is wrong, and
another `markspace.errors.StoreError` when what it names is.
"""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

from markspace import AnyMark, MarkSpace, scope_contains
from markspace.errors import StoreCorrupt
from markspace.keeping.codec import Decoder
from markspace.stores import places
from markspace.stores.base import Reader, Store, StoredMark
from markspace.stores.sqlite import SQLiteStore

STATES = ("live", "superseded", "archived")
PAGE = 100

# Payloads above a few kB lie beside their mark; this decoder leaves them there. One NUL byte is
# a value in every form that such a payload may have.
HEADINGS = Decoder(lambda _: b"\x00")


class SpaceUsageError(Exception):
    """The name is not that of a space, or the space lacks what is asked for."""


class Kept(NamedTuple):
    """A mark as a space keeps it.

    Attributes:
        sequence: Its place in the order of commits.
        state: One of `STATES`.
        superseded_by: Sequence of the mark that took its place; None if none did.
        mark: The mark.
    """

    sequence: int
    state: str
    superseded_by: int | None
    mark: AnyMark


@contextmanager
def open_space(where: str) -> Generator[MarkSpace]:
    """Open a space for reading only, while the context lasts.

    Args:
        where: Path of a SQLite file, or a PostgreSQL URL that names the space.

    Raises:
        SpaceUsageError: This names no space.
        PlaceError: The URL is malformed, holds a password or names no space.
        StoreError: It cannot be read.
    """
    is_url = where.startswith(places.SCHEMES)
    location = where if is_url else str(existing_file(where))
    with closing(places.open_store(location, space=None, read_only=True)) as store:
        yield MarkSpace(store=store)


def existing_file(where: str) -> Path:
    """Return the path of a file that is there; SpaceUsageError if it is not."""
    path = Path(where)
    if path.is_dir():
        raise SpaceUsageError(f"{where} is a folder; give the file of a space, such as space.db")
    if not path.exists():
        raise SpaceUsageError(
            f"{where} does not exist; give a run folder, the SQLite file of a space, "
            f"or {places.FORM}"
        )
    if not path.is_file():
        raise SpaceUsageError(f"{where} is no regular file, so it holds no space")
    return path


# -- what is in a space ---------------------------------------------------------------------


def check_scope(space: MarkSpace, scope: str | None) -> None:
    """Check that a space has a scope, or something above or below it; None is fine.

    Raises:
        SpaceUsageError: It has not.
    """
    names = [scope_row.name for scope_row in space.scopes()]
    if scope is None or any(scope_contains(a, scope) or scope_contains(scope, a) for a in names):
        return
    raise SpaceUsageError(f"no scope {scope!r} here; there are: {', '.join(names) or 'none'}")


def kept(space: MarkSpace, *, scope: str | None = None, after: int = 0) -> Iterator[Kept]:
    """Return the marks of a space in order, as far as it has come by now.

    Args:
        space: The space. Others may write to it at the same time.
        scope: Only this scope and all below it.
        after: Only sequences above this one.
    """
    while True:
        with space.store.snapshot() as reader:
            page = reader.scan(after, PAGE)
        if not page:
            return
        yield from opened(space, page, scope)
        after = page[-1].sequence


def kept_in(space: MarkSpace, reader: Reader, scope: str | None = None) -> Iterator[Kept]:
    """Return the marks of one committed state of a space, in order."""
    for page in pages(reader):
        yield from opened(space, page, scope)


def pages(reader: Reader) -> Iterator[list[StoredMark]]:
    """Return all rows of one committed state, in order."""
    after = 0
    while page := reader.scan(after, PAGE):
        yield page
        after = page[-1].sequence


def opened(space: MarkSpace, rows: list[StoredMark], scope: str | None) -> Iterator[Kept]:
    """Decode rows one by one, so that only one large payload is in memory at a time."""
    for row in rows:
        if scope is None or scope_contains(scope, decoded(HEADINGS, row).scope):
            mark = decoded(space.decoder, row)
            yield Kept(row.sequence, STATES[row.state], row.ended or None, mark)


def decoded(decoder: Decoder, row: StoredMark) -> AnyMark:
    """Return the mark in a row; StoreCorrupt that names the row if there is none."""
    try:
        return decoder.decode(row.body)
    except StoreCorrupt as error:
        advice = "hyperspace space verify says what else is damaged"
        raise StoreCorrupt(f"mark {row.sequence}: {error}; {advice}") from error


def size_bytes(store: Store, reader: Reader) -> int:
    """Return what a space takes on disk, indexes included."""
    if isinstance(store, SQLiteStore):
        files = (Path(f"{store.path}{suffix}") for suffix in ("", "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())
    tables = "relkind = 'r' AND relnamespace = current_schema()::regnamespace"
    query = f"SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE {tables}"  # noqa: S608 - constant
    return int(cast("Any", reader).connection.execute(query).fetchone()[0] or 0)
