"""What all pages are read from, opened once for a server or for a bundle."""

from pathlib import Path

from dashboard.question import Sources
from dashboard.results.followed import FollowedRuns
from dashboard.results.held import HeldRuns
from dashboard.results.held_traces import HeldTraces
from dashboard.results.tree import ResultsTree


def open_sources(tree: ResultsTree, cache: Path) -> Sources:
    """Return what pages are read from.

    Args:
        tree: The runs.
        cache: Where indexes go.
    """
    return Sources(tree, HeldRuns(), HeldTraces(), cache, FollowedRuns())
