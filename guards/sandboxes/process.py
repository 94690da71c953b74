"""Sandbox `process`: an ordinary child process with limits. It is **not a boundary**.

For the built-in offline models where nothing better exists. The code sees the host's files and
network, and runs as our own user.
"""

import os
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import anyio.to_thread
from anyio.abc import Process

from guards.sandboxes.boot import ENVIRONMENT, boot_message, init_command, resource_limits
from guards.sandboxes.control import ControlledRun, controlled
from guards.sandboxes.host_things import refuse_things
from guards.sandboxes.own_folder import own_folder
from guards.sandboxes.sandbox import Job, Running, SandboxFailed
from guards.sandboxes.sweep import kill_marked, marker, remove_folder, sweep_marked
from guards.sandboxes.tools import require_tools

# Counted per user, so it would count the person's own processes.
NOT_LIMITED = "RLIMIT_NPROC"


class ProcessSandbox:
    """Runs jobs as plain child processes; implements `Sandbox`, but confines nothing."""

    name = "process"
    is_boundary = False

    @asynccontextmanager
    async def start(self, job: Job) -> AsyncGenerator[Running]:
        """Start a job in a fresh folder; see `Sandbox`.

        What `finish` returns must be read before the context is left: the folder goes with it.
        """
        refuse_things(self.name, job)
        limits = resource_limits(job.limits)
        del limits[NOT_LIMITED]
        message = boot_message(job, limits, tied=True)
        home = Path(tempfile.mkdtemp(prefix=f"{marker(job.label)}-", dir=own_folder()))
        try:
            tree = GroupTree(await _spawn(home, job), home)
            async with controlled(ControlledRun(tree.process, tree, job, "."), message) as run:
                yield run
        finally:
            remove_folder(home)

    def sweep(self, label: str) -> None:
        """Kill the processes and remove the folders of a killed coordinator of that label."""
        sweep_marked(label)


class GroupTree:
    """The processes of one run, found by the folder that their environment names.

    Args:
        process: The first of them.
        home: The run's private folder.
    """

    def __init__(self, process: Process, home: Path) -> None:
        self.process = process
        self._home = home
        self._lock = anyio.Lock(fast_acquire=True)

    @property
    def workspace(self) -> Path:
        """Host path of the workspace."""
        return self._home / "workspace"

    @property
    def is_lost(self) -> bool:
        """Never: nothing but the code itself holds its processes."""
        return False

    async def end(self) -> None:
        """Kill every process that has not changed its environment; return when none is left."""
        async with self._lock:
            if self.process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(self.process.pid, 9)
            # Those that left the process group.
            await anyio.to_thread.run_sync(kill_marked, self._home.name)
            await self.process.wait()


async def _spawn(home: Path, job: Job) -> Process:
    for name in ("workspace", "tmp"):
        (home / name).mkdir()
    private = str(home / "tmp")
    variables = {**ENVIRONMENT, "PATH": _path(job.tools), "HOME": private, "TMPDIR": private}
    if job.broker is not None:
        variables["HYPERSPACE_BROKER"] = str(job.broker.folder() / "s")
    try:
        return await anyio.open_process(
            init_command(sys.executable),
            cwd=home / "workspace",
            env=variables,
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxFailed(f"Python could not be started: {error}") from error


def _path(tools: tuple[str, ...]) -> str:
    folders = (str(tool.program.parent) for tool in require_tools(tools) if not tool.is_systems)
    return os.pathsep.join([*dict.fromkeys(folders), os.defpath])
