"""Speeds of several versions of the package in turns: `python -m benchmarks.markspace.beside A B`.

A and B are folders that hold a package `markspace`, such as a worktree of another commit or an
unpacked wheel of the published package. Each runs in a process of its own, all on one core; a row
is the median speed of the last one relative to each of the others, in CPU time of the fastest of
many short batches, which other work on the machine disturbs least.
"""

import gc
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROUNDS = 9
MARKS = 1000
WRITES, READS = (300, 10), (20, 1)  # batches, and how many in each
ROWS = (
    "guarded write",
    "guarded write of 10 kB",
    "guarded write with a sink",
    "read of 1000 marks",
    "the same, max_tokens",
    "gc with nothing to do",
)
SHORT, LONG = "x" * 200, "x" * 10_000


class Work:
    """The operations, on whatever package `markspace` this process imports."""

    def __init__(self) -> None:
        import markspace

        self.package: Any = markspace
        rights = [kind.value for kind in markspace.MarkType]
        self.agent: Any = self.package.Agent(name="bench", scopes={"bench": rights})
        self.filled = self.space()
        for number in range(MARKS):
            self.filled.write(self.agent, self.mark(f"fill{number // 10}", SHORT))

    def space(self) -> Any:
        """Return an empty space."""
        return self.package.MarkSpace([self.package.Scope(name="bench")])

    def mark(self, topic: str, text: str) -> Any:
        """Return a mark to write."""
        return self.package.Observation(scope="bench", topic=topic, content=text)

    def write(self, text: str = SHORT, **options: Any) -> float:
        """Return the seconds that a guarded write takes."""
        guard = self.package.Guard(self.space(), **options)
        return each(lambda: guard.write_mark(self.agent, self.mark("t", text)), *WRITES)

    def rows(self) -> dict[str, Callable[[], float]]:
        """Return what is measured."""
        read, sink = self.filled.read, self.package.InMemorySink
        works: list[Callable[[], float]] = [
            self.write,
            lambda: self.write(LONG),
            lambda: self.write(telemetry=sink()),
            lambda: each(lambda: read("bench"), *READS),
            lambda: each(lambda: read("bench", max_tokens=2000), *READS),
            lambda: each(self.filled.gc, *READS),
        ]
        return dict(zip(ROWS, works, strict=True))


def each(work: Callable[[], object], batches: int, size: int) -> float:
    """Return the seconds of CPU time that one operation takes in the fastest batch."""
    gc.collect()
    fastest = math.inf
    for _ in range(batches):
        started = time.process_time()
        for _ in range(size):
            work()
        fastest = min(fastest, time.process_time() - started)
    return fastest / size


def serve() -> None:
    """Measure the rows whose names are read, one a line."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows = Work().rows()
    for line in sys.stdin:
        print(rows[line.strip()](), flush=True)


def begun(folder: str) -> "subprocess.Popen[str]":
    """Start a process that measures the package in a folder."""
    command = [sys.executable, __file__, "--serve", str(Path(folder).resolve())]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def measured(process: "subprocess.Popen[str]", row: str) -> float:
    """Return the seconds that an operation takes in a process."""
    assert process.stdin and process.stdout  # noqa: S101 - both are pipes
    process.stdin.write(row + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main(folders: list[str]) -> int:
    """Measure in turns and print."""
    processes = [begun(folder) for folder in folders]
    for row in ROWS:
        rounds = [[measured(process, row) for process in processes] for _ in range(ROUNDS)]
        ratios = [
            statistics.median(times[n] / times[-1] for times in rounds)
            for n in range(len(folders) - 1)
        ]
        print(f"{row:<28}" + "".join(f"{ratio:8.2f}" for ratio in ratios), flush=True)
    for process in processes:
        process.communicate()
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        sys.path[0] = sys.argv[2]
        serve()
    else:
        sys.exit(main(sys.argv[1:]))
