"""Timing things side by side, so that a busy machine slows all of them alike."""

import json
import resource
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Cost(NamedTuple):
    """Time and memory of one repetition.

    Attributes:
        wall_s: Wall time in seconds.
        cpu_s: CPU time in seconds, as far as the counter sees it.
    """

    wall_s: float
    cpu_s: float


class Row(NamedTuple):
    """Medians over the repetitions of one operation.

    Attributes:
        name: What was done.
        wall_ms: Median wall time in milliseconds.
        cpu_ms: Median CPU time in milliseconds.
        ratio: Median, over repetitions, of wall time relative to the first operation's.
    """

    name: str
    wall_ms: float
    cpu_ms: float
    ratio: float


def own_cpu_s() -> float:
    """CPU time of this process and of the children that it has waited for, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def compare(
    operations: Mapping[str, Callable[[], object]],
    repeats: int,
    cpu_s: Callable[[], float] = own_cpu_s,
) -> list[Row]:
    """Time operations in turn, after one warm-up each; the first is the yardstick.

    Args:
        operations: By name.
        repeats: Of each.
        cpu_s: Counter of CPU time.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in operations}
    for repeat in range(repeats + 1):
        for name, operation in operations.items():
            cost = _measure(operation, cpu_s)
            if repeat:
                costs[name].append(cost)
    yardstick = next(iter(costs.values()))
    return [_row(name, own_costs, yardstick) for name, own_costs in costs.items()]


def show(title: str, rows: list[Row]) -> None:
    """Print rows as text and as one line of JSON."""
    print(f"\n{title}")
    for row in rows:
        print(f"  {row.name:<44} {row.wall_ms:9.1f} ms  {row.cpu_ms:9.1f} ms CPU  x{row.ratio:.2f}")
    print(json.dumps({"title": title, "rows": [row._asdict() for row in rows]}))


def _measure(operation: Callable[[], object], cpu_s: Callable[[], float]) -> Cost:
    wall, cpu = time.perf_counter(), cpu_s()
    operation()
    return Cost(time.perf_counter() - wall, cpu_s() - cpu)


def _row(name: str, own_costs: list[Cost], yardstick: list[Cost]) -> Row:
    ratios = [cost.wall_s / base.wall_s for cost, base in zip(own_costs, yardstick, strict=True)]
    return Row(
        name,
        statistics.median(cost.wall_s for cost in own_costs) * 1000,
        statistics.median(cost.cpu_s for cost in own_costs) * 1000,
        statistics.median(ratios),
    )
