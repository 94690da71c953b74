"""Plays the seed agent of domains with episodes: its score on each split, and what that costs.

    python -m benchmarks.episodes.seeds [NAME ...]

Games are played by the published rules, as an agent plays them that practises.
"""

import sys
import time
from typing import Any

from hyperspace.tasks.base import SPLITS, Domain
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented

NAMES = ("babaisai", "snake")


def namespace(source: bytes) -> dict[str, Any]:
    """Execute a file of a domain and return its names."""
    names: dict[str, Any] = {"__name__": "seed"}
    exec(source, names)  # noqa: S102 - our own files
    return names


def measure(name: str, domain: Domain) -> None:
    """Print a line for each split."""
    assert isinstance(domain, Documented)  # noqa: S101 - all of NAMES are
    play = namespace(domain.task_files()["score.py"])["play"]
    make = namespace(domain.seed_files()["task_agent.py"])["TaskAgent"]
    for split in SPLITS:
        start = time.process_time()
        scores = [play(item.inputs, make("offline")) for item in domain.items(split)]
        cpu_s = time.process_time() - start
        mean = sum(scores) / len(scores)
        print(
            f"{name:10} {split:6} {len(scores):4} items  mean score {mean:.3f}  {cpu_s:.2f} CPU s"
        )


def main(names: tuple[str, ...]) -> None:
    """Measure domains by name."""
    for name in names or NAMES:
        start = time.process_time()
        domain = load(name)
        print(f"{name:10} loaded in {time.process_time() - start:.2f} CPU s")
        measure(name, domain)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
