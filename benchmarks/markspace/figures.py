"""The single figures. Each builds on the space that the one before left."""

import gc
import resource
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

WRITES = 5_000
READS = 200
BATCH = 100
WRITERS = 16
HITS = 10
TEXT = "x" * 200


class Figure(NamedTuple):
    """One figure.

    Attributes:
        name: What was done.
        value: How much, in `unit`.
        unit: Such as "1/s", "ms" or "bytes".
        seconds: Seconds that one operation took; 0 where that says nothing.
    """

    name: str
    value: float
    unit: str
    seconds: float


def rate(name: str, count: int, seconds: float) -> Figure:
    """Return operations per second."""
    return Figure(name, count / seconds, "1/s", seconds / count)


def clocked(work: Callable[[], object]) -> float:
    """Return how many seconds some work takes."""
    gc.collect()
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


@dataclass
class Record:
    """The bare record that everything is compared with."""

    id: Any
    scope: str
    topic: str
    content: str


def bare_figure() -> Figure:
    """Put bare records with random ids into a dict."""
    table: dict[Any, Record] = {}

    def work() -> None:
        for _ in range(WRITES * 4):
            record = Record(uuid4(), "bench", "t", TEXT)
            table[record.id] = record

    return rate("a bare record, random id and dict insert", WRITES * 4, clocked(work))


class Bench:
    """A space to measure, of this package or another of the same API."""

    def __init__(self, module: Any, store: Any) -> None:
        self.module = module
        scopes = [module.Scope(name="bench"), module.Scope(name="other")]
        options = {} if store is None else {"store": store}
        self.space = module.MarkSpace(scopes, **options)
        self.guard = module.Guard(self.space)
        self.agent = self.new_agent()
        self.batches = hasattr(self.space, "write_all")

    def new_agent(self) -> Any:
        """An agent that may write everything."""
        rights = [kind.value for kind in self.module.MarkType]
        return self.module.Agent(name="bench", scopes={"bench": rights, "other": rights})

    def mark(self, topic: str = "t") -> Any:
        """A mark to write."""
        return self.module.Observation(scope="bench", topic=topic, content=TEXT)

    def write(self, count: int, guard: Any = None, topics: int = 1) -> None:
        """Write marks one by one."""
        for number in range(count):
            (guard or self.guard).write_mark(self.agent, self.mark(f"t{number % topics}"))

    def fill(self, count: int) -> None:
        """Write marks in batches, 10 of them to a topic."""
        for start in range(0, count, 1000):
            numbers = range(start, min(start + 1000, count))
            marks = [(self.agent, self.mark(f"fill{n // HITS}")) for n in numbers]
            if self.batches:
                self.space.write_all(marks)
            for who, mark in () if self.batches else marks:
                self.space.write(who, mark)

    def write_batches(self) -> None:
        """Write the same number of marks in batches."""
        for _ in range(WRITES // BATCH):
            self.guard.write_all([(self.agent, self.mark()) for _ in range(BATCH)])

    def write_at_once(self) -> None:
        """Write by many threads."""
        share = WRITES // WRITERS
        threads = [threading.Thread(target=self.write, args=(share,)) for _ in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def execute(self, count: int) -> None:
        """Run a tool on fresh resources."""
        for _ in range(count):
            name = str(uuid4())
            self.guard.execute(self.agent, "bench", name, "plan", "do", int)


def figures(module: Any, store: Any, marks: int) -> list[Figure]:
    """Measure everything on one store."""
    bench = Bench(module, store)
    bench.write(500)
    rows = [rate("guarded write", WRITES, clocked(lambda: bench.write(WRITES)))]
    if bench.batches:
        rows.append(rate("guarded write, batches of 100", WRITES, clocked(bench.write_batches)))
    rows.append(rate("guarded write, 16 threads", WRITES, clocked(bench.write_at_once)))
    rows += grown(bench, marks)
    rows += reads(bench)
    rows.append(
        rate(f"execute beside {marks:,} marks", READS, clocked(lambda: bench.execute(READS)))
    )
    rows += stalls(bench)
    rows.append(crowded(bench))
    return rows


def crowded(bench: Bench) -> Figure:
    """Write with an envelope, 1000 subscribers and 20,000 topics."""
    module = bench.module
    guard = module.Guard(bench.space, envelope=module.StatisticalEnvelope())
    pattern = module.WatchPattern(scope="other")
    for _ in range(1000):
        bench.space.subscribe(bench.new_agent(), [pattern])
    seconds = clocked(lambda: bench.write(20_000, guard, topics=20_000))
    return rate("guarded write, 1000 subscribers, 20,000 topics", 20_000, seconds)


def grown(bench: Bench, marks: int) -> list[Figure]:
    """Fill the space and see what a mark takes in memory."""
    before = resident()
    seconds = clocked(lambda: bench.fill(marks))
    taken = resident() - before
    return [
        rate("write, batches of 1000", marks, seconds),
        Figure(f"resident memory a mark of {len(TEXT)} bytes", taken / marks, "bytes", 0.0),
    ]


def resident() -> int:
    """Return this process's resident memory in bytes."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def reads(bench: Bench) -> list[Figure]:
    """Read by topic and by type: 10 hits among all."""
    for _ in range(HITS):
        bench.space.write(bench.agent, bench.module.Need(scope="bench", question="q"))
    need = bench.module.MarkType.NEED

    def by_topic() -> None:
        for number in range(READS):
            assert len(bench.space.read("bench", topic=f"fill{number}")) == HITS  # noqa: S101

    def by_type() -> None:
        for _ in range(READS):
            bench.space.read("bench", mark_type=need)

    found = {"topic": clocked(by_topic) / READS, "type": clocked(by_type) / READS}
    return [Figure(f"read by {by}, 10 hits", s * 1e6, "us", s) for by, s in found.items()]


def stalls(bench: Bench) -> list[Figure]:
    """Compare the slowest writes beside a reader of this space and of another."""
    other = Bench(bench.module, None)
    other.fill(2000)
    bench.fill(2000)
    beside = {"this": p99_beside(bench, bench), "another": p99_beside(bench, other)}
    return [
        Figure(f"write p99 beside a reader of {which} space", s * 1e6, "us", s)
        for which, s in beside.items()
    ]


def p99_beside(bench: Bench, busy: Bench) -> float:
    """Return the 99th percentile of write times while a thread reads without pause."""
    stop, times = threading.Event(), list[float]()

    def read() -> None:
        number = 0
        while not stop.is_set():
            busy.space.read("bench", topic=f"fill{number % 200}")
            number += 1

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(WRITES // 5):
        times.append(clocked_once(bench))
    stop.set()
    reader.join()
    return statistics.quantiles(times, n=100)[98]


def clocked_once(bench: Bench) -> float:
    """Return how long one write takes."""
    started = time.perf_counter()
    bench.space.write(bench.agent, bench.mark())
    return time.perf_counter() - started
