"""A sandbox that counts the CPU time of what runs in it, and of the host's other children.

The first process of a sandbox is killed at its end, and what is killed there nobody waits for: the
kernel adds its time to no one's. So the processes are looked at right before the end. Children that
hold environments end at other times, and are waited for.
"""

import math
import os
import resource
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from guards.sandboxes.sandbox import Job, Running, Sandbox

# Fields of /proc/PID/stat behind the name in brackets, as proc(5) numbers them, from 0.
_PARENT: Final = 1
_TIMES: Final = slice(11, 15)  # user, system, and both of the children that were waited for
_START: Final = 19
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class _Process(NamedTuple):
    pid: int
    parent: int
    start: int
    cpu_s: float


class CountedSandbox:
    """A `Sandbox` around another one.

    What ends before its sandbox is left, such as code that crashes, is counted up to where the
    process before it was left. Linux alone.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._seen: dict[tuple[int, int], _Process] = {}
        self._look()
        self._before_s = self._seen_s() + _ended_children_s()

    @property
    def name(self) -> str:
        """See `Sandbox`."""
        return self._sandbox.name

    @property
    def is_boundary(self) -> bool:
        """See `Sandbox`."""
        return self._sandbox.is_boundary

    @asynccontextmanager
    async def start(self, job: Job) -> AsyncGenerator[Running]:
        """Start a job; see `Sandbox`."""
        async with self._sandbox.start(job) as running:
            try:
                yield running
            finally:
                self._look()

    def sweep(self, label: str) -> None:
        """See `Sandbox`."""
        self._sandbox.sweep(label)

    def cpu_s(self) -> float:
        """Return the CPU seconds of this process's children since this object was made."""
        self._look()
        alive = {(process.pid, process.start) for process in _processes()}
        counted_twice = math.fsum(
            process.cpu_s
            for key, process in self._seen.items()
            if process.parent == os.getpid() and key not in alive
        )
        return self._seen_s() + _ended_children_s() - counted_twice - self._before_s

    def _seen_s(self) -> float:
        return math.fsum(process.cpu_s for process in self._seen.values())

    def _look(self) -> None:
        processes = list(_processes())
        ours = {os.getpid()}
        # A parent starts before its children; of equal starts, the smaller number came first.
        for process in sorted(processes, key=lambda process: (process.start, process.pid)):
            if process.parent in ours:
                ours.add(process.pid)
                self._seen[process.pid, process.start] = process


def _ended_children_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _processes() -> Iterator[_Process]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            ticks = sum(map(int, fields[_TIMES]))
            yield _Process(
                int(folder.name), int(fields[_PARENT]), int(fields[_START]), ticks / _TICKS
            )
