"""Sandbox `bubblewrap`: fresh namespaces, an unprivileged user, a workspace in memory.

Files enter through the trusted first process and leave through a directory descriptor that the
host holds: the workspace lives as long as that descriptor, and nothing inside outlives the run.
"""

import errno
import os
import platform
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import cache
from io import FileIO
from pathlib import Path

import anyio
import msgspec
from anyio.abc import Process

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.boot import boot_message, init_command, resource_limits
from guards.sandboxes.bubblewrap.cgroup import bounded, sweep_groups
from guards.sandboxes.bubblewrap.confinement import (
    BROKER,
    WORKSPACE,
    Interpreter,
    confine,
    interpreter,
    sandbox_uid,
)
from guards.sandboxes.bubblewrap.seccomp import filter_descriptor, filter_for
from guards.sandboxes.cards import device_files, driver_binds
from guards.sandboxes.control import START_S, TAIL_BYTES, ControlledRun, controlled
from guards.sandboxes.data_folders import data_binds
from guards.sandboxes.packages import package_binds
from guards.sandboxes.sandbox import (
    Job,
    Limits,
    Running,
    SandboxError,
    SandboxFailed,
    SandboxUnavailable,
)
from guards.sandboxes.sweep import kill_marked, marker
from guards.sandboxes.tools import binds_for

ADVICE = "install it with `apt-get install bubblewrap` (0.8 or newer)"
REFUSED = (
    "unprivileged user namespaces seem to be refused here: in a container give it SYS_ADMIN, "
    "seccomp=unconfined and systempaths=unconfined; on a host see kernel.unprivileged_userns_clone "
    "and kernel.apparmor_restrict_unprivileged_userns; a chroot cannot have them"
)
LASTING = re.compile("[Pp]ermission|not permitted|not implemented|Invalid argument|Read-only")
NAMESPACES = [Path(f"/proc/sys/user/max_{kind}_namespaces") for kind in ("user", "mnt", "pid")]


@cache
def probe() -> str | None:
    """Start a sandbox that does nothing; None when that works, else why not and what to do.

    The answer is kept for the life of the process, unless there is none.

    Raises:
        SandboxFailed: This machine has it, and its start failed.
        OSError: No more files may be open.
    """
    try:
        filter_for(platform.machine())
        python = interpreter()
        inside = [python.path, "-P", "-s", "-S", "-c", "pass"]
        uid = sandbox_uid()
        done = subprocess.run(
            [bwrap_path(), *confine(python, Limits(), ()), "--", *inside],
            env={},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=START_S,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
            check=False,
        )
    except SandboxUnavailable as error:
        return str(error)
    except (SandboxError, OSError, subprocess.SubprocessError) as error:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            raise  # it says nothing about sandboxes, and none weaker is to be taken for it
        raise SandboxFailed(f"bubblewrap did not start a sandbox ({error})") from error
    if done.returncode == 0:
        return None
    printed = done.stderr.decode("utf-8", "replace")
    line = " ".join(printed.split())[:200]
    if "nknown option" in printed:
        return f"bubblewrap is too old ({line}); {ADVICE}"
    if LASTING.search(printed) or not all(map(allows_any, NAMESPACES)):
        return f"bubblewrap cannot start a sandbox ({line}); {REFUSED}"
    how = line or f"it ended with {done.returncode}"
    raise SandboxFailed(f"bubblewrap did not start a sandbox ({how})")


def allows_any(limit: Path) -> bool:
    """Return whether a limit of the kernel allows any namespace, as far as it can be read."""
    with suppress(OSError, ValueError):
        return int(limit.read_text()) > 0
    return True


class BubblewrapSandbox:
    """Runs jobs in Linux namespaces made by bubblewrap; implements `Sandbox`."""

    name = "bubblewrap"
    is_boundary = True

    def __init__(self, without: Without = ALL_IN_FORCE) -> None:
        """Make one; only tests take defences away."""
        self._without = without

    @asynccontextmanager
    async def start(self, job: Job) -> AsyncGenerator[Running]:
        """Start a job in a fresh sandbox; see `Sandbox`."""
        if (why := probe()) is not None:
            raise SandboxUnavailable(why)
        python, without = interpreter(), self._without
        limits = resource_limits(job.limits, without, has_card=bool(job.cards))
        message = boot_message(job, limits, tied=False, without=without)
        command = [bwrap_path(), *self.walls(python, job)]
        mark = marker(job.label)
        process, tree = await _spawn(command, init_command(python.path), mark, without)
        async with bounded(job, tree.pid) as groups:
            counting = () if Defence.CPU_GROUP in without else groups
            run = ControlledRun(process, tree, job, WORKSPACE, without, counting)
            async with controlled(run, message):
                yield run

    def walls(self, python: Interpreter, job: Job) -> list[str]:
        """Arguments for bubblewrap, up to the command that runs inside."""
        binds = binds_for(job.tools) | package_binds(job.packages) | data_binds(job.folders)
        if job.cards:
            binds |= driver_binds()
        devices = device_files(job.cards)
        folder = lent_broker(job)
        broker = ("--ro-bind", str(folder), BROKER) if folder else ()
        return confine(python, job.limits, broker, self._without, binds, devices)

    def sweep(self, label: str) -> None:
        """Kill what a killed coordinator of that label left behind; it leaves no files."""
        kill_marked(marker(label))
        sweep_groups(label)


class NamespaceTree:
    """All processes of one pid namespace: they end when its first process is killed.

    Args:
        monitor: The bubblewrap process outside, which waits for the first process inside.
        pid: The first process inside, as the host numbers it.

    Attributes:
        workspace: Host path of the workspace, valid while the sandbox lives.
    """

    def __init__(self, monitor: Process, pid: int) -> None:
        self.pid = pid
        self._monitor = monitor
        self._first: int | None = None
        with suppress(ProcessLookupError):
            self._first = os.pidfd_open(pid)
        self.workspace = Path(f"/proc/{pid}/root{WORKSPACE}")
        self._lock = anyio.Lock(fast_acquire=True)

    @property
    def is_lost(self) -> bool:
        """True if what holds the processes, and no code inside, has ended them."""
        # A monitor tells of a signal inside by 128 and its number; below 0 it got one itself.
        return (self._monitor.returncode or 0) < 0

    async def end(self) -> None:
        """Kill every process inside; return when none is left. Safe to call twice."""
        async with self._lock:
            first, self._first = self._first, None
            if first is not None:
                try:
                    with suppress(ProcessLookupError):
                        signal.pidfd_send_signal(first, signal.SIGKILL)
                    # Reported only after the kernel has killed and reaped the whole namespace.
                    await anyio.wait_readable(first)
                finally:
                    os.close(first)
            await self._monitor.wait()


def bwrap_path() -> str:
    """Path of bubblewrap.

    Raises:
        SandboxUnavailable: It is not.
    """
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxUnavailable(f"bubblewrap is not installed; {ADVICE}")
    return path


async def _spawn(
    command: list[str], inside: list[str], mark: str, without: Without
) -> tuple[Process, NamespaceTree]:
    read_end, write_end = _info_pipe()
    with (
        FileIO(read_end) as ours,
        FileIO(write_end, "w") as theirs,
        FileIO(filter_descriptor()) as calls,
    ):
        lent = ["--info-fd", str(write_end)]
        if Defence.SECCOMP not in without:
            lent += ["--seccomp", str(calls.fileno())]
        handles = write_end, calls.fileno()
        # Shielded: until the first process inside is known, nothing ends it. Bubblewrap's own end
        # does not while it sets that process up, which then waits for ever and holds our pipes.
        with anyio.fail_after(None, shield=True):
            process = await _open([*command, *lent, "--", *inside], mark, handles, without)
            theirs.close()
            try:
                return process, NamespaceTree(process, await _first_pid(process, ours))
            except BaseException:  # whatever it is, it must not leave it behind
                await _discard(process)
                raise


def _info_pipe() -> tuple[int, int]:
    """A pipe for `--info-fd` whose write end can be read from as well.

    Bubblewrap makes the first process inside, tells us of it, and only then lets it go on. Were we
    killed meanwhile, a pipe without a reader would end bubblewrap there, and that process would
    wait for it for ever. So bubblewrap holds a reader itself: it goes on, the first process finds
    nobody at its input, and all of it ends.
    """
    read_end, write_only = os.pipe()
    try:
        return read_end, os.open(f"/proc/self/fd/{read_end}", os.O_RDWR | os.O_CLOEXEC)
    except BaseException:
        os.close(read_end)
        raise
    finally:
        os.close(write_only)


async def _open(command: list[str], mark: str, lent: tuple[int, int], without: Without) -> Process:
    uid = sandbox_uid(without)
    ours = dict(os.environ) if Defence.ENVIRONMENT in without else dict[str, str]()
    try:
        return await anyio.open_process(
            command,
            env={**ours, "HYPERSPACE_SANDBOX": mark},
            cwd="/",  # where we are may be out of reach for the sandbox's user
            pass_fds=lent,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
        )
    except OSError as error:
        raise SandboxFailed(f"bubblewrap could not be started: {error}") from error


async def _first_pid(process: Process, info: FileIO) -> int:
    told = b""
    try:
        with anyio.fail_after(START_S):
            while not told.rstrip().endswith(b"}"):
                await anyio.wait_readable(info)
                told += (part := info.read(4096) or b"")
                if not part:
                    raise SandboxFailed(f"bubblewrap did not start: {await _words(process)}")
    except TimeoutError as error:
        raise SandboxFailed(f"bubblewrap did not start within {START_S:g} s") from error
    return int(msgspec.json.decode(told)["child-pid"])


async def _words(process: Process) -> str:
    try:
        text = await process.stderr.receive(TAIL_BYTES) if process.stderr else b""
    except anyio.EndOfStream:
        text = b""
    return one_line(text)


def one_line(text: bytes) -> str:
    """Return what a process said, for a message."""
    return " ".join(text.decode("utf-8", "replace").split()) or "it said nothing"


async def _discard(process: Process) -> None:
    _kill_children(process.pid)
    with suppress(ProcessLookupError):
        process.kill()
    await process.aclose()


def _kill_children(pid: int) -> None:
    with suppress(OSError):  # it has ended
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)


def lent_broker(job: Job) -> Path | None:
    """Folder of the job's broker, given to the sandbox's user, who must be able to connect."""
    folder, uid = None if job.broker is None else job.broker.folder(), sandbox_uid()
    if folder is not None and uid is not None:
        for path in (folder, folder / "s"):
            os.chown(path, uid, uid)
    return folder
