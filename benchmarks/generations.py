"""Cost of a generation from materialize to publish, and its growth over a run."""

import tempfile
import time
from pathlib import Path

from benchmarks.measure import Row, show
from hyperspace.kernel.events import Event, GenerationClosed
from transfer_experiment.options import PairOptions
from transfer_experiment.pair import run_pair

GENERATIONS = 30
WINDOW = 5


def main() -> None:
    """Play a pair and compare its first generations with its last ones."""
    seconds: list[float] = []

    def observe(event: Event) -> None:
        if isinstance(event, GenerationClosed) and event.generation > 0:
            seconds.append(event.seconds)

    with tempfile.TemporaryDirectory() as folder:
        options = PairOptions(
            models=("offline/tinker", "offline/magpie"),
            domain="repo_quality",
            generations=GENERATIONS,
            results=Path(folder),
        )
        started = time.perf_counter()
        run_pair(options, observe)
        total = time.perf_counter() - started
    first, last = _mean(seconds[: 2 * WINDOW]), _mean(seconds[-2 * WINDOW :])
    rows = [
        Row(f"mean of generations 1 to {WINDOW}", first * 1000, 0.0, 1.0),
        Row(f"mean of the last {WINDOW}", last * 1000, 0.0, last / first),
        Row("the whole run", total * 1000, 0.0, total / first),
    ]
    show(f"A generation of an offline pair ({GENERATIONS} generations)", rows)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
