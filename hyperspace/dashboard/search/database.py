"""The index as a SQLite file: what was read of each file, and its texts by every three letters."""

import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from hyperspace.dashboard.search.cache import make_folder

FILE: Final = "search.db"
FORMAT: Final = 1
FEWEST_LETTERS: Final = 3
MOST_LETTERS: Final = 200
MOST_BYTES: Final = 2 << 30
FIND_S: Final = 5.0
_PIECE: Final = 64_000  # characters of a text in one row; pieces overlap by the longest query
_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS runs(run TEXT PRIMARY KEY, stamp TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sources(
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, agent TEXT NOT NULL, generation TEXT NOT NULL,
    file TEXT NOT NULL, stamp TEXT NOT NULL, inode INTEGER NOT NULL, upto INTEGER NOT NULL,
    sha256 TEXT NOT NULL, problem TEXT NOT NULL, UNIQUE(run, agent, generation, file));
CREATE TABLE IF NOT EXISTS pieces(
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, line INTEGER NOT NULL, field TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS pieces_by_source ON pieces(source);
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(body, tokenize='trigram');
PRAGMA user_version={FORMAT};
"""


class SearchUnavailable(Exception):
    """Nothing can be searched here; the message says why, and what to do."""


class SourceKey(NamedTuple):
    """A file whose texts are found.

    Attributes:
        run: Id of the run.
        agent: Whose.
        generation: Of which generation, or `test`.
        file: Its name.
    """

    run: str
    agent: str
    generation: str
    file: str


class IndexedSource(NamedTuple):
    """What was read of a file.

    Attributes:
        id: Its number in the index.
        stamp: Of the file when it was read to its end; empty if it was not.
        inode: Of the file.
        upto: The last line that was read.
    """

    id: int
    stamp: str
    inode: int
    upto: int


class FoundPiece(NamedTuple):
    """A piece of text that holds what was searched.

    Attributes:
        number: Its place in the order of the index.
        source: The file.
        line: The line of the trace; of code, the line that the piece begins with.
        field: What the text is called within the call; empty of code.
        body: The piece.
    """

    number: int
    source: SourceKey
    line: int
    field: str
    body: str


@contextmanager
def opened_index(cache: Path) -> Generator["SearchDatabase"]:
    """Open the index of a cache folder while the context lasts; one that is damaged is made anew.

    Raises:
        SearchUnavailable: It cannot be made or read.
    """
    try:
        make_folder(cache)
        with closing(_connected(cache / FILE)) as connection:
            yield SearchDatabase(connection)
    except (sqlite3.Error, OSError) as error:
        raise SearchUnavailable(
            f"the index for searching cannot be used ({error}); it lies in {cache}, and may be "
            "deleted: it is made again"
        ) from error


class SearchDatabase:
    """An open index."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def find(self, query: str, run: str | None, after: int, count: int) -> Iterator[FoundPiece]:
        """Find a text as it stands, whatever its case, in the order of the index.

        Args:
            query: At least three letters; no word in it means anything to the index.
            run: Only in this run; None for all.
            after: Only pieces with a higher number.
            count: At most this many.

        Raises:
            SearchUnavailable: It took more than five seconds.
        """
        # One string of the index's language: nothing in it is an operator.
        quoted = query.replace("\x00", " ").replace('"', '""')
        deadline = time.monotonic() + FIND_S
        self._db.set_progress_handler(lambda: time.monotonic() > deadline, 50_000)
        rows = self._db.execute(
            "SELECT p.id, s.run, s.agent, s.generation, s.file, p.line, p.field, t.body "
            "FROM texts t JOIN pieces p ON p.id = t.rowid JOIN sources s ON s.id = p.source "
            "WHERE texts MATCH :words AND t.rowid > :after AND (:run IS NULL OR s.run = :run) "
            "ORDER BY t.rowid LIMIT :count",
            {"words": f'"{quoted}"', "after": after, "run": run, "count": count},
        )
        try:
            for number, *source, line, field, body in rows:
                yield FoundPiece(number, SourceKey(*source), line, field, body)
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise
            raise SearchUnavailable(
                f"this took more than {FIND_S:.0f} seconds; search for more letters, or in one run"
            ) from error
        finally:
            self._db.set_progress_handler(None, 0)

    @contextmanager
    def filling(self) -> Generator[None]:
        """Write while the context lasts; all of it is kept at its end."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            self._db.execute("COMMIT")

    def stamps(self) -> dict[str, str]:
        """Return the runs that are in the index whole, with their stamps."""
        return dict(self._db.execute("SELECT run, stamp FROM runs"))

    def set_stamp(self, run: str, stamp: str) -> None:
        """Note that a run is in the index whole."""
        self._db.execute("INSERT OR REPLACE INTO runs VALUES(?, ?)", (run, stamp))

    def sources(self, run: str) -> dict[SourceKey, IndexedSource]:
        """Return what was read of a run's files."""
        rows = self._db.execute(
            "SELECT agent, generation, file, id, stamp, inode, upto FROM sources WHERE run = ?",
            (run,),
        )
        return {SourceKey(run, *row[:3]): IndexedSource(*row[3:]) for row in rows}

    def runs(self) -> set[str]:
        """Return all runs of which there is something."""
        return {row[0] for row in self._db.execute("SELECT DISTINCT run FROM sources")}

    def problems(self, run: str | None) -> dict[str, int]:
        """Return why traces do not tell what was said, each with how many."""
        rows = self._db.execute(
            "SELECT problem, count(*) FROM sources WHERE problem != '' AND (?1 IS NULL OR run = ?1)"
            " GROUP BY problem",
            (run,),
        )
        return dict(rows)

    def add_source(self, key: SourceKey, inode: int) -> IndexedSource:
        """Begin a file anew: what was read of it before is dropped."""
        self.drop(key)
        values = (*key, "", inode, 0, "", "")
        done = self._db.execute(
            "INSERT INTO sources(run, agent, generation, file, stamp, inode, upto, sha256, problem)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        return IndexedSource(int(done.lastrowid or 0), "", inode, 0)

    def settle(self, source: int, stamp: str, upto: int, problem: str, sha256: str = "") -> None:
        """Note how far a file was read; its stamp only once that is to its end."""
        self._db.execute(
            "UPDATE sources SET stamp = ?, upto = ?, problem = ?, sha256 = ? WHERE id = ?",
            (stamp, upto, problem, sha256, source),
        )

    def has_text(self, key: SourceKey, sha256: str) -> bool:
        """Return whether a file of this name and content is there for this agent already."""
        row = self._db.execute(
            "SELECT 1 FROM sources WHERE run = ? AND agent = ? AND file = ? AND sha256 = ?",
            (key.run, key.agent, key.file, sha256),
        ).fetchone()
        return row is not None

    def add_text(self, source: int, line: int, field: str, text: str) -> None:
        """Put a text in, in pieces that overlap; line 0 and no field for code."""
        for start in range(0, max(1, len(text)), _PIECE):
            body = text[start : start + _PIECE + MOST_LETTERS].replace("\x00", " ")
            if len(body) >= FEWEST_LETTERS:
                row = (source, line or text.count("\n", 0, start) + 1, field)
                done = self._db.execute(
                    "INSERT INTO pieces(source, line, field) VALUES(?, ?, ?)", row
                )
                self._db.execute(
                    "INSERT INTO texts(rowid, body) VALUES(?, ?)", (done.lastrowid, body)
                )

    def drop(self, key: SourceKey) -> None:
        """Take a file out."""
        self._drop(
            "SELECT id FROM sources WHERE run = ? AND agent = ? AND generation = ? AND file = ?",
            key,
        )

    def drop_run(self, run: str) -> None:
        """Take a run out."""
        self._drop("SELECT id FROM sources WHERE run = ?", (run,))
        self._db.execute("DELETE FROM runs WHERE run = ?", (run,))

    def is_full(self) -> bool:
        """Return whether the index has the largest size that it may have."""
        pages = self._db.execute("PRAGMA page_count").fetchone()[0]
        return pages * self._db.execute("PRAGMA page_size").fetchone()[0] > MOST_BYTES

    def _drop(self, sources: str, values: Iterable[str]) -> None:
        for (source,) in self._db.execute(sources, tuple(values)).fetchall():
            pieces = "SELECT id FROM pieces WHERE source = ?"
            self._db.execute(f"DELETE FROM texts WHERE rowid IN ({pieces})", (source,))  # noqa: S608 - constant
            self._db.execute("DELETE FROM pieces WHERE source = ?", (source,))
            self._db.execute("DELETE FROM sources WHERE id = ?", (source,))


def _connected(path: Path) -> sqlite3.Connection:
    try:
        return _connect(path)
    except sqlite3.OperationalError as error:
        if "no such module" in str(error) or "tokenizer" in str(error):
            raise SearchUnavailable(
                "this Python's SQLite has no full-text search by letters (FTS5 with trigram, "
                f"since 3.34; here {sqlite3.sqlite_version}); search in one trace works"
            ) from error
        raise
    except sqlite3.DatabaseError:  # not an index of ours: it holds nothing that is not in the runs
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).unlink()
        return _connect(path)


def _connect(path: Path) -> sqlite3.Connection:
    if path.is_symlink():
        raise PermissionError(f"{path} is a link")
    connection = sqlite3.connect(path, timeout=0.5, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, FORMAT):
            raise sqlite3.DatabaseError("an index of another version")
        if version == 0:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(_SCHEMA)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("SELECT 1 FROM texts LIMIT 1")
    except BaseException:
        connection.close()
        raise
    return connection
