"""The first process of a sandbox that something else started: a template, or a container daemon."""

import os
import signal

from anyio.abc import ByteReceiveStream, ByteSendStream, Process

KILLED = -signal.SIGKILL  # by somebody else: see `NamespaceTree.is_lost`


class FirstProcess(Process):
    """A process of which its number and its standard streams are at hand.

    Kinds add `wait`, which learns its end and sets `_returncode`, and `aclose`.

    Args:
        pid: The process, as this machine numbers it.
        stdin: Its standard input.
        stdout: Its standard output.
        stderr: Its standard error.
    """

    def __init__(
        self,
        pid: int,
        stdin: ByteSendStream,
        stdout: ByteReceiveStream,
        stderr: ByteReceiveStream,
    ) -> None:
        self._pid = pid
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self._returncode: int | None = None

    @property
    def pid(self) -> int:
        """Process id on this machine."""
        return self._pid

    @property
    def returncode(self) -> int | None:
        """Exit status, as shells tell it; None until `wait` has returned."""
        return self._returncode

    @property
    def stdin(self) -> ByteSendStream:
        """Standard input."""
        return self._stdin

    @property
    def stdout(self) -> ByteReceiveStream:
        """Standard output."""
        return self._stdout

    @property
    def stderr(self) -> ByteReceiveStream:
        """Standard error."""
        return self._stderr

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, signal: signal.Signals) -> None:
        """Send a signal."""
        os.kill(self._pid, signal)
