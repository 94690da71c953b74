"""The host's side of a template: start it, have candidates forked from it, end it.

A template outlives event loops and ends with its owner, with this program, or when its socket is
closed, whichever comes first.
"""

import ctypes
import os
import platform
import queue
import select
import socket
import subprocess
import threading
import weakref
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from errno import EBADF, ESRCH
from typing import get_args

import msgspec

from guards.sandboxes.boot import init_command, source
from guards.sandboxes.bubblewrap.bubblewrap import bwrap_path, one_line
from guards.sandboxes.bubblewrap.confinement import (
    BROKER,
    confine,
    inodes,
    interpreter,
    sandbox_uid,
)
from guards.sandboxes.bubblewrap.forked import (
    FAILED,
    STARTED,
    ForkedProcess,
    Streams,
    read_message,
)
from guards.sandboxes.bubblewrap.seccomp import filter_for, numbers
from guards.sandboxes.bubblewrap.system_calls import ALLOWED
from guards.sandboxes.control import START_S
from guards.sandboxes.sandbox import Limits, Program, SandboxFailed, SandboxLost
from guards.sandboxes.sweep import marker

PIDFD_GETFD = 438  # on every machine; Python has no name for it
TAKEN = b"+"
MAY_NEST = "--disable-userns"  # what a template, unlike a candidate, must go without
LAST_WORDS_BYTES = 2_000
END_S = 2.0
MOST_AHEAD_BYTES = (
    50_000  # half of what the kernel lets one argument hold, the programs being in it
)
_NOTHING: Mapping[str, bytes] = {}


class WarmTemplate:
    """A running template.

    Args:
        label: Names the run, for sweeps.
        shared: Files that will be in most workspaces; modules among them are compiled ahead.

    Raises:
        SandboxUnavailable: bubblewrap or a Python for the inside is missing.
        SandboxFailed: It could not be started.
    """

    def __init__(self, label: str, shared: Mapping[str, bytes] = _NOTHING) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                self._control.settimeout(START_S)
                self._process = _kept(_command(shared), theirs, marker(label))
        except BaseException:  # whatever it is, nothing stays behind
            self._control.close()
            raise
        self._end = weakref.finalize(self, _end, os.getpid(), self._control, self._process)

    def is_alive(self) -> bool:
        """Return whether it still runs, and hears us: its end is known before its parent's."""
        if not self._end.alive or self._process.poll() is not None:
            return False
        ended = select.poll()
        ended.register(self._control, 0)  # a hang-up is told, whatever is asked for
        return not ended.poll(0)

    def close(self) -> None:
        """End it, and with it all that was forked from it. Safe to call twice."""
        self._end()

    def fork(self, limits: Limits, *, has_broker: bool) -> ForkedProcess:
        """Fork the first process of a new sandbox, which waits for its boot frame; wait for that.

        Args:
            limits: Its bounds.
            has_broker: Whether code inside is to reach a broker, at the process's door.

        Raises:
            SandboxFailed: The kernel refused a part.
            SandboxLost: The template is gone.
        """
        with self._lend(limits, has_broker=has_broker) as (link, streams):
            link.settimeout(START_S)
            message, sender = read_message(link)
            pid, door = self._first_pid(message, sender), None
            if has_broker:
                door = _taken_door(pid, int(message[1:]))
                link.send(TAKEN)
            link.setblocking(False)
            return ForkedProcess(link, streams, pid, door)

    @contextmanager
    def _lend(
        self, limits: Limits, *, has_broker: bool
    ) -> Generator[tuple[socket.socket, Streams]]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        streams = Streams()
        sizes = {"bytes": limits.disk_bytes, "inodes": inodes(limits)}
        request = {"has_broker": has_broker, "sizes": sizes}
        try:
            with theirs:
                ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
                socket.send_fds(ours, [msgspec.json.encode(request)], streams.theirs)
                socket.send_fds(self._control, [b"+"], [theirs.fileno()])
                streams.hand_over()
            yield ours, streams
        except BaseException as error:  # cancellation too: what was forked ends with its input
            ours.close()
            streams.close()
            if isinstance(error, OSError):  # a TimeoutError is one
                raise SandboxLost(f"the template does not answer: {self._words()}") from error
            raise

    def _first_pid(self, message: bytes, sender: int) -> int:
        if message[:1] == STARTED and sender > 0:
            return sender
        if message[:1] == FAILED:
            said = message[1:].decode("utf-8", "replace")
            raise SandboxFailed(f"no sandbox could be forked: {said}")
        raise SandboxLost(f"the template ended while it forked a sandbox: {self._words()}")

    def _words(self) -> str:
        try:
            text = os.read(_log(self._process), LAST_WORDS_BYTES)
        except (OSError, ValueError):  # it said nothing, or is closed
            text = b""
        return one_line(text)


def _taken_door(pid: int, number: int) -> socket.socket:
    """Take over a descriptor of a process that waits for that.

    It is not sent: what is under way of a user, and all candidates are one, is counted together,
    so one of them could keep all others from sending.
    """
    kernel, process = ctypes.CDLL(None, use_errno=True), os.pidfd_open(pid)
    try:
        taken = int(kernel.syscall(PIDFD_GETFD, process, number, 0))
        why = ctypes.get_errno()
    finally:
        os.close(process)
    if taken >= 0:
        return socket.socket(fileno=taken)
    if why in (ESRCH, EBADF):  # it was killed meanwhile
        raise ProcessLookupError(why, os.strerror(why))
    raise SandboxFailed(f"the socket of its broker cannot be taken over: {os.strerror(why)}")


def _command(shared: Mapping[str, bytes]) -> list[str]:
    python, broker = interpreter(), ("--dir", BROKER)  # each candidate covers it
    walls = [part for part in confine(python, Limits(), broker) if part != MAY_NEST]
    *options, _ = init_command(python.path)
    parts = {name: source(name) for name in ("init", "contained", "namespaces")}
    programs = {name: source(name) for name in get_args(Program)}
    machine = platform.machine()
    calls = {"filter": filter_for(machine).hex(), "clone": numbers(ALLOWED, machine)["clone"]}
    modules = {path: data.decode() for path, data in shared.items() if path.endswith(".py")}
    if sum(map(len, modules.values())) > MOST_AHEAD_BYTES:
        modules = {}
    given = msgspec.json.encode({**parts, "programs": programs, "modules": modules, **calls})
    return [bwrap_path(), *walls, "--", *options, source("template"), given.decode()]


def _kept(command: list[str], control: socket.socket, mark: str) -> subprocess.Popen[bytes]:
    """Start a process in a thread that lives as long: it would be killed with its thread."""
    started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError] = queue.SimpleQueue()

    def keep() -> None:
        try:
            process = _open(command, control, mark)
        except OSError as error:
            started.put(error)
            return
        started.put(process)
        process.wait()

    threading.Thread(target=keep, name="sandbox template", daemon=True).start()
    process = started.get()
    if isinstance(process, OSError):
        raise SandboxFailed(f"bubblewrap could not be started: {process}") from process
    os.set_blocking(_log(process), False)
    return process


def _open(command: list[str], control: socket.socket, mark: str) -> subprocess.Popen[bytes]:
    uid = sandbox_uid()
    return subprocess.Popen(
        command,
        env={"HYPERSPACE_SANDBOX": mark},
        cwd="/",
        stdin=control.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        user=uid,
        group=uid,
        extra_groups=None if uid is None else [],
        start_new_session=True,  # Ctrl-C at the terminal is for us alone
    )


def _log(process: subprocess.Popen[bytes]) -> int:
    if process.stderr is None:
        raise SandboxFailed("a template was started without its pipes")
    return process.stderr.fileno()


def _end(owner: int, control: socket.socket, process: subprocess.Popen[bytes]) -> None:
    if os.getpid() != owner:  # a fork of our program, which ends earlier than we do
        return
    control.close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stderr:
        process.stderr.close()
