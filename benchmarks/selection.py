"""Choosing a parent: what a draw costs in a short archive and in a long one.

Each archive grows by one generation before each draw, as in a run, and by a new midpoint wherever
chance makes one.
"""

import time
from collections.abc import Iterator
from random import Random

from benchmarks.measure import Row, show
from hyperspace.kernel.selection.named import SELECTIONS, selection
from hyperspace.kernel.state.archive import Archive, ArchiveEntry

SHORT, LONG = 100, 10_000
MEASURED = 100  # draws right before an archive is as long as that


def main() -> None:
    """Measure and show."""
    rows: list[Row] = []
    for name in SELECTIONS:
        seconds = list(draws(name))
        short, long = (_median(seconds[length - MEASURED : length]) for length in (SHORT, LONG))
        rows.append(Row(f"{name}, generation {SHORT}", short * 1e6, short * 1e6, 1.0))
        rows.append(Row(f"{name}, generation {LONG}", long * 1e6, long * 1e6, long / short))
    show("1000 choices of a parent (CPU time)", rows)


def draws(name: str) -> Iterator[float]:
    """CPU seconds of each choice while an archive grows; every fifth generation fails."""
    rng, archive, select = Random(3), Archive("a"), selection(name)
    for number in range(LONG):
        fitness = round(0.7 * rng.random(), 2)
        parent = None if number == 0 else rng.randrange(number)
        valid = number == 0 or rng.random() < 0.8
        archive.take(ArchiveEntry(number, parent, valid, fitness, fitness, fitness, False, valid))
        start = time.process_time()
        select(archive, rng)
        yield time.process_time() - start


def _median(seconds: list[float]) -> float:
    return sorted(seconds)[len(seconds) // 2]
