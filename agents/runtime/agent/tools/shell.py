"""One bash process that runs command after command and keeps its state between them."""

import os
import selectors
import shlex
import signal
import subprocess
import time
from typing import NamedTuple

from .output import OutputBuffer

_TICK_S = 0.02  # how often a shell that tells nothing any more is looked after


class Outcome(NamedTuple):
    """What came of one command.

    Attributes:
        output: Standard output and error together, cut in the middle if it was long.
        exit_code: Exit code; None if the command was killed.
        ended: True if the shell itself is gone.
    """

    output: str
    exit_code: int | None
    ended: bool


class Shell:
    """A bash process in a session of its own.

    Commands are read by `eval` with redirections of their own, so that neither `exec >file` nor a
    command that reads its input can cut the line between the shell and us.
    """

    def __init__(self, folder: str) -> None:
        output_end, output = os.pipe()
        status_end, status = os.pipe()
        os.set_blocking(output_end, False)
        self.folder = folder
        self._output, self._status = output_end, status_end
        self._redirect = f"</dev/null >&{output} 2>&{output} {output}>&- {status}>&-"
        self._tell = f'printf \'%s %s\\0\' "$?" "$PWD" >&{status}'
        self._process = self._spawn(output, status)
        os.close(output)
        os.close(status)

    def _spawn(self, output: int, status: int) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            pass_fds=(output, status),
            cwd=self.folder,
            start_new_session=True,
            bufsize=0,
        )

    def run(self, command: str, timeout_s: float) -> Outcome:
        """Run a command; at the limit the shell and all that it started are killed."""
        buffer = OutputBuffer()
        self._send(command)
        status = self._wait(buffer, time.monotonic() + timeout_s)
        if not status:
            killed = status is None
            self.close(buffer)
            return Outcome(buffer.text(), None if killed else self._exit_code(), ended=True)
        self._drain(buffer)
        code, _, self.folder = status.rstrip(b"\0").decode("utf-8", "replace").partition(" ")
        return Outcome(buffer.text(), int(code), ended=False)

    def close(self, buffer: OutputBuffer | None = None) -> None:
        """Kill the shell and its processes; safe to call twice."""
        if self._process.stdin is None or self._process.stdin.closed:
            return
        _kill_tree(self._process.pid)
        self._process.wait()
        self._drain(buffer or OutputBuffer())
        self._process.stdin.close()
        os.close(self._output)
        os.close(self._status)

    def _send(self, command: str) -> None:
        line = f"eval {shlex.quote(command)} {self._redirect}\n{self._tell}\n"
        unsent = memoryview(line.encode("utf-8", "replace"))
        while unsent and self._process.stdin:
            unsent = unsent[self._process.stdin.write(unsent) or 0 :]

    def _wait(self, buffer: OutputBuffer, deadline: float) -> bytes | None:
        """Collect output until the status arrives: empty if the shell ended, None at the limit."""
        status = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            selector.register(self._status, selectors.EVENT_READ)
            while (left_s := deadline - time.monotonic()) > 0:
                told_all = self._status not in selector.get_map()
                ready = selector.select(min(left_s, _TICK_S if told_all else left_s))
                for key, _ in ready:
                    status += self._take(key.fd, buffer, selector)
                if status.endswith(b"\0"):
                    return status
                if told_all and self._exited():
                    return b""
        return None

    def _take(self, pipe: int, buffer: OutputBuffer, selector: selectors.BaseSelector) -> bytes:
        """Read from a pipe that is ready; a status goes back, output into the buffer.

        Either pipe may end before the shell does: `exec program >file` runs on without them.
        """
        status = os.read(pipe, 65536) if pipe == self._status else b""
        more = bool(status) if pipe == self._status else self._drain(buffer)
        if not more:
            selector.unregister(pipe)
        return status

    def _exited(self) -> bool:
        """Whether the shell has ended; it stays unreaped, so that its id is not used again."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, options) is not None

    def _exit_code(self) -> int:
        code = self._process.returncode or 0
        return code if code >= 0 else 128 - code

    def _drain(self, buffer: OutputBuffer) -> bool:
        """Take what lies ready in the output pipe, a bounded share of it; False at its end."""
        for _ in range(64):
            try:
                chunk = os.read(self._output, 65536)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            buffer.add(chunk)
        return True


def _kill_tree(root: int) -> None:
    """Kill a session and all descendants of its leader, those in sessions of their own too."""
    for _ in range(3):
        for pid in [*_members(root), root]:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue


def _members(root: int) -> list[int]:
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    processes = {pid: _parent_and_session(pid) for pid in pids}
    members = {pid for pid, (_, session) in processes.items() if session == root} | {root}
    grown = True
    while grown:
        children = {pid for pid, (parent, _) in processes.items() if parent in members}
        grown = not children <= members
        members |= children
    return sorted(members - {root})


def _parent_and_session(pid: int) -> tuple[int, int]:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return int(fields[1]), int(fields[3])
    except OSError:
        return 0, 0
