"""The embedded store of every run: one file, WAL, many processes."""

import os
import resource
import shutil
import sqlite3
import time
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Literal

from markspace.errors import (
    PlaceError,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreMissing,
    StoreReadOnly,
)
from markspace.stores.sql import AGENT_INDEX, SQLITE, create_statements
from markspace.stores.sql_reader import SQLReader, SQLTransaction
from markspace.stores.sql_store import SCHEMA_QUERY, SQLStore

LOOK_S = 0.01
PAGE_BYTES = 2048  # a commit writes each page whole that it touched
LOG_BYTES = 1000 * 4096  # as SQLite's own default: so much may be lost with the power
PRIMARY_CODE = 0xFF
MOST_PATH_BYTES = 504  # 512 with the end and with what SQLite appends
ROOM_BYTES = 256 * 1024


class SQLiteTransaction(SQLTransaction[sqlite3.Connection]):
    """Writes to a SQLite file."""

    def live_count(self, agent: bytes) -> int:
        """Return how many live marks an agent has.

        Only a space with a quota asks, so that only its file has the index: each write would pay.
        """
        self._run(AGENT_INDEX.replace("INDEX", "INDEX IF NOT EXISTS", 1))
        return super().live_count(agent)


class _Frozen(sqlite3.Connection):
    """Reads a file that nobody writes to, without locks, and does not see whether it changes."""


class SQLiteStore(SQLStore[sqlite3.Connection]):
    """A space in one SQLite file. Open it once in each process; share it between threads.

    Args:
        path: The file; it is created if it does not exist and its folder does. An empty file is
            no space, for it may be what is left of one.
        synchronous: NORMAL survives the death of the process, FULL the loss of power too.
        timeout_s: Seconds to wait for another writer before StoreLocked.
        read_only: Never write; after `checkpoint` and `close`, leaves no file beside the space and
            works from a folder that cannot be written.

    Raises:
        StoreError: The file cannot be opened; see `markspace.errors` for which and why.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        synchronous: Literal["NORMAL", "FULL"] = "NORMAL",
        timeout_s: float = 10.0,
        read_only: bool = False,
    ) -> None:
        self.path = Path(path).absolute()
        self._log = self.path.with_name(self.path.name + "-wal")
        super().__init__(str(self.path), timeout_s=timeout_s, read_only=read_only)
        self._synchronous = synchronous
        if not self.path.parent.is_dir():
            raise cannot_open(self.path)
        if self.read_only and not self.path.exists():
            raise StoreMissing(f"{self.path} does not exist; check the path")
        if self.path.is_dir():
            raise StoreMissing(f"{self.path} is a directory, not a space file")
        if not self.path.exists():
            self._create_whole()
        elif self.path.is_file() and self.path.stat().st_size == 0:
            raise StoreCorrupt(
                f"{self.path} is empty, not a space; restore it from a copy, or remove it to begin "
                "a new one"
            )
        self._writer = SQLiteTransaction(self._connect(), "qmark")
        try:
            with translated(self.path):
                self._prepare(self._writer.connection)
        except BaseException:
            self.close()
            raise
        if self.read_only:
            self._give_back(self._writer.connection)  # nothing is written by it: the first reader

    def _create_whole(self) -> None:
        """Make the file at once and whole: nobody, and no crash, ever sees it empty.

        Where that cannot be done, SQLite makes it, or says why not.
        """
        with suppress(OSError):
            folder = Path(mkdtemp(prefix=f".{self.path.name}-", dir=self.path.parent))
            try:
                if path_bytes(folder / "new") > MOST_PATH_BYTES:
                    return
                with translated(self.path), closing(sqlite3.connect(folder / "new")) as new:
                    new.execute(f"PRAGMA page_size = {PAGE_BYTES}")
                    # Of two that turn this on at once, one is refused without having waited.
                    new.execute("PRAGMA journal_mode = WAL")
                    for statement in create_statements(SQLITE):
                        new.execute(statement)
                    new.commit()
                    # Closing does so as well, and does not tell where there was no room for it.
                    new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                os.link(folder / "new", self.path)  # unless somebody was faster
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def _connect(self) -> sqlite3.Connection:
        """Open one more connection. Only `read_only` is ever without a write-ahead log."""
        mode = "ro" if self.read_only else "rwc"
        # Where there is no log nobody writes. A reader would make one, and leave it behind.
        is_frozen = self.read_only and not self._log.exists()
        frozen = "&immutable=1" if is_frozen else ""
        uri = f"{self.path.as_uri()}?mode={mode}{frozen}"
        with translated(self.path):
            return sqlite3.connect(
                uri,
                uri=True,
                timeout=self._timeout_s,
                isolation_level=None,
                check_same_thread=False,
                factory=_Frozen if is_frozen else sqlite3.Connection,
            )

    def _reader(self) -> sqlite3.Connection:
        """Return a connection that sees what is there by now."""
        while (connection := self._idle_one()) is not None:
            if not (isinstance(connection, _Frozen) and self._log.exists()):
                return connection
            connection.close()  # somebody writes since
        return self._connect()

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Check that the file is a space of our version, or make it one."""
        if not self.read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            page_bytes = connection.execute("PRAGMA page_size").fetchone()[0]
            connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_BYTES // page_bytes}")
        self._check_whole(connection)
        stated = dict(connection.execute("SELECT name, sql FROM sqlite_master"))
        if not stated:
            self._create(connection)
        elif "meta" not in stated:
            raise StoreCorrupt(f"{self.path} is a database, but no space; choose another path")
        self._check_version(connection.execute(SCHEMA_QUERY).fetchone())
        self._check_schema(stated)

    def _create(self, connection: sqlite3.Connection) -> None:
        if self.read_only:
            raise StoreCorrupt(f"{self.path} is empty, not a space")
        connection.execute("BEGIN IMMEDIATE")
        try:
            if not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                for statement in create_statements(SQLITE):
                    connection.execute(statement)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def _check_schema(self, stated: Mapping[str, str | None]) -> None:
        """Refuse what no space has: a view or a trigger would run what its writer wants."""
        # None: an index that SQLite makes itself
        ours = {None, AGENT_INDEX, *create_statements(SQLITE)}
        for name, statement in stated.items():
            if statement not in ours:
                raise StoreCorrupt(f"{self.path} holds {name!r}, which no space has")

    def _check_whole(self, connection: sqlite3.Connection) -> None:
        """Refuse a file that is shorter than its header says, unless a log may hold the rest."""
        if self._log.exists() and self._log.stat().st_size > 0:
            return
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        if self.path.stat().st_size < pages * size:
            raise StoreCorrupt(f"{self.path} is cut off; restore it from a copy")

    @contextmanager
    def _begun(self) -> Generator[SQLTransaction[sqlite3.Connection]]:
        connection = self._writer.connection
        with translated(self.path):
            try:
                connection.execute("BEGIN IMMEDIATE")
                self._writer.begin()
                yield self._writer
                self._writer.flush()
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def snapshot(self) -> Generator[SQLReader[sqlite3.Connection]]:
        """Begin to read one committed state."""
        self._check_open()
        with translated(self.path):
            connection = self._reader()
            try:
                connection.execute("BEGIN")
                yield SQLReader(connection, "qmark")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._give_back(connection)

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait until there is a mark above sequence `after`; False if the time is over."""
        deadline = time.monotonic() + timeout_s
        while True:
            with self.snapshot() as reader:
                if reader.head().sequence > after:
                    return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(LOOK_S)

    def checkpoint(self) -> None:
        """Move the whole log into the file, so that the file alone is the space.

        Raises:
            StoreLocked: A reader or writer kept it from finishing.
        """
        self._check_open(writing=True)
        with self._write_lock, translated(self.path):
            query = "PRAGMA wal_checkpoint(TRUNCATE)"
            busy = self._writer.connection.execute(query).fetchone()[0]
        if busy:
            raise StoreLocked(f"{self.path} is in use; the log could not be moved into it")

    def copy_to(self, path: Path) -> None:
        """Write one committed state into a new file: compact, without a log, without leases.

        Equal states give equal files, and the copy opens from a read-only folder.
        """
        self._check_open()
        with closing(self._connect()) as source, closing(sqlite3.connect(path)) as copy:
            try:
                source.backup(copy)
            except sqlite3.Error as error:
                full = typed(error, path)  # nothing else of a copy that is new is to blame
                told = full if isinstance(full, StoreFull) else typed(error, self.path)
                raise told from error
            with translated(path):
                copy.execute("PRAGMA journal_mode = DELETE")
                copy.execute("DELETE FROM leases")
                copy.commit()
                copy.execute("VACUUM")

    def close(self) -> None:
        """Close all connections. Closing twice is fine."""
        super().close()
        with self._write_lock:
            self._writer.connection.close()


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Raise SQLite's errors inside as a `StoreError` about `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise typed(error, path) from error


def typed(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the error of ours that fits."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & PRIMARY_CODE
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLocked(f"{path} is locked by another writer; wait for it or stop it")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR) and _is_as_large_as_allowed(path):
        return StoreFull(
            f"{path} would grow beyond the size that files may have here; raise the limit "
            "(ulimit -f) and write again"
        )
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and no_room(path)):
        return StoreFull(f"no room left on the disk of {path}; free some and write again")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreCorrupt(f"{path} is damaged or no space ({error}); restore it from a copy")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StoreReadOnly(f"{path} cannot be written; copy it elsewhere or open it read-only")
    if code == sqlite3.SQLITE_CANTOPEN:
        return cannot_open(path)
    return StoreError(f"{path}: {error}")


def _is_as_large_as_allowed(path: Path) -> bool:
    most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    files = (path.with_name(f"{path.name}{end}") for end in ("", "-wal", "-journal"))
    sizes = [file.stat().st_size for file in files if file.exists()]
    return most != resource.RLIM_INFINITY and max(sizes, default=0) + ROOM_BYTES > most


def cannot_open(path: Path) -> StoreError:
    """Return why a file cannot be opened."""
    if (size := path_bytes(path)) > MOST_PATH_BYTES:
        return PlaceError(
            f"{path} has a path of {size} bytes, and SQLite opens none of more than "
            f"{MOST_PATH_BYTES}; use a folder with a shorter path"
        )
    if not path.parent.is_dir():
        return StoreMissing(f"{path}: the folder {path.parent} does not exist; create it first")
    if not path.exists():
        return StoreReadOnly(f"{path} does not exist and cannot be created in {path.parent}")
    return StoreReadOnly(f"{path} cannot be opened; check its rights, or open it read-only")


def path_bytes(path: Path) -> int:
    """Return how long a path is where links are followed, as SQLite does, or as it stands."""
    return max(len(os.fsencode(each)) for each in (path, path.resolve()))


def no_room(path: Path) -> bool:
    """Return whether the disk of `path` is as good as full."""
    try:
        return shutil.disk_usage(path.parent).free < ROOM_BYTES
    except OSError:
        return False
