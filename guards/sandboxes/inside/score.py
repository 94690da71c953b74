"""Program `score`: run code that is to be judged, and hand over what its last command printed.

A job (`train`) is one command whose files are judged: what it prints is a log for people, told in
parts while it goes on. Each part is the reply to a frame of the host's, as every reply is.

The code runs in children that have no descriptor of the channel, and cannot reach into this process
although they run as the same user: its memory and its descriptors are closed to them. Ending it
ends the sandbox without an answer. So the code can print a wrong output, but no other frame.

Standard streams are files without a name: a child that does not read its input, or leaves others
behind that hold its output, keeps nobody waiting.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import IO, Any

    from guards.sandboxes.inside.init import Host

    Frame = dict[str, Any]

SET_DUMPABLE = 4  # linux/prctl.h
LOOK_MS = 50
TELL_S = 0.5  # between parts of a log
MOST_BYTES = 4  # of one character in UTF-8
PYTHON = "{python}"
OVER = "used more than"


class StepFailed(Exception):
    """A command did not come to its end as it should; the message says how."""


def close_memory() -> None:
    """Let no other process of our user into this one's memory and descriptors.

    A child is open again once it runs a program.
    """
    import ctypes

    if ctypes.CDLL(None).prctl(SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError("the kernel does not close our memory")


def execute(frame: Frame) -> Frame:
    """Run the commands one after the other; the first that fails ends it."""
    steps = frame["steps"]
    printed = ""
    for number, words in enumerate(steps, 1):
        is_last = number == len(steps)
        command = [sys.executable if word == PYTHON else word for word in words]
        stdin = frame["stdin"] if is_last else ""
        try:
            printed = run(command, stdin, frame["cpu_s"], frame["output_characters"], is_last)
        except StepFailed as failed:
            return {"stdout": "", "error": f"command {number} of {len(steps)} {failed}"}
    return {"stdout": printed, "error": ""}


def run(command: list[str], stdin: str, cpu_s: int, characters: int, is_last: bool) -> str:
    """Run one command; what it printed, nothing for all but the last one.

    Raises:
        StepFailed: It could not be started, failed, or went beyond a bound.
    """
    from tempfile import TemporaryFile

    longest = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    if is_last:
        longest = min(longest, characters * MOST_BYTES + 1)
    with TemporaryFile() as source, TemporaryFile() as sink:
        source.write(stdin.encode("utf-8", "replace"))
        source.seek(0)
        failure = wait(start(command, source, sink, cpu_s, longest), cpu_s)
        data = sink.read() if is_last and not sink.seek(0) else b""
    text = data.decode("utf-8", "replace")
    if is_last and (len(data) >= longest or len(text) > characters):
        raise StepFailed(f"printed more than {characters} characters")
    if failure:
        raise StepFailed(failure)
    return text


class CommandLog:
    """What a command prints: a file without a name, told as it grows; of a flood only the end."""

    def __init__(self, file: IO[bytes], most: int, tell: Callable[[str], None]) -> None:
        self._file = file
        self._most = most
        self._tell = tell
        self._told = 0
        self._next_s = 0.0

    def look(self) -> None:
        """Tell the lines that came since the last part, if that is a while ago."""
        import time

        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + TELL_S
            data = self._new()
            ended = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
            self._say(data[: ended if len(data) < self._most else len(data)])

    def end(self) -> str:
        """Tell the rest; returns the end of all that was printed."""
        self._say(self._new())
        self._told = 0
        return self._new().decode("utf-8", "replace")

    def _new(self) -> bytes:
        size = os.fstat(self._file.fileno()).st_size
        self._told = min(max(self._told, size - self._most), size)  # code inside can cut it
        return os.pread(self._file.fileno(), size - self._told, self._told)

    def _say(self, data: bytes) -> None:
        if data:
            self._told += len(data)
            self._tell(data.decode("utf-8", "replace"))


def train(frame: Frame, tell: Callable[[str], None]) -> Frame:
    """Run one command that leaves files, to its end or that of its budget; its log comes back.

    A command that may start nothing is bounded in CPU seconds by the kernel. Of one that may, all
    processes count together: those that live, and those that somebody has waited for.
    """
    from tempfile import TemporaryFile

    command = [sys.executable if word == PYTHON else word for word in frame["command"]]
    longest = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}  # else lines come when a buffer is full
    over, before_s, clock = "", children_s(), TreeClock()
    with TemporaryFile() as source, TemporaryFile() as sink:
        log = CommandLog(sink, frame["log_bytes"], tell)
        try:
            alone = frame["processes"] == 1
            child = start(
                command, source, sink, frame["cpu_s"], longest, sink, alone=alone, env=env
            )
            over = watch(child, frame["cpu_s"], frame["wall_s"], clock, log.look)
            failure = over or wait(child, frame["cpu_s"])
        except StepFailed as failed:
            failure = str(failed)
        text = log.end()
    is_over = bool(over) or failure.startswith(OVER)
    used_s = max(children_s() - before_s, clock.used_s)
    return {"log": text, "error": failure, "is_over": is_over, "cpu_s": round(used_s, 3)}


def watch(
    child: subprocess.Popen[bytes],
    cpu_s: int,
    wall_s: float,
    clock: TreeClock,
    meanwhile: Callable[[], None],
) -> str:
    """Wait for a command; one that goes beyond its budget is ended, and how is told."""
    import select
    import time

    ended, look = os.pidfd_open(child.pid), select.poll()
    look.register(ended, select.POLLIN)
    until = time.monotonic() + wall_s
    over = ""
    while not over and not look.poll(LOOK_MS):
        if time.monotonic() > until:
            over = f"ran longer than {wall_s:g} s"
        elif clock.look() > cpu_s + 1:
            over = f"{OVER} {cpu_s} CPU seconds"
        else:
            meanwhile()
    os.close(ended)
    if over:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        wait(child, cpu_s)
    return over


def children_s() -> float:
    """CPU seconds of all that were started here and waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class TreeClock:
    """CPU seconds of all processes that are inside with us, since now; 0 where others are, too.

    What ends is counted by whoever waits for it. Where nobody does (SIGCHLD ignored) it counts up
    to where it was last seen; the host's kernel counts better, where it is asked to.

    Attributes:
        used_s: As of the last look.
    """

    def __init__(self) -> None:
        self._own: dict[tuple[str, bytes], int] = {}  # ticks, by number and start of a process
        self._before = (0, 0)
        self._before = self._ticks()
        self.used_s = 0.0

    def look(self) -> float:
        """Look at every process; the seconds so far."""
        used = max(now - before for now, before in zip(self._ticks(), self._before, strict=True))
        self.used_s = used / os.sysconf("SC_CLK_TCK")
        return self.used_s

    def _ticks(self) -> tuple[int, int]:
        """Of those that live and were waited for; of all that were ever seen, each by itself."""
        if os.getppid() != 1:
            return 0, 0
        waited = 0
        for name in filter(str.isdecimal, os.listdir("/proc")):
            # It has ended meanwhile; what it calls itself may be any bytes.
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
                times = list(map(int, fields[11:15]))
                self._own[name, fields[19]] = sum(times[:2])
                waited += sum(times)
        return waited, sum(self._own.values())


def start(
    command: list[str],
    source: IO[bytes],
    sink: IO[bytes],
    cpu_s: int,
    longest: int,
    errors: IO[bytes] | int = subprocess.DEVNULL,
    *,
    alone: bool = False,
    env: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command with bounds of its own, in a session of its own.

    Raises:
        StepFailed: It could not be started.
    """

    def bound() -> None:
        if alone:
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
        resource.setrlimit(resource.RLIMIT_FSIZE, (longest, longest))

    try:
        return subprocess.Popen(
            command,
            stdin=source,
            stdout=sink,
            stderr=errors,
            env=env,
            preexec_fn=bound,
            start_new_session=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise StepFailed(f"could not be started: {type(error).__name__}") from error


def wait(child: subprocess.Popen[bytes], cpu_s: int) -> str:
    """Wait for a command, and end what it left in its session; how it failed, empty if not."""
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = code = os.waitstatus_to_exitcode(status)
    with suppress(ProcessLookupError):  # it left nothing
        os.killpg(child.pid, signal.SIGKILL)
    used_s = usage.ru_utime + usage.ru_stime
    # Each process has the limit anew, so that the sum counts; the kernel's own clock is coarse.
    if used_s > cpu_s + 1 or (code == -signal.SIGKILL and used_s > cpu_s - 0.5):
        return f"{OVER} {cpu_s} CPU seconds"
    if code < 0:
        return f"was killed by signal {-code}"
    return f"ended with status {code}" if code else ""


def main(host: Host) -> None:
    """Answer frames until the host is gone."""

    def tell(log: str) -> None:
        host.send({"log": log, "is_running": True})
        if host.receive() is None:
            raise SystemExit

    close_memory()
    while (frame := host.receive()) is not None:
        if frame.get("op") == "execute":
            host.send(execute(frame))
        elif frame.get("op") == "train":
            host.send(train(frame, tell))
        else:
            host.send({"stdout": "", "error": f"score knows no operation {frame.get('op')!r}"})
