"""The lines of a ledger in a run's PostgreSQL space: what is reserved holds for all machines.

Each line is committed before `append`'s context ends, under the lock of the space and, where there
is one, under the fence of the run's lease. The file beside the run is a copy for those who read.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hyperspace.spending.ledger_file import decoded_line
from hyperspace.spending.ledger_lines import Line
from hyperspace.tracing.line_file import LineFile
from markspace.keeping.leases import Lease, check_fence
from markspace.stores.sql_reader import SQLTransaction
from markspace.stores.sql_store import SQLStore

PLACE: Final = "the ledger in the run's space"
_TABLE: Final = "CREATE TABLE IF NOT EXISTS ledger (number BIGINT PRIMARY KEY, line BYTEA NOT NULL)"
_READ: Final = "SELECT number, line FROM ledger WHERE number > %s ORDER BY number"
_APPEND: Final = "INSERT INTO ledger VALUES (%s, %s)"


class LedgerServer:
    """The lines of a ledger in a space.

    Args:
        store: Of the space, in PostgreSQL.
        lease: Must be current for every line; None lets any number of processes append.
        copy: A file for readers, made again where it is another; None for none.

    Raises:
        StaleFence: The lease was taken over.
        StoreError: The server cannot be asked.
    """

    def __init__(self, store: SQLStore[Any], lease: Lease | None, copy: Path | None) -> None:
        self._store, self._lease = store, lease
        self._tx: SQLTransaction[Any] | None = None
        self._fresh: list[bytes] = []
        self._number, self._size_bytes, self._is_open = 0, 0, True
        self._copy: LineFile | None = None
        with self._begun() as tx:
            tx.connection.execute(_TABLE)
            self._earlier = self._rows(tx)
        if copy is not None:
            lines = b"".join(line for _, line in self._earlier)
            is_same = copy.exists() and copy.read_bytes() == lines
            if not is_same:
                copy.unlink(missing_ok=True)
            self._copy = LineFile(copy)
            if not is_same:
                self._copy.append(lines)

    @property
    def is_open(self) -> bool:
        """True until it is closed."""
        return self._is_open

    @contextmanager
    def alone(self) -> Generator[Iterable[Line]]:
        """Keep everybody else from appending, in this process and in others."""
        earlier, self._earlier = self._earlier, []
        with self._begun() as self._tx:
            others, self._fresh = self._rows(self._tx), []
            rows = [*earlier, *others]
            yield [decoded_line(line, PLACE, number) for number, line in rows]
        if self._copy is not None:
            self._copy.append(b"".join([*(line for _, line in others), *self._fresh]))

    @contextmanager
    def _begun(self) -> Generator[SQLTransaction[Any]]:
        with self._store.transaction() as tx:
            if self._lease is not None:
                check_fence(tx, self._lease)
            yield tx

    def _rows(self, tx: SQLTransaction[Any]) -> list[tuple[int, bytes]]:
        """Return what was appended since it was asked last."""
        rows = tx.connection.execute(_READ, (self._number,)).fetchall()
        for number, line in rows:
            self._number, self._size_bytes = number, self._size_bytes + len(line)
        return rows

    def append(self, line: bytes) -> None:
        """Append a line; it is committed when the context of `alone` ends."""
        assert self._tx is not None  # noqa: S101  as the seam says
        self._tx.connection.execute(_APPEND, (self._number + 1, line))
        self._number, self._size_bytes = self._number + 1, self._size_bytes + len(line)
        self._fresh.append(line)

    def size_bytes(self) -> int:
        """Size of all lines."""
        return self._size_bytes

    def sync(self) -> None:
        """Do nothing: what was committed is on the server's disk."""

    def close(self) -> None:
        """Close the copy; the store is its owner's."""
        self._is_open = False
        if self._copy is not None:
            self._copy.close()
