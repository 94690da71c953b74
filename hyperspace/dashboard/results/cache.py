"""Runs that were read, kept until their files change: a page is opened more than once."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from hyperspace.dashboard.results.links import require_no_links
from hyperspace.dashboard.results.place import RunPlace
from hyperspace.runs.archives import is_long
from hyperspace.runs.finding import read_scored_folder
from hyperspace.runs.folders import read_run
from hyperspace.runs.following.tail import file_stamp
from hyperspace.runs.records import Run
from hyperspace.runs.spaces.lazy_generations import read_outline

MOST_HELD: Final = 4
MOST_SCORED: Final = 30_000  # generations of runs that are compared: about 100 MB
MOST_MADE: Final = 12
_STAMPED: Final = ("run_config.json", "summary.json", "space.db", "space.db-wal")
T = TypeVar("T")


class _Made:
    """One thing that was made of a run, with the lock of whoever makes it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.stamp: object = None
        self.value: Any = None


class HeldRuns:
    """The runs that were read last, and what was made of them; may be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[str, tuple[object, Run]] = OrderedDict()
        self._scored: OrderedDict[str, tuple[object, Run]] = OrderedDict()
        self._made: OrderedDict[Hashable, _Made] = OrderedDict()

    def read(self, place: RunPlace) -> Run:
        """Return a run as `hyperspace.runs.folders.read_run` reads it, read again if it changed.

        The generations of a long run of ours are read when they are looked at; what shows
        thousands of them at once reads less of each.

        Raises:
            RunUsageError: Another version wrote it.
            RunDamaged: It holds a link.
        """
        run = self._kept(
            self._held,
            place,
            lambda folder: read_outline(folder) if is_long(folder) else read_run(folder),
        )
        with self._lock:
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)
        return run

    def scored(self, place: RunPlace) -> Run:
        """Return a run as a report reads it, with the generations whose scores can be read.

        Raises:
            RunUsageError: Another version wrote it.
            RunDamaged: It holds a link.
        """
        run = self._kept(self._scored, place, read_scored_folder)
        with self._lock:
            left = sum(each.played for _, each in self._scored.values())
            while left > MOST_SCORED and len(self._scored) > 1:
                _, (_, dropped) = self._scored.popitem(last=False)
                left -= dropped.played
        return run

    def _kept(
        self,
        kept: OrderedDict[str, tuple[object, Run]],
        place: RunPlace,
        read: Callable[[Path], Run],
    ) -> Run:
        """Return a run that is kept; read again, as the last one, if it changed."""
        require_no_links(place.folder)
        stamp = stamp_of(place.folder)
        with self._lock:
            if place.id in kept and kept[place.id][0] == stamp:
                kept.move_to_end(place.id)
                return kept[place.id][1]
        run = read(place.folder)
        with self._lock:
            kept[place.id] = (stamp, run)
            kept.move_to_end(place.id)
        return run

    def made(self, what: Hashable, place: RunPlace, make: Callable[[T | None], T]) -> T:
        """Return what was made of a run, made again if the run changed since.

        Whoever asks for what another thread is making waits for it.

        Args:
            what: Names it among what is made of this run.
            place: The run.
            make: Makes it, given what it was before the run changed; None the first time, and
                where another run stands in its place now.
        """
        begun, stamp = _stat(place.folder / _STAMPED[0]), stamp_of(place.folder)
        key = (what, place.id, begun and begun[0])
        with self._lock:
            made = self._made.setdefault(key, _Made())
            self._made.move_to_end(key)
            while len(self._made) > MOST_MADE:
                self._made.popitem(last=False)
        with made.lock:
            if made.stamp is None or made.stamp != stamp:
                made.value, made.stamp = make(made.value), stamp
            return cast("T", made.value)


def stamp_of(folder: Path) -> tuple[object, ...]:
    """Return what changes whenever a run does: sizes and times of its files."""
    stats = [_stat(folder / name) for name in _STAMPED]
    return tuple(stats)


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        return file_stamp(path.lstat())
    except OSError:
        return None
