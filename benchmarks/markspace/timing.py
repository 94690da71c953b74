"""Rows of the table: medians of rounds in which an operation and its bare one take turns."""

import gc
import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

ROUNDS = 5
ROW_S = 10.0  # about as long as a row may take on either side
NOTICED_S = 0.05  # what took as long says how long an operation takes


class Figure(NamedTuple):
    """One row of the table.

    Attributes:
        name: What was done.
        value: How much, in `unit`; the median of the rounds.
        unit: "1/s", "us", "bytes" or "MB".
        seconds: Seconds that one operation took; 0 where that says nothing.
        ratio: `value` divided by that of the bare operation, measured in turns; 0 if there is none.
        bare: The bare operation.
    """

    name: str
    value: float
    unit: str
    seconds: float
    ratio: float = 0.0
    bare: str = ""


class Bare(NamedTuple):
    """A bare operation, done `count` times by `work(count)`."""

    name: str
    work: Callable[[int], object]


def rate(name: str, count: int, work: Callable[[int], object], bare: Bare) -> Figure:
    """Return how often a second `work(count)` does its operation, and the bare one its own."""
    ours, theirs = in_turns(count, work, bare)
    seconds = statistics.median(ours)
    return Figure(name, 1 / seconds, "1/s", seconds, speed_ratio(ours, theirs), bare.name)


def latency(name: str, count: int, work: Callable[[int], object], bare: Bare) -> Figure:
    """Return how many microseconds one operation takes, relative to the bare one."""
    ours, theirs = in_turns(count, work, bare)
    seconds = statistics.median(ours)
    ratio = 1 / speed_ratio(ours, theirs)
    return Figure(name, seconds * 1e6, "us", seconds, ratio, bare.name)


def in_turns(
    count: int, work: Callable[[int], object], bare: Bare
) -> tuple[list[float], list[float]]:
    """Return the seconds an operation of each kind takes, per round."""
    ours, theirs = list[float](), list[float]()
    count = affordable(count, work)
    for _ in range(ROUNDS):
        theirs.append(clocked(lambda: bare.work(count)) / count)
        ours.append(clocked(lambda: work(count)) / count)
    return ours, theirs


def affordable(count: int, work: Callable[[int], object]) -> int:
    """Return how often to do an operation in a round, at most `count` times: slow ones seldom."""
    sample, seconds = 1, clocked(partial(work, 1))
    while seconds < NOTICED_S and sample < count // 10:
        sample *= 10
        seconds = clocked(partial(work, sample))
    return min(count, max(1, int(ROW_S / ROUNDS * sample / seconds)))


def speed_ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median, over rounds, of our speed divided by the bare one."""
    return statistics.median(t / o for o, t in zip(ours, theirs, strict=True))


def clocked(work: Callable[[], object]) -> float:
    """Return how many seconds some work takes."""
    gc.collect()
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def resident() -> int:
    """Return this process's resident memory in bytes."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
