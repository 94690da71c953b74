"""A store for many machines: one space in one schema of a PostgreSQL database.

Needs psycopg 3 (the extra `postgres`). Writers exclude each other by an advisory lock
that ends with the transaction or with the connection; watchers are told by NOTIFY.
"""
# ruff: noqa: S608 - only our own names of tables are put into statements, never values

import re
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, LiteralString

import psycopg
from psycopg import errors
from psycopg import sql as names
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from markspace.errors import (
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreMissing,
    StoreReadOnly,
    StoreUnavailable,
)
from markspace.stores.base import SPACE_NAME, NewMark
from markspace.stores.sql import AGENT_INDEX, POSTGRES, create_statements
from markspace.stores.sql_reader import SQLReader, SQLTransaction
from markspace.stores.sql_store import SCHEMA_QUERY, SQLStore
from markspace.stores.sqlite import SQLiteStore

EXISTS = (
    "SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
    "WHERE relname = 'meta' AND nspname = %s"
)
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended({}, 0))"
WALL = "SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)"
# A process that stands still inside a transaction keeps everybody else out: the server ends it.
IDLE = "SET LOCAL idle_in_transaction_session_timeout TO {}"
# A machine that is gone says nothing; without these one waits for it for hours.
KEEPALIVE: dict[str, Any] = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}

COPIED = {
    "meta": "name, value",
    "marks": "sequence, id, scope, type, key, agent, target, state, ended, body",
    "blobs": "digest, data",
    "audit": "number, sequence, clock, body, digest",
    "scopes": "name, body",
}

Link = psycopg.Connection[tuple[Any, ...]]
Query = LiteralString | names.Composed


class PostgresReader(SQLReader[Any]):
    """Reads through one connection."""

    def wall_time(self) -> float:
        """Return the time of the server, in seconds since 1970."""
        return self._one(WALL)[0]


class PostgresTransaction(SQLTransaction[Any]):
    """Writes through one connection, and knows whether watchers have to hear of it."""

    has_grown = False

    def wall_time(self) -> float:
        """Return the time of the server, in seconds since 1970."""
        return self._one(WALL)[0]

    def append(self, mark: NewMark) -> None:
        """Add a mark."""
        self.has_grown = True
        super().append(mark)


class PostgresStore(SQLStore[Any]):
    """A space in a PostgreSQL database. Share it between threads.

    Args:
        dsn: Where the database is, as a URL or "key=value" pairs. Credentials are better kept
            in PGPASSWORD or a service file.
        space: Name of the space: small letters, digits and underscores. It is made if missing.
        synchronous: NORMAL may lose the last moments with the server's power, FULL nothing.
        timeout_s: Seconds to wait for another writer before StoreLocked. One that stands still
            inside a transaction for half of that loses it.
        read_only: Never write.

    Raises:
        StoreError: The database cannot be used; see `markspace.errors` for which and why.
    """

    def __init__(
        self,
        dsn: str,
        space: str = "default",
        *,
        synchronous: Literal["NORMAL", "FULL"] = "FULL",
        timeout_s: float = 10.0,
        read_only: bool = False,
    ) -> None:
        if not SPACE_NAME.fullmatch(space):
            raise StoreMissing(f"space {space!r}: use up to 40 of a-z, 0-9 and underscores")
        super().__init__(f"space {space!r}", timeout_s=timeout_s, read_only=read_only)
        self._dsn = dsn
        self._schema = f"space_{space}"
        # Nobody who waits gives up on one that stands still.
        idle, schema = names.Literal(int(timeout_s * 1000 / 2)), names.Literal(self._schema)
        self._begin = names.SQL(f"BEGIN; {IDLE}; {LOCK}").format(idle, schema)
        self._notify = names.SQL("NOTIFY {}").format(names.Identifier(self._schema))
        self._synchronous = synchronous
        try:
            with self._linked("SELECT 1") as link:
                if not self._exists(link):
                    if self.read_only:
                        raise StoreMissing(f"{self._name} does not exist; check its name")
                    self._create(link)
                row = link.execute(SCHEMA_QUERY).fetchone()
            self._check_version(row)
        except BaseException:
            self.close()
            raise

    # -- connections ------------------------------------------------------------------------

    def _connect(self) -> Link:
        with translated(self._name):
            settings: dict[str, Any] = KEEPALIVE | conninfo_to_dict(self._dsn)
            link = psycopg.connect(make_conninfo("", **settings), autocommit=True)
            with _closed_on_failure(link):
                schema = names.Identifier(self._schema)
                link.execute(names.SQL("SET search_path TO {}").format(schema))
                limit = names.Literal(int(self._timeout_s * 1000))
                link.execute(names.SQL("SET lock_timeout TO {}").format(limit))
                if self._synchronous == "NORMAL":
                    link.execute("SET synchronous_commit TO off")
            return link

    @contextmanager
    def _linked(self, first: Query) -> Generator[Link]:
        """Borrow a connection that has done `first`; one that broke is not given back."""
        self._check_open()
        with translated(self._name):
            link = self._take(first)
            try:
                yield link
            finally:
                if not link.closed:
                    with _closed_on_failure(link):
                        if link.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                            link.rollback()
                    self._give_back(link)

    def _take(self, first: Query) -> Link:
        """Take a connection. One that the server has dropped meanwhile shows at `first`."""
        while (link := self._idle_one()) is not None:
            with (
                suppress(psycopg.OperationalError, psycopg.InterfaceError),
                _closed_on_failure(link),
            ):
                link.execute(first)
                return link
        link = self._connect()
        with _closed_on_failure(link):
            link.execute(first)
        return link

    # -- the schema -------------------------------------------------------------------------

    def _exists(self, link: Link) -> bool:
        # Not to_regclass: a connection remembers its answer from before somebody else's commit.
        row = link.execute(EXISTS, (self._schema,)).fetchone()
        return row is not None

    def _create(self, link: Link) -> None:
        schema = names.Identifier(self._schema)
        with link.transaction():
            link.execute(names.SQL(LOCK).format(names.Literal(self._schema)))
            if self._exists(link):
                return
            link.execute(names.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
            for statement in (*create_statements(POSTGRES), AGENT_INDEX):
                link.execute(statement)  # pyright: ignore[reportArgumentType, reportCallIssue]

    # -- the contract -----------------------------------------------------------------------

    @contextmanager
    def _begun(self) -> Generator[SQLTransaction[Any]]:
        # Others wait while this one holds the lock: what it sends goes together where it can.
        with self._linked(self._begin) as link:
            tx = PostgresTransaction(link, "format")
            yield tx
            with link.pipeline():
                tx.flush()
                if tx.has_grown:
                    link.execute(self._notify)
                link.execute("COMMIT")

    @contextmanager
    def snapshot(self) -> Generator[SQLReader[Any]]:
        """Begin to read one committed state."""
        with self._linked("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as link:
            yield PostgresReader(link, "format")

    def copy_to(self, path: Path) -> None:
        """Write one committed state into a new SQLite file, without leases."""
        SQLiteStore(path).close()
        with self.snapshot() as reader, closing(sqlite3.connect(path)) as copy:
            for table, columns in COPIED.items():
                rows = reader.connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1")
                marks = ", ".join("?" * len(columns.split(",")))
                copy.execute(f"DELETE FROM {table}")  # what a new space holds
                copy.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
            copy.execute("PRAGMA journal_mode = DELETE")
            copy.commit()
            copy.execute("VACUUM")

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait until there is a mark above sequence `after`; False if the time is over."""
        deadline = time.monotonic() + timeout_s
        listen = names.SQL("LISTEN {}").format(names.Identifier(self._schema))
        with self._linked(listen) as link:
            try:
                while SQLReader[Any](link, "format").head().sequence <= after:
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return False
                    for _ in link.notifies(timeout=left, stop_after=1):
                        pass
                return True
            finally:
                if not link.broken:
                    link.execute("UNLISTEN *")


@contextmanager
def translated(where: str) -> Generator[None]:
    """Raise psycopg's errors inside as a `StoreError` about `where`."""
    try:
        yield
    except psycopg.Error as error:
        raise typed(error, where) from error


@contextmanager
def _closed_on_failure(link: Link) -> Generator[None]:
    """End a connection that what is done with it here fails on: nobody else holds it."""
    try:
        yield
    except BaseException:
        link.close()
        raise


# What the server itself says begins with a word for how grave it is, in its language, and two
# blanks; the rest is libpq's.
_AT_CONNECTING: Final = re.compile(
    r'connection (?:failed|is bad): (?:connection to server [^"]*"[^"]*"[^"]*? failed: )?'
    r'(?P<severity>[^":]+:  )?(?P<text>.*)'
)
_NAMES: Final = re.compile(r'".*"')
_REFUSED: Final = ("28", "3D000", "53300", "57P03")  # how its SQLSTATE begins
# What helps, by the SQLSTATE or by English words: libpq hands on no SQLSTATE of a connection that
# was refused.
_REFUSALS: Final = {
    "does not exist|3D000": "make it (createdb, createuser), or name another one",
    "password|28P01": "say it in PGPASSWORD or in ~/.pgpass",
    "too many|connection slots|53300": "end other connections, or allow more (max_connections)",
    "pg_hba.conf": "let this user in there (pg_hba.conf), or name another one",
    "database system is|57P03": "wait until it lets in again",
}
_ELSE: Final = "look there what keeps it from that, or ask who runs it"
_NOT_SECURED: Final = re.compile("certificate|private key|not support SSL")


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
    if isinstance(error, errors.IdleInTransactionSessionTimeout):
        return StoreUnavailable(
            f"{where}: this process stood still inside a transaction, and the server took that "
            "back for the others; nothing of it was written"
        )
    if (advice := _advice(error, said)) is not None:
        return StoreUnavailable(f"{where}: {advice}")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StoreUnavailable(
            f"{where}: the server does not answer ({said}); start it or check the address. "
            "Whether a commit in flight was made is not known: read before writing again"
        )
    return StoreError(f"{where}: {said}")


def _advice(error: psycopg.Error, said: str) -> str | None:
    """Return what is wrong and what helps where the server is there; None where it may not be."""
    match = _AT_CONNECTING.match(said)
    text = _NAMES.sub("", match["text"] if match else said)  # those of people hold any word
    needs_password = error.pgconn is not None and error.pgconn.needs_password
    by_server = (error.sqlstate or "").startswith(_REFUSED) or (match and match["severity"])
    if by_server or needs_password:
        told = f"{error.sqlstate} {text}"
        helps = (advice for words, advice in _REFUSALS.items() if re.search(words, told))
        return f"the server lets nobody in ({said}); {next(helps, _ELSE)}"
    if match and _NOT_SECURED.search(text):
        return (
            f"the connection cannot be secured as the address asks ({said}); put that right "
            "(sslrootcert, sslcert, sslkey), or name another sslmode"
        )
    return None
