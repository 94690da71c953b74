"""What all pages are read from, opened once for a server or for a bundle."""

from pathlib import Path

from hyperspace.dashboard.question import Sources
from hyperspace.dashboard.results.cache import HeldRuns
from hyperspace.dashboard.results.followed import FollowedRuns
from hyperspace.dashboard.results.trace_cache import HeldTraces
from hyperspace.dashboard.results.tree import ResultsTree


def open_sources(tree: ResultsTree, cache: Path, most_pieces: int | None = None) -> Sources:
    """Return what pages are read from.

    Args:
        tree: The runs.
        cache: Where indexes go.
        most_pieces: Megabytes of a ledger that are added up in one look at a run, where pages
            are live and what is missing follows; None adds up all of it.
    """
    return Sources(tree, HeldRuns(), HeldTraces(), cache, FollowedRuns(most_pieces))
