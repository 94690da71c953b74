"""The part that the SQL stores share: transactions, idle connections, blobs, and their checks."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from threading import Lock, get_ident
from typing import Any, Generic

from markspace.errors import (
    StoreCorrupt,
    StoreError,
    StoreLocked,
    StoreReadOnly,
    StoreVersion,
)
from markspace.stores.base import SCHEMA_VERSION, T
from markspace.stores.combining import Combiner
from markspace.stores.sql_reader import C, SQLReader, SQLTransaction

MAX_IDLE = 8
SCHEMA_QUERY = "SELECT value FROM meta WHERE name = 'schema_version'"


class SQLStore(ABC, Generic[C]):
    """A store behind SQL connections. Kinds begin and commit; at most one thread of ours writes.

    Args:
        name: Names the store in messages.
        timeout_s: Seconds to wait for another writer before StoreLocked.
        read_only: Never write.
    """

    def __init__(self, name: str, *, timeout_s: float, read_only: bool) -> None:
        self.read_only = read_only
        self._name = name
        self._timeout_s = timeout_s
        self._write_lock = Lock()
        self._idle: list[C] = []
        self._pid = os.getpid()
        self._closed = False
        # The thread that writes, and its transaction.
        self._writing: tuple[int, SQLTransaction[C]] | None = None
        self._combiner = Combiner(self.transaction)

    @contextmanager
    def transaction(self) -> Generator[SQLTransaction[C]]:
        """Begin to write. An exception inside takes everything back."""
        self._check_open(writing=True)
        self._check_alone()
        if not self._write_lock.acquire(timeout=self._timeout_s):
            raise StoreLocked(f"{self._name} is held by another thread's transaction")
        try:
            with self._begun() as tx:
                self._writing = (get_ident(), tx)
                yield tx
        finally:
            self._writing = None
            self._write_lock.release()

    @abstractmethod
    def _begun(self) -> AbstractContextManager[SQLTransaction[C]]:
        """Begin to write, and commit at the end or take everything back."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[SQLReader[C]]:
        """Begin to read one committed state."""

    def write(self, work: Callable[[SQLTransaction[C]], T]) -> T:
        """Do `work` in a transaction, perhaps with that of other threads; return its result."""
        self._check_alone()
        return self._combiner.run(work)

    def blob(self, digest: bytes) -> bytes:
        """Return data by its SHA-256; StoreCorrupt if it is not there or was changed."""
        writing = self._writing
        if writing is not None and writing[0] == get_ident():
            data = writing[1].blob(digest)
        else:
            with self.snapshot() as reader:
                data = reader.blob(digest)
        if data is None:
            raise StoreCorrupt(f"{self._name}: blob {digest.hex()} is missing")
        if sha256(data).digest() != digest:
            raise StoreCorrupt(
                f"{self._name}: blob {digest.hex()} was changed: its content hash differs"
            )
        return data

    def close(self) -> None:
        """Close all connections. Closing twice is fine."""
        self._closed = True
        while (connection := self._idle_one()) is not None:
            connection.close()

    def _idle_one(self) -> C | None:
        """Return a connection that nobody uses, or None."""
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _give_back(self, connection: C) -> None:
        """Keep a connection for the next one who needs it."""
        if len(self._idle) < MAX_IDLE:
            self._idle.append(connection)
        else:
            connection.close()
        if self._closed:
            self.close()

    def _check_alone(self) -> None:
        if self._writing is not None and self._writing[0] == get_ident():
            raise StoreError("a transaction is open in this thread; end it first")

    def _check_open(self, *, writing: bool = False) -> None:
        if self._closed:
            raise StoreError(f"{self._name} is closed; open it again")
        if self._pid != os.getpid():
            raise StoreError(f"{self._name} was opened by another process; open it in this one")
        if writing and self.read_only:
            raise StoreReadOnly(f"{self._name} is open read-only; open it for writing")

    def _check_version(self, row: Any) -> None:
        """Check what `SCHEMA_QUERY` returned."""
        if row is None or not str(row[0]).isdigit() or int(row[0]) == 0:
            raise StoreCorrupt(f"{self._name} does not say its schema version")
        if int(row[0]) > SCHEMA_VERSION:
            raise StoreVersion(
                f"{self._name} has schema version {row[0]}, this program reads up to "
                f"{SCHEMA_VERSION}; update the program"
            )
