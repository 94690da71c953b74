"""The runs below the results folder, by ids that no path can be made of."""

import threading
import time
from pathlib import Path
from typing import Final

from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.results.place import RunPlace, place_of
from hyperspace.reporting.lines import counted
from hyperspace.runs.finding import find_runs

FRESH_S: Final = 2.0  # how long a listing is good for


class ResultsTree:
    """The runs below a folder; may be used by several threads.

    Args:
        results: The folder.
        only: The one run that there is, where it is known: nothing is looked for then.
    """

    def __init__(self, results: Path, only: RunPlace | None = None) -> None:
        self.results = results
        self._only = only
        self._lock = threading.Lock()
        self._places: dict[str, RunPlace] = {}
        self._listed_s = float("-inf")

    def places(self) -> tuple[RunPlace, ...]:
        """Return all runs, by name and then by seed; listed at most every two seconds."""
        with self._lock:
            if time.monotonic() - self._listed_s > FRESH_S:
                self._places = {place.id: place for place in self._listed()}
                self._listed_s = time.monotonic()
            return tuple(self._places.values())

    def forget(self) -> None:
        """List again when it is asked for next: a run was put there or taken away."""
        with self._lock:
            self._listed_s = float("-inf")

    def place(self, run_id: str) -> RunPlace:
        """Return a run by its id.

        Raises:
            NotThere: There is none of this id, or it was removed.
        """
        places = self.places()
        place = self._places.get(run_id)
        if place is None or not place.folder.is_dir():
            there = f"there {'is' if len(places) == 1 else 'are'} {counted(len(places), 'other')}"
            raise NotThere(f"there is no run {run_id[:40]!r} here, or it was removed; {there}")
        return place

    def _listed(self) -> list[RunPlace]:
        """List the runs, and behind them folders that may not be read: they are shown as such."""
        if self._only is not None:
            return [self._only]
        if not self.results.is_dir():
            return []
        unreadable: list[Path] = []
        folders = [*find_runs(self.results, unreadable=unreadable), *unreadable]
        return [place_of(folder, self.results) for folder in folders]
