"""The template by itself, outside of bubblewrap: what it does where it can do little."""

import os
import platform
import socket
import subprocess
from collections.abc import Iterator

import msgspec
import pytest

from guards.sandboxes.boot import INSIDE
from guards.sandboxes.bubblewrap.confinement import interpreter
from guards.sandboxes.bubblewrap.seccomp import numbers
from guards.sandboxes.bubblewrap.system_calls import ALLOWED
from tests.support.sandboxes import needs_bubblewrap

pytestmark = needs_bubblewrap
NOBODY_ELSE = 60_735  # root is not bound by a limit on processes


def source(name: str) -> str:
    return (INSIDE / f"{name}.py").read_text()


@pytest.fixture
def control() -> Iterator[socket.socket]:
    """The control socket of a template that may not have a second process."""
    parts = {name: source(name) for name in ("init", "contained", "namespaces")}
    given = msgspec.json.encode(
        {
            **parts,
            "programs": {},
            "modules": {},
            "filter": "",
            "clone": numbers(ALLOWED, platform.machine())["clone"],
        }
    ).decode()
    python = [interpreter().path, "-P", "-s", "-S", "-c", source("template"), given]
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        process = subprocess.Popen(
            ["prlimit", "--nproc=1:1", *python],
            env={"HYPERSPACE_BROKER": "/run/s"},
            cwd="/",
            stdin=theirs.fileno(),
            user=NOBODY_ELSE if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
        )
        theirs.close()
        yield ours
        ours.close()
        assert process.wait(60.0) == 0


def asked(control: socket.socket) -> bytes:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        ours.settimeout(60.0)
        socket.send_fds(ours, [b"{}"], [0, 1, 2])  # as the host does: it is not waited for
        socket.send_fds(control, [b"+"], [theirs.fileno()])
        theirs.close()
        return ours.recv(4_096)


def test_a_template_that_cannot_fork_says_so_and_goes_on(control: socket.socket) -> None:
    for _ in range(3):
        assert asked(control) == b"ENamespaceError: clone: Resource temporarily unavailable"
