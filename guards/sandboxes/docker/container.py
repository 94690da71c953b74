"""Sandbox `docker`: a container without network, rights or a writable root, on this machine.

The daemon makes the container and carries its standard streams. Killing it, waiting for its end and
reading its workspace go through the kernel, as they do for bubblewrap.
"""

import os
import secrets
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from functools import cache
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import UNIXSocketStream
from anyio.to_thread import run_sync

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.boot import boot_message
from guards.sandboxes.bubblewrap.bubblewrap import NamespaceTree, lent_broker
from guards.sandboxes.bubblewrap.cgroup import groups_of
from guards.sandboxes.bubblewrap.confinement import WORKSPACE
from guards.sandboxes.control import ControlledRun, controlled
from guards.sandboxes.docker.containment import LABEL, Settings, container_settings, process_limits
from guards.sandboxes.docker.daemon import (
    PATIENCE_S,
    Client,
    asking,
    connect,
    is_gone,
    require_abilities,
)
from guards.sandboxes.docker.docker_stream import STDERR, STDOUT, Multiplexed, Output
from guards.sandboxes.docker.image import require_image
from guards.sandboxes.first_process import KILLED, FirstProcess
from guards.sandboxes.host_things import refuse_things
from guards.sandboxes.sandbox import Job, Running, SandboxFailed, SandboxUnavailable
from guards.sandboxes.sweep import marker

ATTACH = {"stream": 1, "stdin": 1, "stdout": 1, "stderr": 1}


@cache
def probe() -> str | None:
    """Ask the daemon for what the sandbox needs; None when all is there, else what to do.

    The answer is kept for the life of the process, unless there is none.

    Raises:
        SandboxFailed: The daemon is there, and did not do its part.
    """
    try:
        with closing(connect()) as client:
            require_abilities(client)
            require_image(client)
    except SandboxUnavailable as error:
        return str(error)
    return None


class DockerSandbox:
    """Runs jobs in containers of the local Docker daemon; implements `Sandbox`."""

    name = "docker"
    is_boundary = True

    def __init__(self, without: Without = ALL_IN_FORCE) -> None:
        """Make one; only tests take defences away."""
        self._without = without

    @asynccontextmanager
    async def start(self, job: Job) -> AsyncGenerator[Running]:
        """Start a job in a fresh container; see `Sandbox`."""
        if (why := await run_sync(probe)) is not None:
            raise SandboxUnavailable(why)
        if job.tools:
            raise SandboxUnavailable(
                f"the image of the Docker sandbox holds Python alone, and not "
                f"{', '.join(job.tools)}; use bubblewrap"
            )
        refuse_things(self.name, job)
        without = self._without
        limits = process_limits(job.limits, without)
        message = boot_message(job, limits, tied=True, without=without)
        settings = container_settings(job, lent_broker(job), without)
        async with _container(job, settings) as process:
            tree = NamespaceTree(process, process.pid)
            groups = () if Defence.CPU_GROUP in without else groups_of(process.pid)
            run = ControlledRun(process, tree, job, WORKSPACE, without, groups)
            async with controlled(run, message):
                yield run

    def sweep(self, label: str) -> None:
        """Remove the containers of a killed coordinator of that label; see `Sandbox`."""
        with closing(connect()) as client, asking("list containers"):
            filters = {"label": f"{LABEL}={marker(label)}"}
            for container in client.containers(all=True, filters=filters):
                _remove(client, container["Id"])


class ContainerProcess(FirstProcess):
    """The first process of a container, with its standard streams.

    Args:
        client: Asks for its exit status.
        container: Its id.
        pid: The process, as this machine numbers it.
        connection: Carries its standard streams; what is sent is its standard input.
    """

    def __init__(
        self, client: Client, container: str, pid: int, connection: UNIXSocketStream
    ) -> None:
        self._streams = Multiplexed(connection)
        outputs = (Output(self._streams, which) for which in (STDOUT, STDERR))
        super().__init__(pid, connection, *outputs)
        self._client = client
        self._container = container
        self._connection = connection

    async def wait(self) -> int:
        """Wait until the daemon has seen it end, at most as long as it may take for an answer."""
        if self._returncode is not None:
            return self._returncode
        status = KILLED
        async with anyio.create_task_group() as reading:
            reading.start_soon(self._streams.read_to_end)
            status = await run_sync(self._ask_status, abandon_on_cancel=True)
            reading.cancel_scope.cancel()
        self._returncode = status
        return status

    async def aclose(self) -> None:
        """Close the connection; the container's input ends with it."""
        await self._connection.aclose()

    def _ask_status(self) -> int:
        try:
            with asking("wait for a container"):
                told: dict[str, Any] = self._client.wait(self._container, timeout=PATIENCE_S)
        except SandboxFailed:  # removed, or the daemon is gone or stuck: nobody knows
            return KILLED
        return int(told["StatusCode"])


@asynccontextmanager
async def _container(job: Job, settings: Settings) -> AsyncGenerator[ContainerProcess]:
    client = await run_sync(connect)
    # Named by us, so that it can be removed although its making was cut short.
    name = f"{marker(job.label)}-{secrets.token_hex(8)}"
    try:
        connection = await run_sync(_create, client, name, settings)
        async with await UNIXSocketStream.from_socket(connection) as stream:
            container, pid = await run_sync(_start, client, name)
            yield ContainerProcess(client, container, pid, stream)
    finally:
        with anyio.CancelScope(shield=True):
            try:
                await run_sync(_remove, client, name)
            finally:
                await run_sync(client.close)


def _create(client: Client, name: str, settings: Settings) -> socket.socket:
    """Make a container and connect to its standard streams, before it says anything."""
    with asking("create a container"):
        client.create_container_from_config(settings, name)
        upgraded = client.attach_socket(name, params=ATTACH)
    try:
        return socket.socket(fileno=os.dup(upgraded.fileno()))
    finally:
        upgraded._response.close()


def _start(client: Client, name: str) -> tuple[str, int]:
    with asking("start a container"):
        client.start(name)
        told = client.inspect_container(name)
    container, pid = str(told["Id"]), int(told["State"]["Pid"])
    _require_ours(container, pid)
    return container, pid


def _require_ours(container: str, pid: int) -> None:
    # Seen from another process namespace the number would be somebody else's.
    try:
        groups = os.fsdecode(Path(f"/proc/{pid}/cgroup").read_bytes())
    except OSError:
        groups = ""
    if container not in groups:
        raise SandboxUnavailable(
            "the Docker daemon's processes cannot be seen from here (a container that uses the "
            "host's daemon? give it --pid=host), so its sandboxes could not be watched or ended"
        )


def _remove(client: Client, container: str) -> None:
    try:
        with asking("remove a container"):
            client.remove_container(container, force=True, v=True)
    except SandboxFailed as error:
        if not is_gone(error):
            raise
