"""The store of a bare space: everything in this process's memory, lost when it ends."""

from array import array
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from heapq import merge
from threading import Condition, RLock
from typing import Any

from markspace.core.enums import MarkType
from markspace.core.scopes import ancestors
from markspace.errors import StoreCorrupt, StoreError
from markspace.stores.base import (
    ARCHIVED,
    EMPTY_HEAD,
    LIVE,
    SUPERSEDED,
    Filing,
    Head,
    LeaseRow,
    NewMark,
    Query,
    StoredEntry,
    StoredMark,
)

ALL_TYPES = tuple(kind.value for kind in MarkType)
SMALLEST_COMPACTION = 16
DIGEST_BYTES = 32

Shape = tuple[str, str, str, bytes]


class Postings:
    """Sequences of marks that share an index key, in order; the gone ones set aside."""

    __slots__ = ("dead", "gone", "here")

    def __init__(self) -> None:
        self.here = array("q")
        self.gone: array[int] | None = None
        self.dead = 0

    def note_gone(self, states: bytearray) -> None:
        """Count a mark that is live no more; sort out once most are."""
        self.dead += 1
        if self.dead > SMALLEST_COMPACTION and self.dead * 2 > len(self.here):
            gone = [s for s in self.here if states[s - 1] != LIVE]
            self.here = array("q", (s for s in self.here if states[s - 1] == LIVE))
            self.gone = array("q", merge(self.gone or (), gone))
            self.dead = 0

    def ever(self) -> Iterable[int]:
        """Return all sequences, gone ones included, in order."""
        return self.here if self.gone is None else merge(self.gone, self.here)


class Exclusively:
    """The context of a transaction."""

    __slots__ = ("_store",)

    def __init__(self, store: "MemoryStore") -> None:
        self._store = store

    def __enter__(self) -> "MemoryStore":
        self._store.begin()
        return self._store

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._store.end(failed=kind is not None)


class MemoryStore:
    """Marks as encoded bytes with indexes by id, key and type. Safe between threads.

    Encoded marks make every read a fresh copy and take a third of what live records take.
    """

    read_only = False

    def __init__(self) -> None:
        self._lock = RLock()
        self._grown = Condition(self._lock)
        self._undo: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        self._head = EMPTY_HEAD
        self._is_writing = False
        self._began_at = EMPTY_HEAD
        self._exclusively = Exclusively(self)
        self._bodies: list[bytes] = []
        self._states = bytearray()
        self._filings: list[Shape] = []
        self._shapes: dict[Shape, Shape] = {}
        self._ended: dict[int, int] = {}
        self._ids: dict[bytes, int] = {}
        self._postings: dict[tuple[str, str], Postings] = {}
        self._targets: dict[int, list[int]] = {}
        self._live: dict[bytes, int] = {}
        self._blobs: dict[bytes, bytes] = {}
        self._entries: list[bytes] = []
        self._scopes: dict[str, bytes] = {}
        self._leases: dict[str, LeaseRow] = {}

    def transaction(self) -> "Exclusively":
        """Begin to write. An exception inside takes everything back."""
        return self._exclusively

    def begin(self) -> None:
        """Take the lock for a transaction; StoreError if this thread has one open."""
        self._lock.acquire()
        if self._is_writing:
            self._lock.release()
            raise StoreError("a transaction is open in this thread; end it first")
        self._began_at, self._is_writing = self._head, True

    def end(self, *, failed: bool) -> None:
        """Keep or take back what was done, and let go of the lock."""
        try:
            if failed:
                self._take_back(self._began_at)
        finally:
            self._undo.clear()
            self._is_writing = False
            self._grown.notify_all()
            self._lock.release()

    def _take_back(self, head: Head) -> None:
        for undo, arguments in reversed(self._undo):
            undo(*arguments)
        self._undo.clear()
        self._head = head

    @contextmanager
    def snapshot(self) -> Generator["MemoryStore"]:
        """Begin to read one state; writers wait until it is left."""
        with self._lock:
            yield self

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait until there is a mark above sequence `after`; False if the time is over."""
        with self._lock:
            return self._grown.wait_for(lambda: self._head.sequence > after, timeout_s)

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    # -- reading ----------------------------------------------------------------------------

    def head(self) -> Head:
        """Return where the store stands."""
        return self._head

    def get(self, mark_id: bytes) -> StoredMark | None:
        """Return a mark in whatever state, or None."""
        with self._lock:
            sequence = self._ids.get(mark_id)
            return None if sequence is None else self._stored(sequence)

    def _stored(self, sequence: int) -> StoredMark:
        at = sequence - 1
        ended = self._ended.get(sequence, 0)
        return StoredMark(sequence, self._bodies[at], self._states[at], ended)

    def filing(self, sequence: int) -> Filing:
        """Return where a mark is filed."""
        return Filing(*self._filings[sequence - 1])

    def select(self, query: Query) -> list[StoredMark]:
        """Return the marks that match, by index."""
        with self._lock:
            return [self._stored(s) for s in self._candidates(query) if self._wanted(s, query)]

    def _candidates(self, query: Query) -> Iterable[int]:
        keys = (query.key,) if query.key is not None else query.types or ALL_TYPES
        found = [self._postings.get((key, query.scope)) for key in keys]
        if query.upto is None:
            lists: list[Iterable[int]] = [p.here for p in found if p is not None]
        else:
            lists = [p.ever() for p in found if p is not None]
        return lists[0] if len(lists) == 1 else merge(*lists)

    def _wanted(self, sequence: int, query: Query) -> bool:
        scope, mark_type, _, _ = self._filings[sequence - 1]
        if query.types and mark_type not in query.types:
            return False
        if query.exact and scope != query.scope:
            return False
        return self._visible(sequence, query.upto)

    def _visible(self, sequence: int, upto: int | None) -> bool:
        if upto is None:
            return self._states[sequence - 1] == LIVE
        ended = self._ended.get(sequence, 0)
        return sequence <= upto and (ended == 0 or ended > upto)

    def scan(self, after: int, limit: int) -> list[StoredMark]:
        """Return up to `limit` marks of any state above sequence `after`, in order."""
        with self._lock:
            last = min(after + limit, len(self._bodies))
            return [self._stored(s) for s in range(after + 1, last + 1)]

    def warnings(self, targets: Sequence[int], upto: int | None = None) -> list[StoredMark]:
        """Return live warnings against marks by sequence, or those live right after `upto`."""
        if not self._targets:
            return []
        with self._lock:
            found = (s for t in targets for s in self._targets.get(t, ()))
            return [self._stored(s) for s in found if self._visible(s, upto)]

    def live_count(self, agent: bytes) -> int:
        """Return how many live marks an agent has."""
        return self._live.get(agent, 0)

    def entries(self, after: int, limit: int) -> list[StoredEntry]:
        """Return up to `limit` audit entries above number `after`, in order."""
        page = self._entries[after : after + limit]
        return [opened(number, entry) for number, entry in enumerate(page, after + 1)]

    def scopes(self) -> dict[str, bytes]:
        """Return the registered scopes, encoded, by name."""
        return dict(self._scopes)

    def lease(self, name: str) -> LeaseRow | None:
        """Return a lease, free or held, or None if it never was."""
        return self._leases.get(name)

    def leases(self, prefix: str) -> list[LeaseRow]:
        """Return the leases whose names begin with `prefix`, by name."""
        with self._lock:
            names = sorted(name for name in self._leases if name.startswith(prefix))
            return [self._leases[name] for name in names]

    def blob(self, digest: bytes) -> bytes:
        """Return data by its SHA-256; StoreCorrupt if it is not there."""
        try:
            return self._blobs[digest]
        except KeyError:
            raise StoreCorrupt(f"blob {digest.hex()} is missing") from None

    # -- writing, inside a transaction ------------------------------------------------------

    def append(self, mark: NewMark) -> None:
        """Add a mark."""
        self._undo.append((self._remove_last, (mark,)))
        self._bodies.append(mark.body)
        self._states.append(LIVE)
        filing = mark[2:6]
        self._filings.append(self._shapes.setdefault(filing, filing))
        self._ids[mark.id] = mark.sequence
        for postings in self._postings_of(mark.scope, mark.mark_type, mark.key):
            postings.here.append(mark.sequence)
        if mark.target:
            self._targets.setdefault(mark.target, []).append(mark.sequence)
        self._live[mark.agent] = self._live.get(mark.agent, 0) + 1

    def _remove_last(self, mark: NewMark) -> None:
        for postings in self._postings_of(mark.scope, mark.mark_type, mark.key):
            postings.here.pop()
        if mark.target:
            self._targets[mark.target].pop()
        self._bodies.pop()
        self._states.pop()
        self._filings.pop()
        del self._ids[mark.id]
        self._live[mark.agent] -= 1

    def _postings_of(self, scope: str, mark_type: str, key: str) -> list[Postings]:
        found: list[Postings] = []
        index = self._postings
        for name in ancestors(scope):
            for by in (mark_type, key) if key else (mark_type,):
                postings = index.get((by, name))
                if postings is None:
                    postings = index[by, name] = Postings()
                found.append(postings)
        return found

    def supersede(self, sequence: int, by: int) -> None:
        """Take a mark out of reads because the one with sequence `by` replaces it."""
        if sequence not in self._ended:
            self._ended[sequence] = by
            self._undo.append((self._ended.pop, (sequence,)))
        self._end(sequence, SUPERSEDED)

    def archive(self, sequences: Sequence[int]) -> None:
        """Take marks out of reads for good; `get` and `scan` still find them."""
        for sequence in sequences:
            self._end(sequence, ARCHIVED)

    def _end(self, sequence: int, state: int) -> None:
        was = self._states[sequence - 1]
        self._undo.append((self._revive, (sequence, was)))
        self._states[sequence - 1] = max(was, state)
        if was != LIVE:
            return
        scope, mark_type, key, agent = self._filings[sequence - 1]
        self._live[agent] -= 1
        for postings in self._postings_of(scope, mark_type, key):
            postings.note_gone(self._states)

    def _revive(self, sequence: int, state: int) -> None:
        """Undo the end of a mark. Its postings are rebuilt, for they may have been sorted out."""
        self._states[sequence - 1] = state
        if state != LIVE:
            return
        scope, mark_type, key, agent = self._filings[sequence - 1]
        self._live[agent] += 1
        for postings in self._postings_of(scope, mark_type, key):
            postings.here = array("q", postings.ever())
            postings.gone, postings.dead = None, 0

    def put_blob(self, digest: bytes, data: bytes) -> None:
        """Keep data under its SHA-256, once."""
        self._blobs.setdefault(digest, data)

    def add_entry(self, entry: StoredEntry, sequence: int, clock: float) -> None:
        """Add an audit entry, and note the head's sequence and clock beside it."""
        self._undo.append((self._entries.pop, ()))
        self._entries.append(entry.digest + entry.body)
        self._head = Head(sequence, entry.number, clock, entry.digest)

    def put_scope(self, name: str, body: bytes) -> None:
        """Add or replace a scope."""
        self._undo.append((restore, (self._scopes, name, self._scopes.get(name))))
        self._scopes[name] = body

    def put_lease(self, lease: LeaseRow) -> None:
        """Add or replace a lease."""
        self._undo.append((restore, (self._leases, lease.name, self._leases.get(lease.name))))
        self._leases[lease.name] = lease

    def drop_lease(self, name: str) -> None:
        """Forget a lease and its token, if there is one."""
        self._undo.append((restore, (self._leases, name, self._leases.get(name))))
        self._leases.pop(name, None)


def opened(number: int, entry: bytes) -> StoredEntry:
    """Return an entry that is kept as its digest and its body in one."""
    return StoredEntry(number, entry[DIGEST_BYTES:], entry[:DIGEST_BYTES])


def restore(table: dict[str, Any], key: str, value: Any) -> None:
    """Put a value back, or remove the key if there was none."""
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value
