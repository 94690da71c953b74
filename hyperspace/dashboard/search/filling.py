"""Filling the index: what is new in the files of runs, a bounded time at once."""

import os
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from hyperspace.dashboard.results.cache import stamp_of
from hyperspace.dashboard.results.links import require_no_links
from hyperspace.dashboard.results.place import RunPlace
from hyperspace.dashboard.results.trace_cache import HeldTraces
from hyperspace.dashboard.search.database import IndexedSource, SearchDatabase, SourceKey
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.files import sha256_hex
from hyperspace.kernel.state.folder import TRACE
from hyperspace.runs.files import META, TASK, TextFile
from hyperspace.runs.traces.files import PlacedTrace, agent_folders, placed_traces
from hyperspace.runs.traces.pages import searched_texts

AT_ONCE: Final = 50  # calls between two looks at the clock
_SAYS_NOTHING: Final = ("", "is empty", "there is none")


class FillState(NamedTuple):
    """How much of the runs is in the index.

    Attributes:
        done: Runs that are, whole.
        of: Runs that were to be.
        problem: Why no more were put in, as a sentence; empty if that was the time alone.
    """

    done: int
    of: int
    problem: str = ""


class Filler:
    """Puts the texts of runs into an index.

    Args:
        database: The index.
        traces: Opens traces.
        seconds: How long to go on; what a step has begun it ends.
    """

    def __init__(self, database: SearchDatabase, traces: HeldTraces, seconds: float) -> None:
        self._database = database
        self._traces = traces
        self._deadline = time.monotonic() + seconds

    def fill(self, runs: Iterable[RunPlace]) -> FillState:
        """Put in what is new in these runs, one after the other."""
        runs, stamps = tuple(runs), self._database.stamps()
        current = {run: _run_stamp(run.folder) for run in runs}
        waiting = [run for run in runs if stamps.get(run.id) != current[run]]
        done = len(runs) - len(waiting)
        for run in waiting:
            if self._database.is_full():
                return FillState(done, len(runs), "The index has its largest size.")
            try:
                with self._database.filling():
                    is_whole = self._fill_run(run)
                    if is_whole:
                        self._database.set_stamp(run.id, current[run])
            except sqlite3.OperationalError as error:
                told = f"The index cannot be filled now ({error}): another dashboard may be at it."
                return FillState(done, len(runs), told)
            if not is_whole:
                break
            done += 1
        return FillState(done, len(runs))

    def forget_others(self, runs: Iterable[RunPlace]) -> None:
        """Take out the runs that are no longer there."""
        gone = self._database.runs() - {run.id for run in runs}
        for run_id in gone:
            if self._is_late():
                return
            with self._database.filling():
                self._database.drop_run(run_id)

    def _fill_run(self, run: RunPlace) -> bool:
        """Put in what is new in a run; return whether that is all of it."""
        indexed = self._database.sources(run.id)
        try:
            require_no_links(run.folder)
            for placed in placed_traces(run.folder):
                if self._is_late() or not self._fill_trace(run.id, placed, indexed):
                    return False
                for name in (TASK, META):
                    self._fill_code(run.id, placed, name, indexed)
        except (OSError, RunDamaged):  # pages about it say why it cannot be read
            return True
        return True

    def _fill_trace(
        self, run: str, placed: PlacedTrace, indexed: dict[SourceKey, IndexedSource]
    ) -> bool:
        key = SourceKey(run, placed.agent, placed.generation, TRACE)
        stamp, inode = _stamp(placed.folder / TRACE)
        source = indexed.get(key)
        if source is not None and source.stamp == stamp:
            return True
        if source is None or source.inode != inode or _size(source.stamp) >= _size(stamp):
            source = self._database.add_source(key, inode)
        with self._traces.open(placed.trace) as opened:
            problem = "" if opened.problem in _SAYS_NOTHING else opened.problem
            index, upto = opened.index, source.upto
            if index.last_line < upto:  # it was written anew in its place
                source, upto = self._database.add_source(key, inode), 0
            while opened.file is not None and (calls := list(index.calls(upto + 1, AT_ONCE))):
                if self._is_late():
                    self._database.settle(source.id, "", upto, problem)
                    return False
                for at in calls:
                    for line, field, text in searched_texts(opened.file, at):
                        self._database.add_text(source.id, line, field, text)
                upto = calls[-1].line
        self._database.settle(source.id, stamp, upto, problem)
        return True

    def _fill_code(
        self, run: str, placed: PlacedTrace, name: str, indexed: dict[SourceKey, IndexedSource]
    ) -> None:
        path = placed.folder / "repo" / name
        key = SourceKey(run, placed.agent, placed.generation, name)
        stamp, inode = _stamp(path)
        source = indexed.get(key)
        is_linked = path.parent.is_symlink()
        if is_linked or not inode or (source is not None and source.stamp == stamp):
            return
        text = TextFile(path).read() or ""
        digest = sha256_hex(text.encode("utf-8", "surrogatepass"))
        is_new = not self._database.has_text(key, digest)
        source = self._database.add_source(key, inode)
        if is_new:
            self._database.add_text(source.id, 0, "", text)
        self._database.settle(source.id, stamp, 0, "", digest)

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline


def _run_stamp(run: Path) -> str:
    """Return what changes with a run; where its own files do not tell, by its agents' folders."""
    own = stamp_of(run)
    if any(own):
        return str(own)
    try:
        return str([_stamp(folder) for folder in agent_folders(run).values()])
    except OSError:
        return "unreadable"


def _stamp(path: Path) -> tuple[str, int]:
    """Return size and time of a file, as a text, and its inode; inode 0 where there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return "0 none", 0
    return f"{status.st_size} {status.st_mtime_ns}", status.st_ino


def _size(stamp: str) -> int:
    """Return the size in a stamp; -1 of a file that was not read to its end."""
    return int(stamp.partition(" ")[0] or -1)
