"""A network of its own on this machine, behind a cable that can be cut."""

import os
import secrets
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

_NETWORKS: Final = "10.203.{}"  # one of a killed test may be left


class Cable:
    """A cable between this machine and a namespace, which stands for another machine.

    Attributes:
        here: Address of this machine.
        there: Address over there.
        within: The beginning of a command line that runs over there.
    """

    def __init__(self, namespace: str, end: str) -> None:
        network = _NETWORKS.format(secrets.randbelow(256))
        self.here, self.there = f"{network}.1", f"{network}.2"
        self.within = ("ip", "netns", "exec", namespace)
        self._end = end

    def cut(self) -> None:
        """Let nothing through any more; whoever waits at either end is not told."""
        _ip("link", "set", self._end, "down")

    def mend(self) -> None:
        """Let everything through again."""
        _ip("link", "set", self._end, "up")


class NoNetwork(Exception):
    """No network can be made here; the message says why."""


@contextmanager
def cable() -> Generator[Cable]:
    """Lay a cable to a namespace.

    Raises:
        NoNetwork: This user or this machine cannot.
    """
    if os.geteuid() or shutil.which("ip") is None:
        raise NoNetwork("a network of one's own takes root and the program ip (iproute2)")
    name = f"hs{secrets.token_hex(4)}"
    end, far = f"{name}a", f"{name}b"
    laid = Cable(name, end)
    try:
        _ip("netns", "add", name)
        _ip("link", "add", end, "type", "veth", "peer", "name", far, "netns", name)
        _ip("address", "add", f"{laid.here}/24", "dev", end)
        _ip("link", "set", end, "up")
        for words in (
            ("link", "set", "lo", "up"),
            ("address", "add", f"{laid.there}/24", "dev", far),
            ("link", "set", far, "up"),
            ("route", "add", "default", "via", laid.here),
        ):
            _ip("-n", name, *words)
        yield laid
    finally:
        with suppress(NoNetwork):
            _ip("netns", "delete", name)


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoNetwork(f"ip {' '.join(words)}: {done.stderr.strip()}")
