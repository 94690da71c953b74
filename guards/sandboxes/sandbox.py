"""The seam to sandboxes: where code that nobody trusts runs.

Errors::

    SandboxError               a sandbox could not do its part (infrastructure, never the candidate)
    ├── SandboxUnavailable     this kind does not work on this machine; says why and how to get it
    └── SandboxFailed          it could not be started or spoken to
        └── SandboxLost        what holds it was killed from outside; another try may do better
    SandboxEnded               the code inside ended, or was ended, before it answered (candidate)
"""

import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

Program = Literal["modify", "worker", "score"]
EndReason = Literal["exited", "wall_clock", "cpu_time", "output", "protocol"]


class SandboxError(Exception):
    """A sandbox could not do its part; the candidate is not to blame."""


class SandboxUnavailable(SandboxError):
    """This kind of sandbox does not work on this machine."""


class SandboxFailed(SandboxError):
    """The sandbox could not be started or spoken to."""


class SandboxLost(SandboxFailed):
    """The process that holds the sandbox was killed from outside, and the sandbox with it."""


class SandboxEnded(Exception):
    """The code inside ended before it answered.

    Attributes:
        reason: `exited`, `wall_clock`, `cpu_time`, `output`, `protocol` (malformed or oversized
            frame).
        detail: One line for people, with the end of what it printed.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Limits(msgspec.Struct, frozen=True):
    """Bounds on one sandbox. A breach ends its whole process tree.

    Attributes:
        wall_s: Seconds from when its files are in place to its end.
        cpu_s: CPU seconds of each process, at least 1: with none it ends before it begins.
        memory_bytes: Address space of each process.
        processes: Processes and threads together.
        open_files: Descriptors of each process.
        disk_bytes: Size of the workspace and of the private tmp, each.
        output_bytes: What it may print before it is ended.
        frame_bytes: Size of one frame on the control channel.
        alone: Whether the program may start neither process nor thread, so that `cpu_s` bounds
            all that it does.
    """

    wall_s: float = 1800.0
    cpu_s: int = 600
    memory_bytes: int = 2 * 1024**3
    processes: int = 128
    open_files: int = 256
    disk_bytes: int = 64 * 1024**2
    output_bytes: int = 4 * 1024**2
    frame_bytes: int = 8 * 1024**2
    alone: bool = False


class BrokerDoors(Protocol):
    """The sockets at which a broker answers; a sandbox uses one of the two."""

    def folder(self) -> Path:
        """Return a private host folder with its socket `s`; made when it is first asked for.

        Raises:
            OSError, SandboxUnavailable: It cannot be made.
        """
        ...

    def answer_at(self, door: socket.socket) -> None:
        """Answer at a socket that listens; it is the broker's from now on."""
        ...


class Job(msgspec.Struct, frozen=True):
    """A program and its workspace, to run in a fresh sandbox.

    Attributes:
        program: `modify` runs the workspace's meta agent once; `worker` answers requests about
            its task agent; `score` runs commands whose output, or what they leave, is judged. All
            are host-made programs of `guards/sandboxes/inside/`.
        files: Workspace path to content, written before any code of the workspace runs.
        broker: What code inside may call; None for nothing.
        limits: Bounds.
        label: Names the run, so that leftovers of a killed coordinator can be swept.
        shared: Files that most jobs of a label have, such as the runtime of agents: what starts
            jobs may prepare them.
        paused_s: Seconds so far for which the code waited for somebody else's fault; wall clocks
            do not count them.
        tools: Programs that the code needs beside Python, by names of `guards.sandboxes.tools`.
        packages: Python packages of the host that it needs, as Python imports them.
        cards: Graphics cards of the host that it may use, by number. A driver maps far more
            addresses than it uses memory: `limits.memory_bytes` then bounds what a process may
            write to itself, in place of its address space.
        folders: Folders of the host that it may read, by their names inside
            (`guards.sandboxes.data_folders`).
    """

    program: Program
    files: Mapping[str, bytes]
    broker: BrokerDoors | None = None
    limits: Limits = Limits()
    label: str = "adhoc"
    paused_s: Callable[[], float] = float  # which returns 0.0
    shared: Mapping[str, bytes] = {}
    tools: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    cards: tuple[int, ...] = ()
    folders: Mapping[str, Path] = {}


class Running(Protocol):
    """A started sandbox. Frames are JSON objects; the host speaks first."""

    @property
    def workspace(self) -> Path:
        """Host path under which the workspace can be watched while it lives."""
        ...

    @property
    def inside_path(self) -> str:
        """The workspace's path as code inside sees it."""
        ...

    async def request(self, frame: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send one frame and wait for the next one back.

        Raises:
            SandboxEnded: The code ended, flooded its output, broke the protocol or ran out of time.
            SandboxLost: What holds the sandbox was killed from outside.
        """
        ...

    def cpu_s(self) -> float | None:
        """Return the CPU seconds of all that ever ran inside, whoever waited for it.

        The host's kernel counts them; None where it is not asked to, or the sandbox is gone.
        """
        ...

    async def finish(self) -> int:
        """End every process inside, then hand over the workspace.

        Returns:
            An open directory descriptor of the workspace; the caller closes it. Nothing inside
            can change the files any more.
        """
        ...


class Sandbox(Protocol):
    """A way to run untrusted code on a private workspace.

    Contract: the code sees the standard library, its workspace, a private tmp and the broker's
    socket, nothing else (a sandbox that cannot promise this has `is_boundary` False). Leaving the
    context ends the whole process tree, also after cancellation, and leaves no process, mount or
    file of the code behind; an empty folder or control group of ours goes a moment later. Equal
    jobs see equal paths, host name, time zone, locale and hash seed.
    """

    @property
    def name(self) -> str:
        """`bubblewrap`, `process`, ..."""
        ...

    @property
    def is_boundary(self) -> bool:
        """False marks a sandbox that does not confine hostile code."""
        ...

    def start(self, job: Job) -> AbstractAsyncContextManager[Running]:
        """Start a job in a fresh sandbox.

        Raises:
            SandboxUnavailable: This kind does not work here, or not with the job's tools, packages,
                cards or folders.
            SandboxFailed: Starting failed.
        """
        ...

    def sweep(self, label: str) -> None:
        """Remove what a killed coordinator of that label left behind."""
        ...
