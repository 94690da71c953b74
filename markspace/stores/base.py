"""The contract of a store: append a batch, read by index, keep leases and the audit chain.

A store knows bytes and indexes. Strength, visibility, rights and conflicts live above it and are
the same for all stores. Two rules carry everything:

* A `Transaction` excludes every other writer, in this process and in others, from its begin to its
  end, and sees the newest committed state. It becomes visible as a whole, or not at all.
* A `Reader` from `snapshot()` sees one committed state for as long as it is used. It never waits
  for a writer for longer than a commit takes, and no writer waits for it.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable
from uuid import UUID

import msgspec

T = TypeVar("T")
SCHEMA_VERSION = 1
SPACE_NAME = re.compile(r"[a-z0-9_]{1,40}")  # in a database, which has several

LIVE = 0
SUPERSEDED = 1
ARCHIVED = 2


class NewMark(msgspec.Struct, frozen=True):
    """A mark to append.

    Attributes:
        sequence: One more than that of the mark before it.
        id: Its name.
        where: Where it is filed: scope, type, key and agent of a `Filing`.
        target: Sequence of the mark that a warning weakens; 0 if none.
        body: The encoded mark.
    """

    sequence: int
    id: UUID
    where: tuple[str, str, str, bytes]
    target: int
    body: bytes


class StoredMark(msgspec.Struct, frozen=True, order=True, gc=False):
    """A mark as it lies in the store.

    Attributes:
        sequence: Its place in the order of commits.
        body: The encoded mark.
        state: LIVE, SUPERSEDED or ARCHIVED.
        ended: Sequence of the mark that superseded it; 0 if none did.
    """

    sequence: int
    body: bytes
    state: int
    ended: int


class Filing(NamedTuple):
    """Position of a mark in the indexes.

    Attributes:
        scope: Full path.
        mark_type: A `MarkType` value.
        key: What it is indexed by beside its type: "t:" and the topic, "r:" and the resource, or
            nothing.
        agent: The author's id, 16 bytes.
    """

    scope: str
    mark_type: str
    key: str
    agent: bytes


class Query(NamedTuple):
    """A selection of marks, in order of sequence.

    Attributes:
        scope: This scope and, unless `exact`, all below it.
        types: Only these mark types; empty is any.
        key: Only this index key; None is any.
        upto: None selects live marks. A sequence selects what was live right after it.
        exact: Whether to leave out the scopes below.
    """

    scope: str
    types: tuple[str, ...] = ()
    key: str | None = None
    upto: int | None = None
    exact: bool = False


class StoreHead(msgspec.Struct, frozen=True):
    """Position and clock of the store's end.

    Attributes:
        sequence: Of the last mark; 0 if there is none.
        entry: Number of the last audit entry; 0 if there is none.
        clock: Highest `created_at` so far; minus infinity if there is none.
        digest: Of the last audit entry; 32 zero bytes if there is none.
    """

    sequence: int
    entry: int
    clock: float
    digest: bytes


EMPTY_HEAD = StoreHead(0, 0, float("-inf"), bytes(32))


class StoredEntry(NamedTuple):
    """An audit entry as it lies in the store.

    Attributes:
        number: Its place, from 1.
        body: The entry, encoded.
        digest: Its hash, chained to the one before.
        sequence: Of the last mark after it; None where the store notes none beside an entry.
        clock: Highest `created_at` after it; None likewise.
    """

    number: int
    body: bytes
    digest: bytes
    sequence: int | None = None
    clock: float | None = None


class LeaseRow(NamedTuple):
    """A lease as it lies in the store. Released leases stay, so that tokens keep growing.

    Attributes:
        name: What is leased.
        token: Grows by one with each acquisition.
        holder: Who holds it; empty when it is free.
        info: JSON object about the holder.
        ttl_s: Seconds without heartbeat after which it may be taken over.
        heartbeat: Wall time of the last heartbeat.
    """

    name: str
    token: int
    holder: str
    info: str
    ttl_s: float
    heartbeat: float


class Reader(Protocol):
    """One committed state, or inside a transaction its own state."""

    def head(self) -> StoreHead:
        """Return where the store stands."""
        ...

    def get(self, mark_id: bytes) -> StoredMark | None:
        """Return a mark in whatever state, or None."""
        ...

    def filing(self, sequence: int) -> Filing:
        """Return where a mark is filed."""
        ...

    def select(self, query: Query) -> list[StoredMark]:
        """Return the marks that match, by index: O(log N + k)."""
        ...

    def scan(self, after: int, limit: int) -> list[StoredMark]:
        """Return up to `limit` marks of any state above sequence `after`, in order."""
        ...

    def warnings(self, targets: Sequence[int], upto: int | None = None) -> list[StoredMark]:
        """Return live warnings against marks by sequence, or those live right after `upto`."""
        ...

    def targets(self) -> dict[int, int]:
        """Return the sequence of every mark that weakens another, in any state, and of that one."""
        ...

    def live_count(self, agent: bytes) -> int:
        """Return how many live marks an agent has."""
        ...

    def entries(self, after: int, limit: int) -> list[StoredEntry]:
        """Return up to `limit` audit entries above number `after`, in order."""
        ...

    def digests(self, after: bytes, limit: int) -> list[bytes]:
        """Return up to `limit` SHA-256 above `after` under which data is kept, in order."""
        ...

    def scope(self, name: str) -> bytes | None:
        """Return a registered scope, encoded, or None."""
        ...

    def scopes(self) -> dict[str, bytes]:
        """Return the registered scopes, encoded, by name."""
        ...

    def lease(self, name: str) -> LeaseRow | None:
        """Return a lease, free or held, or None if it never was."""
        ...

    def leases(self, prefix: str) -> list[LeaseRow]:
        """Return the leases whose names begin with `prefix`, by name."""
        ...


@runtime_checkable
class Clocked(Protocol):
    """A reader or transaction with a wall clock that all machines share."""

    def wall_time(self) -> float:
        """Return the time of the server, in seconds since 1970."""
        ...


class Transaction(Reader, Protocol):
    """Exclusive write access. Nothing is visible before it ends."""

    def append(self, mark: NewMark) -> None:
        """Add a mark."""
        ...

    def supersede(self, sequence: int, by: int) -> None:
        """Take a mark out of reads because the one with sequence `by` replaces it."""
        ...

    def archive(self, sequences: Sequence[int]) -> None:
        """Take marks out of reads for good; `get` and `scan` still find them."""
        ...

    def put_blob(self, digest: bytes, data: bytes) -> None:
        """Keep data under its SHA-256, once."""
        ...

    def add_entry(self, body: bytes, head: StoreHead) -> None:
        """Add an audit entry, and note where the store stands after it."""
        ...

    def put_scope(self, name: str, body: bytes) -> None:
        """Add or replace a scope."""
        ...

    def put_lease(self, lease: LeaseRow) -> None:
        """Add or replace a lease."""
        ...

    def drop_lease(self, name: str) -> None:
        """Forget a lease and its token, if there is one."""
        ...


class Store(Protocol):
    """A store of marks. All methods are safe between threads.

    Every method may raise a `StoreError`; after one the store is as it was before the call.

    Attributes:
        read_only: Whether it was opened without the right to write.
    """

    @property
    def read_only(self) -> bool:
        """True if it was opened without the right to write."""
        ...

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin to write. An exception inside takes everything back."""
        ...

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Do `work` in a transaction and return what it returns, after the commit.

        A store may commit the work of several threads together, and do it in any of these
        threads; what `work` raises takes back that work alone.
        """
        ...

    def snapshot(self) -> AbstractContextManager[Reader]:
        """Begin to read one committed state."""
        ...

    def blob(self, digest: bytes) -> bytes:
        """Return data by its SHA-256; StoreCorrupt if it is not there or was changed."""
        ...

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait until there is a mark above sequence `after`; False if the time is over."""
        ...

    def close(self) -> None:
        """Let go of everything. Closing twice is fine."""
        ...
