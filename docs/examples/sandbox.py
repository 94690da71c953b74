"""A sandbox in one file: bubblewrap, with a quarter of the memory.

    python docs/examples/sandbox.py audit --selftest --sandbox tight

The contract is `guards.sandboxes.sandbox.Sandbox`. Whoever writes one lets the attack corpus loose
on it before anything else. This program is `hyperspace` with one sandbox more.
"""

from contextlib import AbstractAsyncContextManager

import msgspec

from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox, probe
from guards.sandboxes.choose import register
from guards.sandboxes.sandbox import Job, Running
from hyperspace.cli import start


class TightSandbox:
    """Bubblewrap with less memory; implements `Sandbox`."""

    name = "tight"
    is_boundary = True

    def __init__(self) -> None:
        self._bubblewrap = BubblewrapSandbox()

    def start(self, job: Job) -> AbstractAsyncContextManager[Running]:
        """Start a job with a quarter of its memory; see `Sandbox`."""
        limits = msgspec.structs.replace(job.limits, memory_bytes=job.limits.memory_bytes // 4)
        return self._bubblewrap.start(msgspec.structs.replace(job, limits=limits))

    def sweep(self, label: str) -> None:
        """Remove what a killed coordinator of that label left behind."""
        self._bubblewrap.sweep(label)


register(TightSandbox.name, TightSandbox, probe)

if __name__ == "__main__":
    start.entry()
