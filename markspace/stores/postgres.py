"""A store for many machines: one space in one schema of a PostgreSQL database.

Needs psycopg 3 (the extra `postgres`). Writers exclude each other by an advisory lock
that ends with the transaction or with the connection; watchers are told by NOTIFY.
"""

import re
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, Literal, LiteralString

import psycopg
from psycopg import errors
from psycopg import sql as names

from markspace.errors import (
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreMissing,
    StoreReadOnly,
    StoreUnavailable,
)
from markspace.stores.sql import AGENT_INDEX, POSTGRES, create_statements
from markspace.stores.sql_reader import SQLReader, SQLTransaction
from markspace.stores.sql_store import SCHEMA_QUERY, SQLStore

CONNECT_TIMEOUT_S = 10
NAME = re.compile(r"[a-z0-9_]{1,40}")
EXISTS = (
    "SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
    "WHERE relname = 'meta' AND nspname = %s"
)
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"

Link = psycopg.Connection[tuple[Any, ...]]
Query = LiteralString | names.Composed


class PostgresStore(SQLStore[Any]):
    """A space in a PostgreSQL database. Share it between threads.

    Args:
        dsn: Where the database is, as a URL or "key=value" pairs. Credentials are better kept
            in PGPASSWORD or a service file.
        space: Name of the space: small letters, digits and underscores. It is made if missing.
        synchronous: NORMAL may lose the last moments with the server's power, FULL nothing.
        timeout_s: Seconds to wait for another writer before StoreLocked.
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
        if not NAME.fullmatch(space):
            raise StoreMissing(f"space {space!r}: use up to 40 of a-z, 0-9 and underscores")
        super().__init__(f"space {space!r}", timeout_s=timeout_s, read_only=read_only)
        self._dsn = dsn
        self._schema = f"space_{space}"
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
            link = psycopg.connect(self._dsn, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S)
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
                if link.broken or link.closed:
                    link.close()
                else:
                    if link.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                        link.rollback()
                    self._give_back(link)

    def _take(self, first: Query) -> Link:
        """Take a connection. One that the server has dropped meanwhile shows at `first`."""
        while (link := self._idle_one()) is not None:
            with suppress(psycopg.OperationalError, psycopg.InterfaceError):
                link.execute(first)
                return link
            link.close()
        link = self._connect()
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
            link.execute(LOCK, (self._schema,))
            if self._exists(link):
                return
            link.execute(names.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
            for statement in (*create_statements(POSTGRES), AGENT_INDEX):
                link.execute(statement)  # pyright: ignore[reportArgumentType, reportCallIssue]

    # -- the contract -----------------------------------------------------------------------

    @contextmanager
    def _begun(self) -> Generator[SQLTransaction[Any]]:
        with self._linked("BEGIN") as link:
            link.execute(LOCK, (self._schema,))
            tx = SQLTransaction[Any](link, "format")
            yield tx
            tx.flush()
            link.execute("SELECT pg_notify(%s, '')", (self._schema,))
            link.execute("COMMIT")

    @contextmanager
    def snapshot(self) -> Generator[SQLReader[Any]]:
        """Begin to read one committed state."""
        with self._linked("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as link:
            yield SQLReader[Any](link, "format")

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
