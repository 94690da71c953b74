"""Starts a child process that holds environments, and exchanges lines with it.

Errors::

    ChildDied       it ended, or did not answer in time and was killed; says how
"""

import json
import os
import select
import signal
import subprocess
import sys
import threading
from time import monotonic
from typing import Any

from guards.parsing import decode_json

_CHUNK_BYTES = 1 << 16
_END_S = 5.0
# What a child gets of the environment: nothing that could be a key.
_INHERITED = ("PATH", "LD_LIBRARY_PATH", "TMPDIR", "PYTHONDONTWRITEBYTECODE")


class ChildDied(Exception):
    """A child process is gone."""


class ChildProcess:
    """One started child.

    Not for several threads at once. The kernel kills the child with the host: that is bound to
    the thread that starts it, which is therefore one of its own that waits for the child's end.
    """

    def __init__(self, factory: str) -> None:
        """Start it.

        Args:
            factory: Module and function, joined by a colon; see `hyperspace.tasks.native.child`.
        """
        started = threading.Event()
        self._failure: OSError | None = None
        self._keeper = threading.Thread(target=self._keep, args=(factory, started), daemon=True)
        self._keeper.start()
        started.wait()
        if self._failure is not None:
            raise ChildDied(f"could not be started: {self._failure}")
        self._unread = b""

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def ask(self, request: list[Any], answer_s: float) -> dict[str, Any]:
        """Send a request and wait for the answer.

        Raises:
            ChildDied: There is none within `answer_s` seconds.
        """
        line = json.dumps(request).encode() + b"\n"
        assert self._process.stdin is not None  # noqa: S101 - it was started with a pipe
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError:
            raise self._death() from None
        line = self._read_line(answer_s)
        try:
            return decode_json(line, dict[str, Any])
        except ValueError as error:
            self.kill()
            raise ChildDied("gave an answer that cannot be read and was killed") from error

    def kill(self) -> None:
        """End it, and wait until it has ended; may be called twice."""
        self._process.kill()
        self._keeper.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None  # noqa: S101 - it was started with pipes
            try:
                pipe.close()
            except OSError:  # what was never written is lost, as it should be
                continue

    def _keep(self, factory: str, started: threading.Event) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "hyperspace.tasks.native.child", factory],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=_environment(),
                start_new_session=True,
            )
        except OSError as error:
            self._failure = error
            return
        finally:
            started.set()
        self._process.wait()

    def _read_line(self, answer_s: float) -> bytes:
        assert self._process.stdout is not None  # noqa: S101 - it was started with a pipe
        descriptor = self._process.stdout.fileno()
        deadline = monotonic() + answer_s
        while b"\n" not in self._unread:
            ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - monotonic()))
            if not ready:
                self.kill()
                raise ChildDied(f"gave no answer within {answer_s:g} s and was killed")
            chunk = os.read(descriptor, _CHUNK_BYTES)
            if not chunk:
                raise self._death()
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _death(self) -> ChildDied:
        self._keeper.join(_END_S)  # its pipes close a moment before it has an exit status
        self.kill()
        status = self._process.returncode
        if status < 0:
            return ChildDied(f"was ended by {signal.Signals(-status).name}")
        return ChildDied(f"ended with exit status {status}")


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    paths = [os.path.abspath(path) for path in sys.path]  # noqa: PTH100 - "" stands for here
    return kept | {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONHASHSEED": "0",
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
