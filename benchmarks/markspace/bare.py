"""The bare operations: what the same work costs without a mark space."""

import sqlite3
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from benchmarks.markspace.timing import Bare, Figure, clocked, resident

TEXT = "x" * 200
BATCH = 100
WRITERS = 16
HITS = 10
TOPICS = 1000
RECORDS = 100_000

CREATE = (
    "CREATE TABLE marks (sequence INTEGER PRIMARY KEY, id BYTES, topic TEXT, body BYTES)",
    "CREATE UNIQUE INDEX marks_id ON marks (id)",
    "CREATE INDEX marks_topic ON marks (topic)",
    "CREATE TABLE audit (number INTEGER PRIMARY KEY, digest BYTES)",
)
MARK, ENTRY = "INSERT INTO marks VALUES (?, ?, ?, ?)", "INSERT INTO audit VALUES (?, ?)"
READ = "SELECT body FROM marks WHERE topic = ?"


@dataclass(frozen=True)
class Record:
    """A record with the fields of a mark."""

    id: UUID
    agent_id: UUID
    scope: str
    topic: str
    content: str
    created_at: float = 0.0
    initial_strength: float = 1.0
    confidence: float = 0.5
    source: str = "fleet"
    supersedes: UUID | None = None


class Bares(NamedTuple):
    """The bare operations beside which the rows of one store stand."""

    write: Bare
    batches: Bare
    threads: Bare
    read: Bare


def in_memory() -> Bares:
    """Return the bare operations of the memory store: a dict."""
    table: dict[UUID, Record] = {}
    by_topic = {str(n): [record(str(n)) for _ in range(HITS)] for n in range(TOPICS)}

    def write(count: int) -> None:
        table.clear()
        for _ in range(count):
            new = record("t")
            table[new.id] = new

    def read(count: int) -> None:
        for number in range(count):
            list(by_topic[str(number % TOPICS)])

    single = Bare("a bare record, random id and dict insert", write)
    return Bares(single, single, single, Bare("a list of 10 from a dict", read))


AUTHOR = uuid4()


def record(topic: str) -> Record:
    """Return a record with a random id."""
    return Record(uuid4(), AUTHOR, "bench", topic, TEXT)


class Table:
    """A table of marks and one of audit entries in a database, and nothing more."""

    def __init__(self, connection: Any, style: str) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._mark, self._entry, self._read = (
            statement.replace("?", style) for statement in (MARK, ENTRY, READ)
        )
        self._number = 0

    def commit(self, count: int, topic: str = "t") -> None:
        """Insert rows and one audit row, and commit."""
        with self._lock:
            self._connection.execute("BEGIN")
            for _ in range(count):
                self._number += 1
                row = (self._number, uuid4().bytes, topic, TEXT.encode())
                self._connection.execute(self._mark, row)
            digest = sha256(TEXT.encode()).digest()
            self._connection.execute(self._entry, (self._number, digest))
            self._connection.execute("COMMIT")

    def write(self, count: int) -> None:
        """Insert rows one by one."""
        for _ in range(count):
            self.commit(1)

    def write_batches(self, count: int) -> None:
        """Insert rows in batches."""
        for _ in range(count // BATCH):
            self.commit(BATCH)

    def write_at_once(self, count: int) -> None:
        """Insert rows by many threads."""
        at_once(lambda: self.write(count // WRITERS))

    def fill(self) -> None:
        """Insert what `read` finds."""
        for number in range(TOPICS):
            self.commit(HITS, str(number))

    def read(self, count: int) -> None:
        """Read rows by topic."""
        for number in range(count):
            self._connection.execute(self._read, (str(number % TOPICS),)).fetchall()


def at_once(work: Callable[[], object]) -> None:
    """Do work in many threads."""
    threads = [threading.Thread(target=work) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def of_table(table: Table) -> Bares:
    """Return the bare operations of a database."""
    table.fill()
    return Bares(
        Bare("a bare insert with an audit row", table.write),
        Bare("bare inserts, 100 to an audit row", table.write_batches),
        Bare("bare inserts with an audit row, 16 threads", table.write_at_once),
        Bare("a bare SELECT of 10 rows", table.read),
    )


@contextmanager
def in_sqlite() -> Generator[Bares]:
    """Yield the bare operations of a SQLite file, WAL and synchronous=NORMAL."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bare.db"
        link = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        link.execute("PRAGMA journal_mode = WAL")
        link.execute("PRAGMA synchronous = NORMAL")
        for statement in CREATE:
            link.execute(statement)
        yield of_table(Table(link, "?"))
        link.close()


@contextmanager
def in_postgres(dsn: str) -> Generator[Bares]:
    """Yield the bare operations of a PostgreSQL database, synchronous_commit=off."""
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as link:
        link.execute("SET synchronous_commit TO off")
        link.execute("SET search_path TO pg_temp")
        for statement in CREATE:
            link.execute(statement.replace("BYTES", "BYTEA"))  # type: ignore[arg-type]
        yield of_table(Table(link, "%s"))


def record_figures() -> list[Figure]:
    """Return what a bare record takes."""
    before, table = resident(), dict[UUID, Any]()

    def fill() -> None:
        for _ in range(RECORDS):
            text = (TEXT + " ")[:-1]
            new = Record(uuid4(), AUTHOR, "bench", "t", text)
            table[new.id] = new

    seconds = clocked(fill) / RECORDS
    taken = (resident() - before) / RECORDS
    return [
        Figure("a bare record, random id and dict insert", 1 / seconds, "1/s", seconds),
        Figure("resident memory of one with 200 bytes", taken, "bytes", 0.0),
    ]
