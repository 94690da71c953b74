"""CPU time that it costs to observe accesses, as a share of what a generation takes.

Runs with and without it are played in turn, each pair in the other order than the one before. All
that a run starts is counted, so also what the kernel does for watches while agents read.
"""

import json
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.counted import counted
from benchmarks.measure import own_cpu_s
from guards.scope.watched_tree import WatchedTree
from hyperspace.kernel.events import nobody
from hyperspace.kernel.generation.observing import accesses
from transfer_experiment.options import PairOptions
from transfer_experiment.pair import run_pair

GENERATIONS = 3
PAIRS = 15


def main() -> None:
    """Play runs with and without, and compare their CPU time pair by pair."""
    with counted() as cpu_s:
        used_s = cpu_s or own_cpu_s
        _play(used_s, WatchedTree)  # a warm-up
        pairs: list[tuple[float, float]] = []
        for number in range(PAIRS):
            trees = (WatchedTree, _refused) if number % 2 else (_refused, WatchedTree)
            spent = {tree is WatchedTree: _play(used_s, tree) for tree in trees}
            pairs.append((spent[True], spent[False]))
    observed_s, blind_s = (statistics.median(side) for side in zip(*pairs, strict=True))
    low, middle, high = statistics.quantiles(((a - b) / a for a, b in pairs), n=4)
    print(f"\nObserved accesses ({PAIRS} pairs of runs of {GENERATIONS} generations)")
    print(f"  a run: {observed_s:.3f} s CPU observed, {blind_s:.3f} s CPU not")
    print(
        f"  share: {middle:.2%} of the CPU time, median of pairs (quartiles {low:.2%}, {high:.2%})"
    )
    row = {"observed_s": observed_s, "blind_s": blind_s, "share": middle, "quartiles": [low, high]}
    print(json.dumps({"title": "accesses", "rows": [row]}))


def _play(used_s: Callable[[], float], tree: Callable[..., WatchedTree]) -> float:
    """Play a run whose accesses are taken from such a tree; return its CPU time in seconds."""
    module: Any = accesses
    module.WatchedTree = tree
    try:
        with tempfile.TemporaryDirectory() as folder:
            before = used_s()
            options = PairOptions(
                models=("offline/tinker", "offline/magpie"),
                domain="repo_quality",
                generations=GENERATIONS,
                results=Path(folder),
            )
            run_pair(options, nobody)
            return used_s() - before
    finally:
        module.WatchedTree = WatchedTree


def _refused(*_arguments: object) -> WatchedTree:
    raise OSError(0, "not observed, to compare")


if __name__ == "__main__":
    main()
