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
from collections.abc import Mapping, Sequence
from io import FileIO
from itertools import cycle
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, Self

from tests.support.paths import ROOT

TEST: Final = "PYTEST_CURRENT_TEST"
TEMPLATES: Final = 2  # each hashes text otherwise: a replay is not like its run because of that
READ_BYTES: Final = 1 << 16
_NONE: Final[Mapping[str, str]] = {}


def environment() -> dict[str, str]:
    """The environment of a command, but for what differs from test to test."""
    return {k: v for k, v in os.environ.items() if k != TEST} | {"PYTHONPATH": str(ROOT)}


USUAL: Final = environment()


def may_fork(cwd: Path | None) -> bool:
    """Whether a process forked differs in nothing that a test could set."""
    return (cwd or Path.cwd()).resolve() == ROOT and environment() == USUAL


class Ended(NamedTuple):
    """What became of a process.

    Attributes:
        cpu_s: The CPU seconds that it took, with its children's that it waited for.
    """

    code: int
    out: bytes
    errors: bytes
    cpu_s: float


class Template:
    """A process that has loaded the command, and forks; a context that ends it.

    Args:
        variables: The environment, which `/proc` shows of each process forked.
    """

    def __init__(self, variables: Mapping[str, str] = USUAL) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.forks.template", str(theirs.fileno())],
                cwd=ROOT,
                env=variables,
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End it; what was forked from it goes on."""
        self._control.close()
        self._process.wait()

    def run(
        self,
        module: str,
        arguments: Sequence[str],
        timeout_s: float,
        cwd: Path = ROOT,
        changes: Mapping[str, str] = _NONE,
    ) -> Ended:
        """Run a module as a program to its end, whatever its exit code.

        Args:
            module: Its name.
            arguments: Those of the program.
            timeout_s: How long it may take.
            cwd: Where it is run.
            changes: What is otherwise in its environment, which `/proc` does not show.

        Raises:
            subprocess.TimeoutExpired: It took longer, and was killed.
        """
        out, their_out = os.pipe()
        errors, their_errors = os.pipe()
        reply, their_reply = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        changes = {TEST: os.environ.get(TEST, ""), **changes}
        request = {"module": module, "arguments": arguments, "cwd": str(cwd), "changes": changes}
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
            code, cpu_s = json.loads(reply.recv(READ_BYTES))
        return Ended(code, *read, cpu_s)


def forked(
    module: str, arguments: Sequence[str], timeout_s: float
) -> subprocess.CompletedProcess[str]:
    """Run a module in a process forked from a template; see `Template.run`."""
    with _TURN:
        template = next(_TEMPLATES)
    ended = template.run(module, arguments, timeout_s)
    said = (_text(ended.out), _text(ended.errors))
    return subprocess.CompletedProcess(list(arguments), ended.code, *said)


def _template() -> Template:
    template = Template()
    atexit.register(template.close)
    return template


_TEMPLATES: Final = cycle(_template() for _ in range(TEMPLATES))  # started when first asked
_TURN: Final = Lock()


def _read(files: tuple[FileIO, FileIO], until: float) -> tuple[bytes, bytes]:
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
    out, errors = read.values()
    return bytes(out), bytes(errors)


def _text(data: bytes) -> str:
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")
