"""Reads and writes of an SQL store through one connection."""

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from markspace.core.enums import MarkType
from markspace.stores import sql
from markspace.stores.base import (
    EMPTY_HEAD,
    Filing,
    LeaseRow,
    NewMark,
    Query,
    StoredEntry,
    StoredMark,
    StoreHead,
)

ALL_TYPES = tuple(kind.value for kind in MarkType)
MAX_TARGETS = 500


class Cursor(Protocol):
    """The result of a statement."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        ...

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the other rows."""
        ...


class ManyCursor(Protocol):
    """A cursor that runs a statement many times."""

    def executemany(self, statement: str, rows: Any, /) -> object:
        """Run a statement once for each row."""
        ...


class SQLConnection(Protocol):
    """The common part of SQLite's and psycopg's connections."""

    def execute(self, statement: str, values: Any = ..., /) -> Cursor:
        """Run a statement."""
        ...

    def cursor(self) -> ManyCursor:
        """Return a cursor."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


C = TypeVar("C", bound=SQLConnection)


class SQLReader(Generic[C]):
    """Reads through one connection. The store decides in which transaction.

    Args:
        connection: The connection.
        style: How it writes placeholders.
    """

    def __init__(self, connection: C, style: sql.Style) -> None:
        self.connection = connection
        self._style: sql.Style = style

    def _run(self, statement: str, values: Any = ()) -> Cursor:
        return self.connection.execute(sql.placed(statement, self._style), values)

    def _one(self, statement: str, *values: object) -> Any:
        return self._run(statement, values).fetchone()

    def _all(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return self._run(statement, values).fetchall()

    def head(self) -> StoreHead:
        """Return where the store stands."""
        row = self._one(sql.HEAD)
        return EMPTY_HEAD if row is None else StoreHead(*row)

    def get(self, mark_id: bytes) -> StoredMark | None:
        """Return a mark in whatever state, or None."""
        row = self._one(sql.GET, mark_id)
        return None if row is None else StoredMark(*row)

    def filing(self, sequence: int) -> Filing:
        """Return where a mark is filed."""
        return Filing(*self._one(sql.FILING, sequence))

    def select(self, query: Query) -> list[StoredMark]:
        """Return the marks that match, by index."""
        by, values = ("type", query.types or ALL_TYPES)
        if query.key is not None:
            by, values = "key", (query.key,)
        low, high = query.scope + "/", query.scope + chr(ord("/") + 1)  # all names below it
        filters = {"scope": query.scope, "low": low, "high": high, "upto": query.upto}
        statement = sql.SELECT[by, query.upto is None, query.exact]
        rows = [
            row
            for value in values
            for row in self._run(statement, {"by": value, **filters}).fetchall()
        ]
        if query.key is not None and query.types:
            rows = [row for row in rows if row[4] in query.types]
        rows.sort()
        return [StoredMark(*row[:4]) for row in rows]

    def scan(self, after: int, limit: int) -> list[StoredMark]:
        """Return up to `limit` marks of any state above sequence `after`, in order."""
        return [StoredMark(*row) for row in self._all(sql.SCAN, after, limit)]

    def warnings(self, targets: Sequence[int], upto: int | None = None) -> list[StoredMark]:
        """Return live warnings against marks by sequence, or those live right after `upto`."""
        when = () if upto is None else (upto, upto)
        marks: list[StoredMark] = []
        for start in range(0, len(targets), MAX_TARGETS):
            some = targets[start : start + MAX_TARGETS]
            statement = sql.warnings(len(some), alive=upto is None)
            rows = self._all(statement, *some, *when)
            marks.extend(StoredMark(*row) for row in rows)
        return marks

    def targets(self) -> dict[int, int]:
        """Return the sequence of every mark that weakens another, in any state, and of that one."""
        return dict(self._all(sql.TARGETS))

    def live_count(self, agent: bytes) -> int:
        """Return how many live marks an agent has."""
        return self._one(sql.LIVE_COUNT, agent)[0]

    def entries(self, after: int, limit: int) -> list[StoredEntry]:
        """Return up to `limit` audit entries above number `after`, in order."""
        return [StoredEntry(*row) for row in self._all(sql.ENTRIES, after, limit)]

    def digests(self, after: bytes, limit: int) -> list[bytes]:
        """Return up to `limit` SHA-256 above `after` under which data is kept, in order."""
        return [row[0] for row in self._all(sql.DIGESTS, after, limit)]

    def scope(self, name: str) -> bytes | None:
        """Return a registered scope, encoded, or None."""
        row = self._one(sql.SCOPE, name)
        return None if row is None else row[0]

    def scopes(self) -> dict[str, bytes]:
        """Return the registered scopes, encoded, by name."""
        return dict(self._all(sql.SCOPES))

    def lease(self, name: str) -> LeaseRow | None:
        """Return a lease, free or held, or None if it never was."""
        row = self._one(sql.LEASE, name)
        return None if row is None else LeaseRow(*row)

    def leases(self, prefix: str) -> list[LeaseRow]:
        """Return the leases whose names begin with `prefix`, by name."""
        rows = self._all(sql.LEASES, prefix, prefix + "\U0010ffff")
        return [LeaseRow(*row) for row in rows]

    def blob(self, digest: bytes) -> bytes | None:
        """Return data by its SHA-256, or None."""
        row = self._one(sql.BLOB, digest)
        return None if row is None else row[0]


class SQLTransaction(SQLReader[C]):
    """Writes through one connection, inside the transaction that the store began.

    New marks and entries are collected and go to the database together: before anything else is
    asked of it, and by `flush` before the commit.
    """

    def __init__(self, connection: C, style: sql.Style) -> None:
        super().__init__(connection, style)
        self.begin()

    def begin(self) -> None:
        """Know nothing yet: a transaction begins."""
        self._head: StoreHead | None = None
        self._marks: list[tuple[Any, ...]] = []
        self._entries: list[tuple[Any, ...]] = []

    def flush(self) -> None:
        """Hand what was collected to the database."""
        marks, entries = self._marks, self._entries
        self._marks, self._entries = [], []
        self._run_many(sql.APPEND, marks)
        self._run_many(sql.ADD_ENTRY, entries)

    def _run_many(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        if len(rows) == 1:
            super()._run(statement, rows[0])
        elif rows:
            self.connection.cursor().executemany(sql.placed(statement, self._style), rows)

    def _run(self, statement: str, values: Any = ()) -> Cursor:
        if self._marks or self._entries:
            self.flush()
        return super()._run(statement, values)

    def head(self) -> StoreHead:
        """Return where the store stands."""
        if self._head is None:
            self._head = super().head()
        return self._head

    def append(self, mark: NewMark) -> None:
        """Add a mark."""
        self._marks.append((mark.sequence, mark.id.bytes, *mark.where, mark.target, mark.body))

    def supersede(self, sequence: int, by: int) -> None:
        """Take a mark out of reads because the one with sequence `by` replaces it."""
        self._run(sql.SUPERSEDE, (by, sequence))

    def archive(self, sequences: Sequence[int]) -> None:
        """Take marks out of reads for good; `get` and `scan` still find them."""
        for sequence in sequences:
            self._run(sql.ARCHIVE, (sequence,))

    def put_blob(self, digest: bytes, data: bytes) -> None:
        """Keep data under its SHA-256, once."""
        self._run(sql.PUT_BLOB, (digest, data))

    def add_entry(self, body: bytes, head: StoreHead) -> None:
        """Add an audit entry, and note where the store stands after it."""
        self._entries.append((head.entry, body, head.digest, head.sequence, head.clock))
        self._head = head

    def put_scope(self, name: str, body: bytes) -> None:
        """Add or replace a scope."""
        self._run(sql.PUT_SCOPE, (name, body))

    def put_lease(self, lease: LeaseRow) -> None:
        """Add or replace a lease."""
        self._run(sql.PUT_LEASE, lease)

    def drop_lease(self, name: str) -> None:
        """Forget a lease and its token, if there is one."""
        self._run(sql.DROP_LEASE, (name,))
