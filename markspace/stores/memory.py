"""The store of a bare space: everything in this process's memory, lost when it ends."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Condition
from typing import Any, Self

from markspace.core.scopes import ancestors
from markspace.errors import StoreError
from markspace.stores.base import (
    ARCHIVED,
    EMPTY_HEAD,
    LIVE,
    SUPERSEDED,
    Filing,
    LeaseRow,
    NewMark,
    StoreHead,
    T,
)
from markspace.stores.memory_tables import Folder, MemoryReader, Postings


@dataclass(eq=False, slots=True)
class Undisturbed:
    """The context of a snapshot."""

    _store: "MemoryStore"
    _lock: AbstractContextManager[bool]

    def __enter__(self) -> "MemoryStore":
        self._lock.__enter__()
        return self._store

    def __exit__(self, *raised: Any) -> None:
        self._lock.__exit__(*raised)


class MemoryStore(MemoryReader):
    """Marks as encoded bytes with indexes by id, key and type. Safe between threads.

    Encoded marks make every read a fresh copy and take a third of what live records take. As a
    context it is its own transaction.
    """

    read_only = False

    def __init__(self) -> None:
        super().__init__()
        self._undo: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        self._grown = Condition(self._lock)
        self._waiting = 0
        self._is_writing = False
        self._began_at = EMPTY_HEAD
        self._undisturbed = Undisturbed(self, self._lock)

    # -- the contract -----------------------------------------------------------------------

    def transaction(self) -> Self:
        """Begin to write. An exception inside takes everything back."""
        return self

    def write(self, work: Callable[["MemoryStore"], T]) -> T:
        """Do `work` in a transaction and return what it returns."""
        with self:
            return work(self)

    def __enter__(self) -> Self:
        """Take the lock for a transaction; StoreError if this thread has one open."""
        self._lock.acquire()
        if self._is_writing:
            self._lock.release()
            raise StoreError("a transaction is open in this thread; end it first")
        self._began_at, self._is_writing = self._head, True
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Keep or take back what was done, and let go of the lock."""
        try:
            if kind is not None:
                self._take_back(self._began_at)
        finally:
            if self._undo:
                self._undo.clear()
            self._is_writing = False
            if self._waiting:
                self._grown.notify_all()
            self._lock.release()

    def snapshot(self) -> Undisturbed:
        """Begin to read one state; writers wait until it is left."""
        return self._undisturbed

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait until there is a mark above sequence `after`; False if the time is over."""
        with self._lock:
            self._waiting += 1
            try:
                return self._grown.wait_for(lambda: self._head.sequence > after, timeout_s)
            finally:
                self._waiting -= 1

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    # -- writes, each with its undo -----------------------------------------------------------

    def append(self, mark: NewMark) -> None:
        """Add a mark."""
        sequence, where = mark.sequence, mark.where
        folder = self._folders.get(where)
        if folder is None:
            folder = self._folders[where] = Folder(Filing(*where), self._postings_of(*where[:3]))
        self._filed.append(folder)
        self._bodies.append(mark.body)
        self._states.append(LIVE)
        self._ids[mark.id.int] = sequence
        for postings in folder.postings:
            postings.here.append(sequence)
        if mark.target:
            against = self._targets.setdefault(mark.target, [])
            against.append(sequence)
            self._undo.append((against.pop, ()))
        agent = where[3]
        self._live[agent] = self._live.get(agent, 0) + 1

    def _postings_of(self, scope: str, mark_type: str, key: str) -> tuple[Postings, ...]:
        kinds = (mark_type, key) if key else (mark_type,)
        below = [
            self._postings.setdefault((by, s), Postings()) for s in ancestors(scope) for by in kinds
        ]
        return (*below, *(self._exact.setdefault((by, scope), Postings()) for by in kinds))

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
        if was == LIVE:
            folder = self._filed[sequence - 1]
            self._live[folder.filing.agent] -= 1
            folder.note_gone(self._states)

    def _revive(self, sequence: int, state: int) -> None:
        """Undo the end of a mark."""
        self._states[sequence - 1] = state
        if state == LIVE:
            folder = self._filed[sequence - 1]
            self._live[folder.filing.agent] += 1
            folder.revive()

    def put_blob(self, digest: bytes, data: bytes) -> None:
        """Keep data under its SHA-256, once."""
        self._blobs.setdefault(digest, data)

    def add_entry(self, body: bytes, head: StoreHead) -> None:
        """Add an audit entry, and note where the store stands after it."""
        self._entries.append(head.digest + body)
        self._head = head

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

    def _take_back(self, head: StoreHead) -> None:
        for undo, arguments in reversed(self._undo):
            undo(*arguments)
        last = head.sequence
        for folder in self._filed[last:]:
            for postings in folder.postings:
                while postings.here and postings.here[-1] > last:
                    postings.here.pop()
            self._live[folder.filing.agent] -= 1
        while self._ids and next(reversed(self._ids.values())) > last:
            self._ids.popitem()
        del self._filed[last:], self._states[last:]
        self._bodies.cut(last)
        self._entries.cut(head.entry)
        self._head = head


def restore(table: dict[str, Any], key: str, value: Any) -> None:
    """Put a value back, or remove the key if there was none."""
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value
