"""Sandbox `bubblewrap`, warm: each candidate is forked from a template, into fresh namespaces.

The walls are those of a cold start (`guards.sandboxes.bubblewrap.bubblewrap`), and a candidate sees
no difference. What is saved is the start of bubblewrap and of Python.
"""

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager, closing
from errno import EXDEV
from functools import cache

from guards.sandboxes.boot import boot_message, resource_limits
from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox, NamespaceTree, lend_broker
from guards.sandboxes.bubblewrap.cgroup import bounded, sweep_groups
from guards.sandboxes.bubblewrap.confinement import WORKSPACE
from guards.sandboxes.bubblewrap.forked import ForkedProcess
from guards.sandboxes.bubblewrap.template import WarmTemplate
from guards.sandboxes.control import ControlledRun, controlled
from guards.sandboxes.sandbox import Job, Running, SandboxError, SandboxFailed
from guards.sandboxes.sweep import sweep_marked
from guards.sandboxes.tools import binds_for


@cache
def why_cold() -> str | None:
    """Fork a sandbox that does nothing; None when that works, else why not.

    The answer is kept for the life of the process.
    """
    try:
        with closing(WarmTemplate("probe")) as template:
            template.prove()
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

    def __init__(self) -> None:
        self._cold = BubblewrapSandbox()
        self._templates: dict[str, WarmTemplate] = {}
        self._is_proved: bool | None = None  # None until a template has been tried

    @asynccontextmanager
    async def start(self, job: Job) -> AsyncGenerator[Running]:
        """Start a job in a fresh sandbox; see `Sandbox`."""
        message = boot_message(job, resource_limits(job.limits), tied=False)
        with ExitStack() as held:
            process = await self._fork(job, held)
            if process is None:
                async with self._cold.start(job) as running:
                    yield running
                return
            try:
                tree = NamespaceTree(process, process.pid)
            except BaseException:  # whatever it is, what was forked must not stay
                process.release()
                raise
            run = ControlledRun(process, tree, job, WORKSPACE)
            async with bounded(job, process.pid), controlled(run, message):
                yield run

    def sweep(self, label: str) -> None:
        """Kill and remove what a killed coordinator of that label left behind."""
        if (ours := self._templates.pop(label, None)) is not None:
            ours.close()
        sweep_marked(label)
        sweep_groups(label)

    def close(self) -> None:
        """End the templates, and with them all that runs; the next job starts a new one."""
        while self._templates:
            self._templates.popitem()[1].close()

    async def _fork(self, job: Job, held: ExitStack) -> ForkedProcess | None:
        if job.packages or job.cards or job.folders or binds_for(job.tools):
            return None
        if (template := self._template(job)) is None:
            return None
        lend_broker(job.broker_dir)
        try:
            room = held.enter_context(template.room(job.broker_dir))
        except OSError as error:
            if error.errno != EXDEV:
                raise SandboxFailed(f"the broker's socket cannot be lent: {error}") from error
            return None  # a socket can be linked on its own file system only
        return await template.fork(job.limits, room)

    def _template(self, job: Job) -> WarmTemplate | None:
        """The label's template; None where none can be had, and each job has to start cold."""
        label = job.label
        template = self._templates.get(label)
        if self._is_proved is not False and (template is None or not template.is_alive()):
            try:
                self._templates[label] = template = self._proved(WarmTemplate(label, job.shared))
            except SandboxError:  # `why_cold` tells why
                if self._is_proved:
                    raise
                self._is_proved = False
        return template

    def _proved(self, template: WarmTemplate) -> WarmTemplate:
        """Try a template when it is the first; one that does not work is closed."""
        try:
            if not self._is_proved:
                template.prove()
        except SandboxError:
            template.close()
            raise
        self._is_proved = True
        return template
