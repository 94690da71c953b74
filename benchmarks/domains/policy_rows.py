"""Policy evolution on other rows: `python -m benchmarks.domains.policy_rows --rows 100`.

Plays the three conditions of `replication.policy` on the rows of generator seeds 2 and up, with
the published five seeds. What is compared is the mean over those of the final best, one value for
each generator seed: rows are what varies, not runs on them. Differences are paired by rows.
"""

import argparse
import math
import statistics
from collections.abc import Sequence

from hyperspace.tasks.repo_quality.domain import DEFAULT_ROWS_SEED
from hyperspace.tasks.repository_rows import generate
from replication.policy.conditions import CONDITIONS, ITERATIONS, best, play, published_seeds
from replication.report.statistics.paired import differences, signed_rank

SPLITS = ("train", "test")
PUBLISHED = {"hyperagent": 0.85, "baseline": 0.85, "no_archive": 0.80}
Scores = dict[tuple[str, str], list[float]]


def main() -> None:
    """Play what the command line asks for, and print a table and the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100, help="how many generator seeds")
    arguments = parser.parse_args()
    first = DEFAULT_ROWS_SEED + 1
    scores: Scores = {(name, split): [] for name in CONDITIONS for split in SPLITS}
    for rows_seed in range(first, first + arguments.rows):
        _play(rows_seed, scores)
    _table(scores)
    for other in ("baseline", "no_archive"):
        for split in SPLITS:
            _compare(scores["hyperagent", split], scores[other, split], f"{other} on {split}")


def _play(rows_seed: int, scores: Scores) -> None:
    rows = generate(rows_seed)
    for name in CONDITIONS:
        finals = [best(play(name, rows, seed, ITERATIONS)) for seed in published_seeds(5)]
        for split in SPLITS:
            values = [getattr(entry.evaluation, f"{split}_accuracy") for entry in finals]
            scores[name, split].append(statistics.fmean(values))


def _table(scores: Scores) -> None:
    as_published = [
        all(round(scores[name, "train"][at], 3) == PUBLISHED[name] for name in CONDITIONS)
        for at in range(len(scores["baseline", "train"]))
    ]
    print(f"rows with the published train figures: {sum(as_published)} of {len(as_published)}")
    for name in CONDITIONS:
        told = (_spread(scores[name, split]) for split in SPLITS)
        print(f"{name:<12} {'   '.join(told)}")


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.fmean(values):.3f} ({min(values):.2f} to {max(values):.2f})"


def _compare(first: Sequence[float], second: Sequence[float], what: str) -> None:
    diffs = differences(first, second)
    error = statistics.stdev(diffs) / math.sqrt(len(diffs))
    mean, test = statistics.fmean(diffs), signed_rank(diffs)
    better, worse = sum(diff > 0 for diff in diffs), sum(diff < 0 for diff in diffs)
    # No difference anywhere: what share of rows could still have one (exact, 95%).
    span = f"{mean - 1.96 * error:+.3f} to {mean + 1.96 * error:+.3f}"
    if not any(diffs):
        span = f"none seen; rows with one are below {1 - 0.05 ** (1 / len(diffs)):.1%}"
    print(
        f"hyperagent - {what}: mean {mean:+.3f} (95% {span}), p {test.p:.2g}; "
        f"better on {better} rows, equal on {test.zeros}, worse on {worse}"
    )


if __name__ == "__main__":
    main()
