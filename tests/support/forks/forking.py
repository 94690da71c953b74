"""Programs that import `hyperspace`, run by processes that are forked from a loaded one.

A start costs as much CPU as a short run, mostly for imports. It is saved where it makes no
difference: whoever sets an environment, or is elsewhere, has to start a process of its own, since
what was forked shows its template's environment in `/proc`.
"""

import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from io import FileIO
from itertools import cycle
from pathlib import Path
from threading import Lock
from typing import Final

from tests.support.paths import ROOT

TEST: Final = "PYTEST_CURRENT_TEST"
TEMPLATES: Final = 2  # each hashes text otherwise: a replay is not like its run because of that
READ_BYTES: Final = 1 << 16


def environment() -> dict[str, str]:
    """The environment of a command, but for what differs from test to test."""
    return {k: v for k, v in os.environ.items() if k != TEST} | {"PYTHONPATH": str(ROOT)}


USUAL: Final = environment()


def may_fork(cwd: Path | None) -> bool:
    """Whether a process forked differs in nothing that a test could set."""
    return (cwd or Path.cwd()).resolve() == ROOT and environment() == USUAL


class Template:
    """A process that has loaded the command, and forks."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.forks.template", str(theirs.fileno())],
                cwd=ROOT,
                env=USUAL,
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )

    def close(self) -> None:
        """End it; what was forked from it goes on."""
        self._control.close()
        self._process.wait()

    def run(
        self, module: str, arguments: Sequence[str], timeout_s: float
    ) -> subprocess.CompletedProcess[str]:
        """Run a module as a program to its end, whatever its exit code.

        Raises:
            subprocess.TimeoutExpired: It took longer, and was killed.
        """
        out, their_out = os.pipe()
        errors, their_errors = os.pipe()
        reply, their_reply = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = {"module": module, "arguments": arguments, "test": os.environ.get(TEST, "")}
        theirs = [their_out, their_errors, their_reply.detach()]
        socket.send_fds(self._control, [json.dumps(request).encode()], theirs)
        for descriptor in theirs:
            os.close(descriptor)
        with reply, FileIO(out) as out_file, FileIO(errors) as errors_file:
            pid = int(reply.recv(READ_BYTES))
            try:
                read = _read((out_file, errors_file), time.monotonic() + timeout_s)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(list(arguments), timeout_s) from None
            code = int(reply.recv(READ_BYTES))
        return subprocess.CompletedProcess(list(arguments), code, *map(_text, read))


def forked(
    module: str, arguments: Sequence[str], timeout_s: float
) -> subprocess.CompletedProcess[str]:
    """Run a module in a process forked from a template; see `Template.run`."""
    with _TURN:
        template = next(_TEMPLATES)
    return template.run(module, arguments, timeout_s)


def _template() -> Template:
    template = Template()
    atexit.register(template.close)
    return template


_TEMPLATES: Final = cycle(_template() for _ in range(TEMPLATES))  # started when first asked
_TURN: Final = Lock()


def _read(files: Sequence[FileIO], until: float) -> list[bytes]:
    """Read files to their ends side by side."""
    read = {file: bytearray() for file in files}
    with selectors.DefaultSelector() as selector:
        for file in files:
            selector.register(file, selectors.EVENT_READ, file)
        while selector.get_map():
            ready = selector.select(max(until - time.monotonic(), 0.0))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                data = key.data.read(READ_BYTES)
                read[key.data] += data
                if not data:
                    selector.unregister(key.fileobj)
    return [bytes(data) for data in read.values()]


def _text(data: bytes) -> str:
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")
