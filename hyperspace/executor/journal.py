"""What is on record of jobs: which try counts, and what came of it.

A try has a fencing token. What is said with an older one, by a worker that was given up and is
still alive, is not kept.
"""

import os
import secrets
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from guards.processes import process_start
from hyperspace.executor.errors import ExecutorUnavailable
from hyperspace.executor.jobs import JobId, JobOutcome

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, fence TEXT NOT NULL, holder TEXT NOT NULL, outcome BLOB
)
"""
IN_MEMORY: Final = Path(":memory:")


class Journal:
    """The record of jobs in one SQLite file, which several coordinators may share.

    Attributes:
        taken: How many outcomes were taken over from other records.
    """

    def __init__(self, path: Path = IN_MEMORY, others: Sequence[Path] = ()) -> None:
        """Open a journal, or make it.

        Args:
            path: Of its file; in memory it lasts as long as this object.
            others: Records of runs that are as trustworthy as this one; what is done in one of
                them is taken over when it is asked for.

        Raises:
            ExecutorUnavailable: It cannot be opened or written.
        """
        self.taken = 0
        self._others = others
        if path != IN_MEMORY:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path, timeout=60.0, isolation_level=None)
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute(_SCHEMA)
        except sqlite3.Error as error:
            raise ExecutorUnavailable(
                f"{path} cannot be used as the record of jobs ({error}); move it away, and the "
                "same command goes on"
            ) from error
        self._holder = _holder()

    def begin(self, job: JobId) -> str:
        """Put a new try on record; what is said with an earlier token is refused from now on.

        Returns:
            Its fencing token, which nobody can guess.
        """
        fence = secrets.token_hex(16)
        self._db.execute(
            "INSERT INTO jobs VALUES (?, ?, ?, NULL) ON CONFLICT (id) DO UPDATE SET "
            "fence = excluded.fence, holder = excluded.holder, outcome = NULL",
            (job, fence, self._holder),
        )
        return fence

    def keep(self, job: JobId, fence: str, outcome: JobOutcome) -> bool:
        """Keep what came of a try; returns whether it still counts."""
        encoded = msgspec.msgpack.encode(outcome)
        kept = self._db.execute(
            "UPDATE jobs SET outcome = ? WHERE id = ? AND fence = ? AND outcome IS NULL",
            (encoded, job, fence),
        )
        return kept.rowcount == 1

    def counts(self, job: JobId, fence: str) -> bool:
        """Return whether a try is the one whose answer is waited for."""
        sql = "SELECT 1 FROM jobs WHERE id = ? AND fence = ? AND outcome IS NULL"
        return self._db.execute(sql, (job, fence)).fetchone() is not None

    def outcome(self, job: JobId) -> JobOutcome | None:
        """Return what came of a job; None where nothing is on record."""
        return _outcome(self._db, job)

    def outcome_anywhere(self, job: JobId) -> JobOutcome | None:
        """Return what came of a job here, or what is done elsewhere, and is kept here then.

        What cannot be read elsewhere is played here.
        """
        if (outcome := self.outcome(job)) is not None:
            return outcome
        for path in self._others:
            with suppress(ExecutorUnavailable, msgspec.DecodeError), _reading(path) as other:
                outcome = _outcome(other, job)
            if outcome is not None and outcome.state == "done":
                self.taken += self.keep(job, self.begin(job), outcome)
                return outcome
        return None

    def forget(self, job: JobId) -> None:
        """Drop a job; answers of its tries are refused from now on."""
        self._db.execute("DELETE FROM jobs WHERE id = ?", (job,))

    def done(self) -> Sequence[JobId]:
        """Return the jobs of which an outcome is kept."""
        rows = self._db.execute("SELECT id FROM jobs WHERE outcome IS NOT NULL ORDER BY id")
        return [JobId(row[0]) for row in rows]

    def running(self) -> Sequence[JobId]:
        """Return the jobs that another coordinator on this machine, which lives, has begun."""
        rows = self._db.execute("SELECT id, holder FROM jobs WHERE outcome IS NULL ORDER BY id")
        return [JobId(row[0]) for row in rows if row[1] != self._holder and _lives(row[1])]

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def copy_journal(path: Path, target: Path) -> None:
    """Write the jobs that are done into a new file; equal records give equal files.

    Args:
        path: The record, which may be in use.
        target: The new file.

    Raises:
        ExecutorUnavailable: The record cannot be read.
    """
    with _reading(path) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("DELETE FROM jobs WHERE outcome IS NULL")
        copy.execute("UPDATE jobs SET holder = '', fence = ''")
        copy.commit()
        copy.execute("VACUUM")


@contextmanager
def _reading(path: Path) -> Generator[sqlite3.Connection]:
    if not path.is_file():
        raise ExecutorUnavailable(f"{path}, the record of jobs, is missing or no file")
    try:
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, timeout=60.0, uri=True)) as source:
            yield source
    except sqlite3.Error as error:
        raise ExecutorUnavailable(f"{path} cannot be read as a record of jobs: {error}") from error


def _outcome(db: sqlite3.Connection, job: JobId) -> JobOutcome | None:
    row = db.execute("SELECT outcome FROM jobs WHERE id = ?", (job,)).fetchone()
    if row is None or row[0] is None:
        return None
    return msgspec.msgpack.decode(row[0], type=JobOutcome)


def _holder() -> str:
    return f"{os.getpid()} {process_start('self')}"


def _lives(holder: str) -> bool:
    pid, _, started = holder.partition(" ")
    return process_start(pid) == started
