"""Opening any mark space for reading: a SQLite file, or a space in a PostgreSQL database.

What cannot be opened raises `SpaceUsageError` when the name is wrong, and a
`markspace.errors.StoreError` when what it names is.
"""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import SplitResult, unquote, urlsplit

from markspace import AnyMark, MarkSpace, scope_contains
from markspace.codec import Decoder
from markspace.errors import StoreCorrupt
from markspace.stores.base import Reader, Store, StoredMark
from markspace.stores.sqlite import SQLiteStore

SCHEMES = ("postgresql://", "postgres://")
FORM = "postgresql://host/database?space=NAME"
HOST_AND_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(:\d*)?")
SECRETS = ("password", "sslpassword")
STATES = ("live", "superseded", "archived")
PAGE = 100

# Payloads above a few kB lie beside their mark; this decoder leaves them there. One NUL byte is
# a value in every form that such a payload may have.
HEADINGS = Decoder(lambda _: b"\x00")


class SpaceUsageError(Exception):
    """What the command names is no space, or has not what the command asks for."""


class Address(NamedTuple):
    """Where a space in PostgreSQL is: the database, and the name of the space."""

    dsn: str
    space: str


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
        StoreError: It cannot be read.
    """
    store = open_store(where)
    try:
        yield MarkSpace(store=store)
    finally:
        store.close()


def open_store(where: str) -> Store:
    """Open the store of a space for reading only."""
    if not where.startswith(SCHEMES):
        return SQLiteStore(existing_file(where), read_only=True)
    address = address_of(where)
    try:
        from markspace.stores.postgres import PostgresStore
    except ImportError as error:
        raise SpaceUsageError(
            "a PostgreSQL URL needs psycopg; install it with: pip install 'hyperspace[postgres]'"
        ) from error
    return PostgresStore(address.dsn, address.space, read_only=True)


def existing_file(where: str) -> Path:
    """Return the path of a file that is there; SpaceUsageError if it is not."""
    path = Path(where)
    if path.is_dir():
        raise SpaceUsageError(f"{where} is a folder; give the file of a space, such as space.db")
    if not path.exists():
        raise SpaceUsageError(
            f"{where} does not exist; give a run folder, the SQLite file of a space, or {FORM}"
        )
    if not path.is_file():
        raise SpaceUsageError(f"{where} is no regular file, so it holds no space")
    return path


def address_of(url: str) -> Address:
    """Take a URL apart. What is wrong with it is said without quoting it: it may hold secrets.

    Raises:
        SpaceUsageError: It is not of the form that `FORM` shows, or holds a password.
    """
    parts = split(url)
    options = [option for option in parts.query.split("&") if option]
    keys = [option.partition("=")[0] for option in options]
    if parts.password is not None or any(key in SECRETS for key in keys):
        raise SpaceUsageError(
            "a password on the command line is seen by everybody on this machine; "
            "put it into PGPASSWORD, ~/.pgpass or a service file"
        )
    names = [option[len("space=") :] for option in options if option.startswith("space=")]
    if len(names) != 1:
        raise SpaceUsageError(f"the URL must name one space: {FORM}")
    rest = "&".join(option for option in options if not option.startswith("space="))
    dsn = f"postgresql://{parts.netloc}{parts.path}" + (f"?{rest}" if rest else "")
    return Address(dsn, unquote(names[0]))


def split(url: str) -> SplitResult:
    """Split a URL and check what libpq would quote in its messages."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise SpaceUsageError(f"this is no URL of the form {FORM}") from None
    hosts = parts.netloc.rpartition("@")[2].split(",")
    options = [option for option in parts.query.split("&") if option]
    is_plain = not parts.fragment and "@" not in parts.path
    if not (
        is_plain and all(map(HOST_AND_PORT.fullmatch, hosts)) and all("=" in o for o in options)
    ):
        raise SpaceUsageError(f"this is no URL of the form {FORM}; write special characters as %XX")
    return parts


# -- what is in a space ---------------------------------------------------------------------


def check_scope(space: MarkSpace, scope: str | None) -> None:
    """Check that a space has a scope, or something above or below it; None is fine.

    Raises:
        SpaceUsageError: It has not.
    """
    known = [found.name for found in space.scopes()]
    if scope is None or any(scope_contains(a, scope) or scope_contains(scope, a) for a in known):
        return
    raise SpaceUsageError(f"no scope {scope!r} here; there are: {', '.join(known) or 'none'}")


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
