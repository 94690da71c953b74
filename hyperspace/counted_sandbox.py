"""A sandbox that counts the CPU time of what runs in it.

The first process of a sandbox is killed at its end, and what is killed there nobody waits for: the
kernel adds its time to no one's. So the processes are looked at right before the end.
"""

import os
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
        self._cpu_s: dict[tuple[int, int], float] = {}

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
        """Return the CPU seconds of all that was started since this object was made."""
        return sum(self._cpu_s.values())

    def _look(self) -> None:
        processes = list(_processes())
        ours = {os.getpid()}
        # A parent starts before its children; of equal starts, the smaller number came first.
        for process in sorted(processes, key=lambda process: (process.start, process.pid)):
            if process.parent in ours:
                ours.add(process.pid)
                self._cpu_s[process.pid, process.start] = process.cpu_s


def _processes() -> Iterator[_Process]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            ticks = sum(map(int, fields[_TIMES]))
            yield _Process(
                int(folder.name), int(fields[_PARENT]), int(fields[_START]), ticks / _TICKS
            )
