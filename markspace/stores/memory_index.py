"""Parts of the memory store: byte strings back to back, and lists of marks by index key."""

from array import array
from collections.abc import Iterable
from heapq import merge

from markspace.stores.base import LIVE, Filing

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


class Folder:
    """Marks that are filed alike.

    Attributes:
        filing: Where they are filed.
        postings: The lists that they stand in.
    """

    __slots__ = ("filing", "postings")

    def __init__(self, filing: Filing, postings: tuple[Postings, ...]) -> None:
        self.filing = filing
        self.postings = postings

    def note_gone(self, states: bytearray) -> None:
        """Count a mark of this folder that is live no more."""
        for postings in self.postings:
            postings.note_gone(states)

    def revive(self) -> None:
        """Put all marks back into the lists, for they may have been sorted out."""
        for postings in self.postings:
            postings.here = array(NUMBER, postings.ever())
            postings.gone, postings.dead = None, 0
