"""Runs that were read, kept until their files change: a page is opened more than once."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Final

from dashboard.results.links import require_no_links
from dashboard.results.tree import RunPlace
from runs.folders import read_run
from runs.records import Run

MOST_HELD: Final = 4
_STAMPED: Final = ("run_config.json", "summary.json", "space.db", "space.db-wal")


class HeldRuns:
    """The runs that were read last; may be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[str, tuple[object, Run]] = OrderedDict()

    def read(self, place: RunPlace) -> Run:
        """Return a run as `runs.folders.read_run` reads it, read again if it changed.

        For pages about single generations of runs of a usual size; what shows thousands of
        generations at once reads less of each.

        Raises:
            RunUsageError: Another version wrote it.
            RunDamaged: It holds a link.
        """
        require_no_links(place.folder)
        stamp = stamp_of(place.folder)
        with self._lock:
            held = self._held.get(place.id)
            if held is not None and held[0] == stamp:
                self._held.move_to_end(place.id)
                return held[1]
        run = read_run(place.folder)
        with self._lock:
            self._held[place.id] = (stamp, run)
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)
        return run


def stamp_of(folder: Path) -> object:
    """Return what changes whenever a run does: sizes and times of its files."""
    stats = [_stat(folder / name) for name in _STAMPED]
    return tuple(stats)


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
