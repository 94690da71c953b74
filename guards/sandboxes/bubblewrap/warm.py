"""Sandbox `bubblewrap`, warm: each candidate is forked from a template, into fresh namespaces.

The walls are those of a cold start (`guards.sandboxes.bubblewrap.bubblewrap`), and a candidate sees
no difference. What is saved is the start of bubblewrap and of Python.
"""

import weakref
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from functools import cache
from typing import Final

from guards.sandboxes.boot import boot_message, resource_limits
from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox, NamespaceTree
from guards.sandboxes.bubblewrap.cgroup import sweep_groups
from guards.sandboxes.bubblewrap.confinement import WORKSPACE
from guards.sandboxes.bubblewrap.prewarmed import Needs, PrewarmedSandboxes
from guards.sandboxes.bubblewrap.template import WarmTemplate
from guards.sandboxes.control import ControlledRun, controlled
from guards.sandboxes.sandbox import Job, Limits, Running, SandboxError
from guards.sandboxes.sweep import sweep_marked
from guards.sandboxes.tools import binds_for

MOST_READY: Final = 8  # some 2 MB each; for all needs together three times as many


@cache
def why_cold() -> str | None:
    """Fork a sandbox that does nothing; None when that works, else why not.

    The answer is kept for the life of the process.
    """
    try:
        with closing(WarmTemplate("probe")) as template:
            template.fork(Limits(), has_broker=True).release()
    except SandboxError as error:
        return str(error)
    return None


class WarmBubblewrapSandbox:
    """Runs jobs in namespaces forked from a template of its own; implements `Sandbox`.

    Where the kernel does not let a sandbox make namespaces, each job starts cold, and so does a
    job with tools, packages, cards or folders that a template does not see. The template ends with
    this object, or with the program.
    """

    name = "bubblewrap"
    is_boundary = True

    def __init__(self, ready: int = MOST_READY) -> None:
        """Make one.

        Args:
            ready: How many empty sandboxes a label has ready for jobs of equal needs, at most.
        """
        self._cold = BubblewrapSandbox()
        self._ready = ready
        self._by_label: dict[str, PrewarmedSandboxes] = {}
        self._is_proved: bool | None = None  # None until a template has been tried
        self._end = weakref.finalize(self, _close_all, self._by_label)

    @asynccontextmanager
    async def start(self, job: Job) -> AsyncGenerator[Running]:
        """Start a job in a fresh sandbox; see `Sandbox`."""
        message = boot_message(job, resource_limits(job.limits), tied=False)
        if (sandboxes := self._sandboxes(job)) is None:
            async with self._cold.start(job) as running:
                yield running
            return
        needs = Needs(job.limits, job.broker is not None)
        empty = sandboxes.take(needs) or await sandboxes.make(needs)
        try:
            door = empty.process.take_door()
            if job.broker is not None and door is not None:
                job.broker.answer_at(door)
            tree = NamespaceTree(empty.process, empty.process.pid)
            run = ControlledRun(empty.process, tree, job, WORKSPACE, groups=empty.groups)
            async with controlled(run, message):
                yield run
        finally:
            sandboxes.discard(empty)

    def sweep(self, label: str) -> None:
        """Kill and remove what a killed coordinator of that label left behind."""
        if (ours := self._by_label.pop(label, None)) is not None:
            ours.close()
        sweep_marked(label)
        sweep_groups(label)

    def close(self) -> None:
        """End the templates, and with them all that runs; the next job starts a new one."""
        _close_all(self._by_label)

    def _sandboxes(self, job: Job) -> PrewarmedSandboxes | None:
        """Those of the job's label; None where it has to start cold."""
        if job.packages or job.cards or job.folders or binds_for(job.tools):
            return None
        label = job.label
        ours = self._by_label.get(label)
        if self._is_proved is not False and (ours is None or not ours.template.is_alive()):
            if ours is not None:
                ours.close()
            try:
                template = self._proved(WarmTemplate(label, job.shared))
            except SandboxError:  # `why_cold` tells why
                if self._is_proved:
                    raise
                self._is_proved = False
            else:
                for other in self._by_label.values():  # a run that is over needs no more
                    other.rest()
                self._by_label[label] = ours = PrewarmedSandboxes(template, label, self._ready)
        return ours

    def _proved(self, template: WarmTemplate) -> WarmTemplate:
        """Try a template when it is the first; one that does not work is closed."""
        try:
            if not self._is_proved:
                template.fork(Limits(), has_broker=True).release()
        except SandboxError:
            template.close()
            raise
        self._is_proved = True
        return template


def _close_all(sandboxes: dict[str, PrewarmedSandboxes]) -> None:
    while sandboxes:
        sandboxes.popitem()[1].close()
