"""The part that the SQL stores share: group commit, blobs, and what makes a store unusable."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from hashlib import sha256
from threading import get_ident
from typing import Any, Generic

from markspace.errors import StoreCorrupt, StoreError, StoreReadOnly, StoreVersion
from markspace.stores.base import SCHEMA_VERSION, T
from markspace.stores.combining import Combiner
from markspace.stores.sql_reader import C, SQLReader, SQLTransaction

SCHEMA_QUERY = "SELECT value FROM meta WHERE name = 'schema_version'"


class SQLStore(ABC, Generic[C]):
    """A store behind SQL connections. Kinds begin transactions and snapshots.

    Args:
        name: Names the store in messages.
        read_only: Never write.
    """

    def __init__(self, name: str, *, read_only: bool) -> None:
        self.read_only = read_only
        self._name = name
        self._pid = os.getpid()
        self._closed = False
        # The thread that writes, and its transaction.
        self._writing: tuple[int, SQLTransaction[C]] | None = None
        self._combiner = Combiner(self.transaction)

    @abstractmethod
    def transaction(self) -> AbstractContextManager[SQLTransaction[C]]:
        """Begin to write. An exception inside takes everything back."""

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
        if row is None or not str(row[0]).isdigit():
            raise StoreCorrupt(f"{self._name} does not say its schema version")
        if int(row[0]) > SCHEMA_VERSION:
            raise StoreVersion(
                f"{self._name} has schema version {row[0]}, this program reads up to "
                f"{SCHEMA_VERSION}; update the program"
            )
