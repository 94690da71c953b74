"""Writes of the memory store, each with its undo."""

from collections.abc import Callable, Sequence
from typing import Any

from markspace.core.scopes import ancestors
from markspace.stores.base import (
    ARCHIVED,
    LIVE,
    SUPERSEDED,
    Filing,
    LeaseRow,
    NewMark,
    StoreHead,
)
from markspace.stores.memory_index import Folder, Postings
from markspace.stores.memory_reader import MemoryReader


class MemoryWriter(MemoryReader):
    """The tables as a transaction changes them. Its store decides when one begins and ends."""

    def __init__(self) -> None:
        super().__init__()
        self._added: list[NewMark] = []
        self._undo: list[tuple[Callable[..., object], tuple[Any, ...]]] = []

    def append(self, mark: NewMark) -> None:
        """Add a mark."""
        sequence, where = mark.sequence, (mark.scope, mark.mark_type, mark.key, mark.agent)
        folder = self._folders.get(where)
        if folder is None:
            folder = self._folders[where] = Folder(Filing(*where), self._postings_of(*where[:3]))
        self._added.append(mark)
        self._bodies.append(mark.body)
        self._states.append(LIVE)
        self._filed.append(folder)
        self._ids[int.from_bytes(mark.id)] = sequence
        for postings in folder.postings:
            postings.here.append(sequence)
        if mark.target:
            self._targets.setdefault(mark.target, []).append(sequence)
        self._live[mark.agent] = self._live.get(mark.agent, 0) + 1

    def _postings_of(self, scope: str, mark_type: str, key: str) -> tuple[Postings, ...]:
        lists: list[Postings] = []
        index = self._postings
        for name in ancestors(scope):
            for by in (mark_type, key) if key else (mark_type,):
                postings = index.get((by, name))
                if postings is None:
                    postings = index[by, name] = Postings()
                lists.append(postings)
        return tuple(lists)

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
        for mark in reversed(self._added):
            for postings in self._filed.pop().postings:
                postings.here.pop()
            if mark.target:
                self._targets[mark.target].pop()
            self._states.pop()
            del self._ids[int.from_bytes(mark.id)]
            self._live[mark.agent] -= 1
        self._bodies.cut(head.sequence)
        self._entries.cut(head.entry)
        self._head = head


def restore(table: dict[str, Any], key: str, value: Any) -> None:
    """Put a value back, or remove the key if there was none."""
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value
