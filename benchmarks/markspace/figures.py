"""The rows of the table. Each builds on the space that the one before left."""

import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.markspace.bare import Bares
from benchmarks.markspace.bench import Bench
from benchmarks.markspace.timing import (
    ROUNDS,
    ROW_S,
    Bare,
    Figure,
    clocked,
    latency,
    rate,
    resident,
)

READS = 100
FEWEST = 5  # times, of which the largest still says something
TOPICS, SUBSCRIBERS = 20_000, 1000
MIB = 1024**2
OPEN = """
import sys
from benchmarks.markspace.timing import resident
from markspace import MarkSpace
from markspace.stores.sqlite import SQLiteStore
before = resident()
space = MarkSpace(store=SQLiteStore(sys.argv[1]))
assert space.read("bench", topic="fill1")
print(resident() - before)
"""


class Setting(NamedTuple):
    """A kind of store to measure.

    Attributes:
        store: The store; None is the package's own default.
        other: Another one of that kind, for comparison.
        bares: The bare operations beside it.
        writes: Writes in a round.
        path: The file, if it is one.
    """

    store: Any
    other: Any
    bares: Bares
    writes: int
    path: Path | None = None


def figures(module: Any, setting: Setting, marks: int) -> Iterator[Figure]:
    """Measure everything on one store, row by row."""
    bench, bares, count = Bench(module, setting.store), setting.bares, setting.writes
    bench.write(500)
    yield rate("guarded write", count, bench.write, bares.write)
    if bench.batches:
        name = "guarded write, write_all of 100"
        yield rate(name, count, bench.write_batches, bares.batches)
    name = "guarded write, 16 threads"
    yield rate(name, count // 16 * 16, bench.write_at_once, bares.threads)
    yield from grown(bench, setting, marks)
    yield from reads(bench, bares, marks)
    yield from stalls(bench, Bench(module, setting.other), count // 2)
    yield from crowded(bench, count)


def grown(bench: Bench, setting: Setting, marks: int) -> Iterator[Figure]:
    """Fill the space, see what marks take in memory, and whether `execute` minds them."""
    count = setting.writes // 10
    seconds = clocked(lambda: bench.fill(marks)) / marks
    yield Figure("write, batches of 1000", 1 / seconds, "1/s", seconds)
    if setting.path is not None:
        yield Figure(f"opening {marks:,} marks", opening(setting.path), "MB", 0.0)
    elif setting.store is None:
        yield memory(bench.module, marks)
    calm = Bench(bench.module, setting.other)
    calm.execute(count)
    alone = Bare("the same in an empty space", calm.execute)
    yield rate(f"execute beside {marks:,} marks", count, bench.execute, alone)


def memory(module: Any, marks: int) -> Figure:
    """Return how much resident memory a guarded mark takes in a space of its own."""
    fresh = Bench(module, None)
    before = resident()
    fresh.write(marks)
    taken = (resident() - before) / marks
    return Figure("resident memory a guarded 200-byte mark", taken, "bytes", 0.0)


def opening(path: Path) -> float:
    """Return how many MB of resident memory opening a space adds to a fresh process."""
    command = [sys.executable, "-c", OPEN, str(path)]
    return int(subprocess.run(command, capture_output=True, check=True).stdout) / MIB


def reads(bench: Bench, bares: Bares, marks: int) -> Iterator[Figure]:
    """Read by each index: 10 hits among all."""
    bench.fill_rare()
    works = {
        "topic": bench.read_topics,
        "resource": bench.read_resource,
        "type": bench.read_type,
    }
    for by, work in works.items():
        yield latency(f"read by {by}, 10 hits among {marks:,}", READS, work, bares.read)


def stalls(bench: Bench, other: Bench, count: int) -> list[Figure]:
    """Compare the slowest writes beside a reader of this space and of another."""
    other.fill(2000)
    pairs = [
        (p99_beside(bench, other, count), p99_beside(bench, bench, count)) for _ in range(ROUNDS)
    ]
    away, here = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(there / elsewhere for elsewhere, there in pairs)
    name = "write p99 beside a reader of another space"
    return [
        Figure(name, away * 1e6, "us", away),
        Figure("write p99 beside a reader of this space", here * 1e6, "us", here, ratio, name),
    ]


def p99_beside(bench: Bench, busy: Bench, count: int) -> float:
    """Return the 99th percentile of write times while a thread reads without pause."""
    stop, times = threading.Event(), list[float]()

    def read() -> None:
        while not stop.is_set():
            busy.read_topics(10)

    reader = threading.Thread(target=read)
    reader.start()
    deadline = time.perf_counter() + ROW_S / ROUNDS
    while len(times) < count and (len(times) < FEWEST or time.perf_counter() < deadline):
        started = time.perf_counter()
        bench.write(1)
        times.append(time.perf_counter() - started)
    stop.set()
    reader.join()
    return statistics.quantiles(times, n=100)[98]


def crowded(bench: Bench, count: int) -> Iterator[Figure]:
    """Write with an envelope, before and after there are many subscribers and topics."""
    calm = Bench(bench.module, None)
    calm.space, calm.agent = bench.space, bench.new_agent()
    calm.crowd(1, 0)
    bench.crowd(TOPICS, SUBSCRIBERS)
    bare = Bare("guarded write, with an envelope", calm.write)
    alone = Bare("guarded write", partial(Bench.write, plain(bench)))
    yield rate(bare.name, count, calm.write, alone)
    yield rate("the same, 1000 subscribers, 20,000 topics", count, bench.write, bare)
    on_topics = partial(bench.write_topics, topics=TOPICS)
    yield rate("the same, each write on another topic", count, on_topics, bare)


def plain(bench: Bench) -> Bench:
    """Return a bench on the same space without an envelope."""
    same = Bench(bench.module, None)
    same.space, same.guard, same.agent = bench.space, bench.guard, bench.new_agent()
    same.guard = bench.module.Guard(bench.space)
    return same
