"""Tables of the memory store: bytes back to back, marks by index key, and how they are read."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain
from threading import RLock

from markspace.core.enums import MarkType
from markspace.errors import StoreCorrupt
from markspace.stores.base import (
    EMPTY_HEAD,
    LIVE,
    Filing,
    LeaseRow,
    Query,
    StoredEntry,
    StoredMark,
    StoreHead,
)

ALL_TYPES = tuple(kind.value for kind in MarkType)
DIGEST_BYTES = 32
SMALLEST_COMPACTION = 16
NUMBER = "I"  # sequences of 32 bits: the memory is full long before they are


class Log:
    """Byte strings back to back: each takes its bytes and 8 more, without an object of its own."""

    __slots__ = ("_data", "_ends")

    def __init__(self) -> None:
        self._data = bytearray()
        self._ends = array("Q", (0,))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, at: int) -> bytes:
        return bytes(self._data[self._ends[at] : self._ends[at + 1]])

    def numbered(self, numbers: Iterable[int]) -> list[bytes]:
        """Return the items of some numbers, from 1."""
        data, ends = self._data, self._ends
        return [bytes(data[ends[number - 1] : ends[number]]) for number in numbers]

    def append(self, item: bytes) -> None:
        """Add one at the end."""
        self._data += item
        self._ends.append(len(self._data))

    def cut(self, count: int) -> None:
        """Keep only the first `count`."""
        del self._data[self._ends[count] :]
        del self._ends[count + 1 :]


class Postings:
    """Sequences of marks that share an index key, in order; gone ones set aside, unsorted."""

    __slots__ = ("dead", "gone", "here")

    def __init__(self) -> None:
        self.here = array(NUMBER)
        self.gone: array[int] | None = None
        self.dead = 0

    def note_gone(self, states: bytearray) -> None:
        """Count a mark that is live no more; sort out once most are."""
        self.dead += 1
        if self.dead > SMALLEST_COMPACTION and self.dead * 2 > len(self.here):
            gone = [s for s in self.here if states[s - 1] != LIVE]
            self.here = array(NUMBER, (s for s in self.here if states[s - 1] == LIVE))
            self.gone = array(NUMBER) if self.gone is None else self.gone
            self.gone.extend(gone)
            self.dead = 0

    def ever(self) -> Iterable[int]:
        """Return all sequences, gone ones included, in order."""
        return self.here if self.gone is None else merge(sorted(self.gone), self.here)


@dataclass(eq=False, slots=True)
class Folder:
    """Marks that are filed alike.

    Attributes:
        filing: Where they are filed.
        postings: The lists that they stand in.
    """

    filing: Filing
    postings: tuple[Postings, ...]

    def note_gone(self, states: bytearray) -> None:
        """Count a mark of this folder that is live no more."""
        for postings in self.postings:
            postings.note_gone(states)

    def revive(self) -> None:
        """Put all marks back into the lists, for they may have been sorted out."""
        for postings in self.postings:
            postings.here = array(NUMBER, postings.ever())
            postings.gone, postings.dead = None, 0


class MemoryReader:
    """Tables of marks, entries, scopes and leases, read under a lock."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._head = EMPTY_HEAD
        self._bodies = Log()
        self._states = bytearray()
        self._filed: list[Folder] = []
        self._folders: dict[tuple[str, str, str, bytes], Folder] = {}
        self._ended: dict[int, int] = {}
        self._ids: dict[int, int] = {}  # by the id as a number, a smaller object than its bytes
        self._postings: dict[tuple[str, str], Postings] = {}  # of a scope and all below it
        self._exact: dict[tuple[str, str], Postings] = {}  # of that scope alone
        self._targets: dict[int, list[int]] = {}
        self._live: dict[bytes, int] = {}
        self._blobs: dict[bytes, bytes] = {}
        self._entries = Log()
        self._scopes: dict[str, bytes] = {}
        self._leases: dict[str, LeaseRow] = {}

    def head(self) -> StoreHead:
        """Return where the store stands."""
        return self._head

    def get(self, mark_id: bytes) -> StoredMark | None:
        """Return a mark in whatever state, or None."""
        with self._lock:
            sequence = self._ids.get(int.from_bytes(mark_id))
            return None if sequence is None else self._stored((sequence,))[0]

    def _stored(self, sequences: Sequence[int]) -> list[StoredMark]:
        states, ended = self._states, self._ended.get
        return [
            StoredMark(sequence, body, states[sequence - 1], ended(sequence, 0))
            for sequence, body in zip(sequences, self._bodies.numbered(sequences), strict=True)
        ]

    def filing(self, sequence: int) -> Filing:
        """Return where a mark is filed."""
        return self._filed[sequence - 1].filing

    def select(self, query: Query) -> list[StoredMark]:
        """Return the marks that match, by index."""
        with self._lock:
            sequences = self._candidates(query)
            if query.key is not None and query.types:
                filed = self._filed
                sequences = [s for s in sequences if filed[s - 1].filing.mark_type in query.types]
            if query.upto is not None:
                sequences = [s for s in sequences if self._was_live(s, query.upto)]
            else:
                states = self._states
                sequences = [s for s in sequences if not states[s - 1]]  # LIVE
            return self._stored(sequences)

    def _candidates(self, query: Query) -> Iterable[int]:
        keys = (query.key,) if query.key is not None else query.types or ALL_TYPES
        index = self._exact if query.exact else self._postings
        postings = [index.get((key, query.scope)) for key in keys]
        if query.upto is None:
            lists: list[Iterable[int]] = [p.here for p in postings if p is not None]
        else:
            lists = [p.ever() for p in postings if p is not None]
        return lists[0] if len(lists) == 1 else sorted(chain.from_iterable(lists))

    def _was_live(self, sequence: int, upto: int) -> bool:
        ended = self._ended.get(sequence, 0)
        return sequence <= upto and (ended == 0 or ended > upto)

    def scan(self, after: int, limit: int) -> list[StoredMark]:
        """Return up to `limit` marks of any state above sequence `after`, in order."""
        with self._lock:
            last = min(after + limit, len(self._bodies))
            return self._stored(range(after + 1, last + 1))

    def warnings(self, targets: Sequence[int], upto: int | None = None) -> list[StoredMark]:
        """Return live warnings against marks by sequence, or those live right after `upto`."""
        if not self._targets:
            return []
        with self._lock:
            sequences = [s for t in targets for s in self._targets.get(t, ())]
            if upto is None:
                return self._stored([s for s in sequences if self._states[s - 1] == LIVE])
            return self._stored([s for s in sequences if self._was_live(s, upto)])

    def targets(self) -> dict[int, int]:
        """Return the sequence of every mark that weakens another, in any state, and of that one."""
        with self._lock:
            return {s: target for target, against in self._targets.items() for s in against}

    def live_count(self, agent: bytes) -> int:
        """Return how many live marks an agent has."""
        return self._live.get(agent, 0)

    def entries(self, after: int, limit: int) -> list[StoredEntry]:
        """Return up to `limit` audit entries above number `after`, in order."""
        with self._lock:
            last = min(after + limit, len(self._entries))
            return [
                opened(number, self._entries[number - 1]) for number in range(after + 1, last + 1)
            ]

    def scope(self, name: str) -> bytes | None:
        """Return a registered scope, encoded, or None."""
        return self._scopes.get(name)

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

    def digests(self, after: bytes, limit: int) -> list[bytes]:
        """Return up to `limit` SHA-256 above `after` under which data is kept, in order."""
        with self._lock:
            return sorted(digest for digest in self._blobs if digest > after)[:limit]

    def blob(self, digest: bytes) -> bytes:
        """Return data by its SHA-256; StoreCorrupt if it is not there."""
        try:
            return self._blobs[digest]
        except KeyError:
            raise StoreCorrupt(f"blob {digest.hex()} is missing") from None


def opened(number: int, entry: bytes) -> StoredEntry:
    """Return an entry that is kept as its digest and its body in one."""
    return StoredEntry(number, entry[DIGEST_BYTES:], entry[:DIGEST_BYTES])
