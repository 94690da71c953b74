"""Reaching the Docker daemon, and what it must be able to do."""

import os
import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from guards.sandboxes.sandbox import SandboxFailed, SandboxUnavailable

# The docker package has no types; `Any` stands for its client.
Client = Any

PATIENCE_S = 60.0
UNIX = "unix://"
SOCKET = "unix:///var/run/docker.sock"
ADVICE = (
    "install and start it (Debian: apt-get install docker.io; service docker start), and be root "
    "or in the group docker; DOCKER_HOST may name another socket"
)
REMOTE = "the sandbox needs a daemon on this machine: unset it, or let it name a Unix socket"
# What the daemon tells of its kernel; without one of these a limit would be ignored in silence.
NEEDED = {
    "PidsLimit": "a limit on processes",
    "MemoryLimit": "a limit on memory",
    "CpuCfsQuota": "a limit on CPU",
}
# How it names its own user namespaces.
SHIFTED = ("name=rootless", "name=userns")


def connect() -> Client:
    """A client of the daemon on this machine (`DOCKER_HOST` may name its socket). Blocks; close it.

    Raises:
        SandboxUnavailable: No daemon answers, or it is not on this machine.
        SandboxFailed: One is there, and does not say what it is.
    """
    host = os.environ.get("DOCKER_HOST") or SOCKET
    if not host.startswith(UNIX):
        raise SandboxUnavailable(f"DOCKER_HOST is {host}; {REMOTE}")
    docker = import_module("docker")
    try:
        # First without the docker package, which leaves its socket open where nobody answers.
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(host.removeprefix(UNIX))
    except OSError as error:
        why = f"no Docker daemon answers at {host} ({_line(error)})"
        raise SandboxUnavailable(f"{why}; {ADVICE}") from error
    with asking("say what it is"):
        return docker.APIClient(base_url=host, version="auto", timeout=PATIENCE_S)


@contextmanager
def asking(what: str) -> Generator[None]:
    """Turn what may go wrong in a call to the daemon into one of our errors.

    Args:
        what: What was tried, as in "it could not ...".

    Raises:
        SandboxFailed: The daemon refused, or is gone.
    """
    errors = import_module("docker.errors")
    try:
        yield
    except (errors.DockerException, OSError) as error:
        raise SandboxFailed(f"Docker could not {what}: {_line(error)}") from error


def require_abilities(client: Client) -> None:
    """Check that the daemon can limit what a sandbox uses, and leaves user ids as they are.

    Raises:
        SandboxUnavailable: It cannot, or does not.
    """
    with asking("say what it can do"):
        told: Mapping[str, Any] = client.info()
    missing = [name for field, name in NEEDED.items() if not told.get(field)]
    if missing:
        raise SandboxUnavailable(
            f"the Docker daemon cannot set {', '.join(missing)}: its kernel or cgroups lack the "
            "controllers; a daemon that runs as root on a host with cgroups has them"
        )
    if any(option.startswith(SHIFTED) for option in told.get("SecurityOptions") or ()):
        raise SandboxUnavailable(
            "the Docker daemon is rootless or remaps users, so workspaces and the broker's socket "
            "would belong to others; use one that does neither, or bubblewrap"
        )


def is_gone(error: SandboxFailed) -> bool:
    """Return whether the daemon said that it knows no such thing."""
    return isinstance(error.__cause__, import_module("docker.errors").NotFound)


def _line(error: Exception) -> str:
    explanation = getattr(error, "explanation", None)
    text = explanation if isinstance(explanation, str) else str(error)
    return " ".join(text.split())[:300]
