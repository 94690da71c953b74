"""What advice is worth to `offline/heeding`, one try each: `python -m benchmarks.domains.advice`.

On the domain panel, 8 kinds, 30 trials a try: the reviewer's advice on the seed, the advice that it
gives on other rows (shuffled), and advice that names nothing, with which the whole code is
searched. Gains are on train, which decides what the worker keeps.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from replication.report.statistics.paired import differences, signed_rank
from tests.support.runs.advised import Told

VAGUE = {"issue_type": "quality", "fix": "Think harder."}
KINDS_OF_ADVICE = ("own", "shuffled", "vague")


def main() -> None:
    """Play the tries, and print the mean gain of each kind of advice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10, help="how many generator seeds")
    tasks = [Told(seed) for seed in range(1, parser.parse_args().rows + 1)]
    gains: dict[str, list[float]] = {name: [] for name in KINDS_OF_ADVICE}
    for number, task in enumerate(tasks):
        others = [other for other in tasks if other.worst != task.worst]
        advice = (task.advice, others[number % len(others)].advice, VAGUE)
        for name, given in zip(KINDS_OF_ADVICE, advice, strict=True):
            with tempfile.TemporaryDirectory() as folder:
                gain = task.heeded(Path(folder), given).train - task.first.train
            gains[name].append(gain)
    for name in KINDS_OF_ADVICE:
        told = f"{name:<9} mean gain {statistics.fmean(gains[name]):+.3f}"
        if name != "own":
            diffs = differences(gains["own"], gains[name])
            better = sum(diff > 0 for diff in diffs)
            told += (
                f"; own is better on {better} of {len(diffs)} rows, p {signed_rank(diffs).p:.3g}"
            )
        print(told)


if __name__ == "__main__":
    main()
