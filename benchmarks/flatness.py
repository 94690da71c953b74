"""Cost of the last of many candidates beside the first, on the warm path."""

import json
import statistics
import time
from asyncio import Runner
from contextlib import closing

from benchmarks.candidate import Candidate
from benchmarks.counted import Seconds, counted
from guards.sandboxes.bubblewrap.bubblewrap import probe
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox

MANY = 10_000
SOME = 500
BLOCK = 100
WARM_UP = 3


def main(candidates: int = MANY) -> None:
    """Compare the first hundred with the last hundred of a long series."""
    if (why := probe()) is not None:
        print(f"no bubblewrap: {why}")
        return
    with counted() as cpu_s:
        if cpu_s is None:
            print("no control group of our own can be made here, so CPU time cannot be counted")
            return
        _show(candidates, _series(candidates, cpu_s))


def _series(candidates: int, cpu_s: Seconds) -> list[tuple[float, float]]:
    candidate = Candidate()
    costs: list[tuple[float, float]] = []
    with Runner() as loop, closing(WarmBubblewrapSandbox()) as sandbox:
        for number in range(candidates + WARM_UP):
            wall, cpu = time.perf_counter(), cpu_s()
            loop.run(candidate.gate(sandbox))
            if number >= WARM_UP:
                costs.append((time.perf_counter() - wall, cpu_s() - cpu))
    return costs


def _show(candidates: int, costs: list[tuple[float, float]]) -> None:
    title = f"{candidates} candidates in a row, warm: start, gates, end"
    blocks = {"all": costs, "first": costs[:BLOCK], "last": costs[-BLOCK:]}
    rows = {name: _medians_ms(block) for name, block in blocks.items()}
    print(f"\n{title}")
    for name, (wall, cpu) in rows.items():
        print(f"  {name:<8} {wall:7.1f} ms {cpu:7.1f} ms CPU (median)")
    change = rows["last"][1] / rows["first"][1] - 1
    mean = statistics.fmean(cpu for _, cpu in costs) * 1000
    print(f"  mean {mean:.1f} ms CPU; last {BLOCK} against first {BLOCK}: {change:+.1%} CPU")
    print(json.dumps({"title": title, "mean_cpu_ms": mean, "change": change, "medians_ms": rows}))


def _medians_ms(costs: list[tuple[float, float]]) -> tuple[float, float]:
    wall, cpu = zip(*costs, strict=True)
    return statistics.median(wall) * 1000, statistics.median(cpu) * 1000
