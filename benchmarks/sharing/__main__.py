"""Score the report's estimate of sharing as a detector is scored: on worlds whose truth is known.

    python -m benchmarks.sharing [--experiments 100] [--seeds 5 10 20] [--dials helps neutral harms]

For each setting of the dial of `panel` it plays so many experiments, each on worlds of its own, and
gives them to `hyperspace report`'s own code. The true effect is the mean over all worlds that were
played. Worlds are numbered, so the table is the same every time; docs/measured/sharing.md shows it.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Final, NamedTuple, get_args

from benchmarks.sharing.teams import ARMS, play_world
from hyperspace.launch.sets import cores
from hyperspace.runs.records import Run
from hyperspace.tasks.panel.rows import Sharing
from replication.report.build import study_of
from replication.report.records import Comparison

DIALS: Final[tuple[Sharing, ...]] = get_args(Sharing)
_HEADINGS: Final = (
    "dial",
    "seeds",
    "true effect",
    "bias",
    "interval above 0",
    "holds 0",
    "below 0",
    "holds the effect",
    "told apart",
    "A/A holds 0",
)


class Estimate(NamedTuple):
    """What one experiment says.

    Attributes:
        sharing: `sharing` against `none`.
        repeated: `sharing` against its A/A arm.
    """

    sharing: Comparison
    repeated: Comparison


class Row(NamedTuple):
    """How good the estimates of so many experiments of one size are.

    Attributes:
        dial: What fresh rows are labelled by.
        seeds: Seeds of an experiment.
        effect: The true one.
        estimates: One an experiment.
    """

    dial: Sharing
    seeds: int
    effect: float
    estimates: tuple[Estimate, ...]

    def cells(self) -> tuple[str, ...]:
        """Return the columns of the table."""
        told = [estimate.sharing for estimate in self.estimates]
        ends = _intervals(told)
        mean = statistics.mean(row.difference or 0.0 for row in told)
        repeated = _intervals([estimate.repeated for estimate in self.estimates])
        return (
            self.dial,
            str(self.seeds),
            f"{self.effect:+.4f}",
            f"{mean - self.effect:+.4f}",
            _share([low > 0 for low, _ in ends]),
            _share([low <= 0 <= high for low, high in ends]),
            _share([high < 0 for _, high in ends]),
            _share([low <= self.effect <= high for low, high in ends]),
            _share([row.verdict == "separable" for row in told]),
            _share([low <= 0 <= high for low, high in repeated]),
        )


def score(dial: Sharing, sizes: Sequence[int], experiments: int) -> Iterator[Row]:
    """Play worlds under one dial, and let experiments of every size be made of them.

    Args:
        dial: Of `panel`.
        sizes: Seeds of an experiment; every size uses the worlds from the first one on.
        experiments: How many of each size.
    """
    worlds = range(1, experiments * max(sizes) + 1)
    with ProcessPoolExecutor(cores()) as pool:
        runs = list(pool.map(partial(play_world, dial=dial), worlds, chunksize=10))
    sharing, none = ARMS[:2]
    effect = statistics.mean(_test(played, sharing) - _test(played, none) for played in runs)
    for size in sizes:
        yield Row(
            dial,
            size,
            effect,
            tuple(
                estimate([run for played in runs[start : start + size] for run in played])
                for start in range(0, experiments * size, size)
            ),
        )


def estimate(runs: Sequence[Run]) -> Estimate:
    """Return what the report says of one experiment."""
    (report,) = study_of(runs, "simulated").report.experiments
    (shared,) = [row for row in report.comparisons if row.measure == report.primary]
    (repeated,) = report.repeats
    return Estimate(shared, repeated)


def _test(played: Sequence[Run], arm: str) -> float:
    (score,) = [run.test for run in played if run.arm == arm]
    return score or 0.0


def _intervals(rows: Sequence[Comparison]) -> list[tuple[float, float]]:
    return [(row.low, row.high) for row in rows if row.low is not None and row.high is not None]


def _share(flags: Sequence[bool]) -> str:
    return f"{sum(flags)}/{len(flags)}" if flags else "-"


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sharing", description=__doc__)
    parser.add_argument("--experiments", type=int, default=100, help="of each size and dial")
    parser.add_argument("--seeds", type=int, nargs="+", default=[5, 10, 20], help="of one each")
    parser.add_argument("--dials", nargs="+", choices=DIALS, default=DIALS, help="of panel")
    options = parser.parse_args(arguments)
    print(f"| {' | '.join(_HEADINGS)} |")
    print("|" + "---|" * len(_HEADINGS))
    for dial in options.dials:
        for row in score(dial, options.seeds, options.experiments):
            print(f"| {' | '.join(row.cells())} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
