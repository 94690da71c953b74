"""The store of a bare space: everything in this process's memory, lost when it ends."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Condition
from typing import Any

from markspace.errors import StoreError
from markspace.stores.base import EMPTY_HEAD, T
from markspace.stores.memory_writer import MemoryWriter


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


class Undisturbed:
    """The context of a snapshot."""

    __slots__ = ("_lock", "_store")

    def __init__(self, store: "MemoryStore", lock: AbstractContextManager[bool]) -> None:
        self._store = store
        self._lock = lock

    def __enter__(self) -> "MemoryStore":
        self._lock.__enter__()
        return self._store

    def __exit__(self, *raised: Any) -> None:
        self._lock.__exit__(*raised)


class MemoryStore(MemoryWriter):
    """Marks as encoded bytes with indexes by id, key and type. Safe between threads.

    Encoded marks make every read a fresh copy and take a third of what live records take.
    """

    read_only = False

    def __init__(self) -> None:
        super().__init__()
        self._grown = Condition(self._lock)
        self._waiting = 0
        self._is_writing = False
        self._began_at = EMPTY_HEAD
        self._exclusively = Exclusively(self)
        self._undisturbed = Undisturbed(self, self._lock)

    def transaction(self) -> "Exclusively":
        """Begin to write. An exception inside takes everything back."""
        return self._exclusively

    def write(self, work: Callable[["MemoryStore"], T]) -> T:
        """Do `work` in a transaction and return what it returns."""
        with self._exclusively:
            return work(self)

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
            self._added.clear()
            self._is_writing = False
            if self._waiting:
                self._grown.notify_all()
            self._lock.release()

    def snapshot(self) -> "Undisturbed":
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
