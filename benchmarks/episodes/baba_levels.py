"""Draws levels of every kind of `babaisai` until enough of each have been solved, and notes them.

    python -m benchmarks.episodes.baba_levels [FILE]

Writes the numbers of the levels with the length of their shortest plans, by kind. Without a file
it writes the one that the domain reads; that takes some minutes.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hyperspace.tasks.babaisai.levels import KINDS, draw_level
from hyperspace.tasks.babaisai.pool import POOL, is_sealed
from hyperspace.tasks.babaisai.solver import shortest_plan

PER_KIND = 16
PER_SEALED_KIND = 8  # of those that only test has


def solved(kind: str, layouts: set[str]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of a kind's levels that have a plan, with its length; without end.

    Args:
        kind: One of the kinds.
        layouts: Those that are taken; no two levels are the same but for their kind.
    """
    number = 0
    while True:
        level = draw_level(kind, number)
        layout = json.dumps([sorted(level["blocks"]), sorted(level["objects"])])
        if layout not in layouts and (plan := shortest_plan(level)) is not None:
            layouts.add(layout)
            yield number, len(plan)
        number += 1


def main(file: Path = POOL) -> None:
    """Solve levels and write the file; prints a line for each kind."""
    layouts = set[str]()
    pool: dict[str, Any] = {}
    for kind in KINDS:
        start = time.process_time()
        levels = solved(kind, layouts)
        count = PER_SEALED_KIND if is_sealed(kind) else PER_KIND
        pool[kind] = [next(levels) for _ in range(count)]
        drawn, plans = pool[kind][-1][0] + 1, sorted(plan for _, plan in pool[kind])
        cpu_s = time.process_time() - start
        print(f"{kind:55} {count} of {drawn} in {cpu_s:6.1f} CPU s, plans {plans}", flush=True)
        write(pool, file)


def write(pool: dict[str, Any], file: Path) -> None:
    """Write what has been solved so far."""
    lines = [f"{json.dumps(kind)}: {json.dumps(levels)}" for kind, levels in pool.items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
