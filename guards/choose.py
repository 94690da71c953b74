"""Choosing a sandbox by name, or the best that works on this machine."""

from typing import NamedTuple

from guards.bubblewrap import BubblewrapSandbox, probe
from guards.process import ProcessSandbox
from guards.sandbox import Sandbox, SandboxUnavailable

NAMES = ("auto", "bubblewrap", "process")
UNSAFE = "sandbox `process` does not confine hostile code"


class Choice(NamedTuple):
    """A sandbox to use.

    Attributes:
        sandbox: The sandbox.
        notice: One line that people must see; empty when there is nothing to say.
    """

    sandbox: Sandbox
    notice: str


def choose(name: str, *, needs_boundary: bool) -> Choice:
    """Choose a sandbox.

    Args:
        name: `auto`, or a sandbox's own name.
        needs_boundary: True when the code to run may be hostile (anything but the built-in
            offline policies): then `auto` never falls back to a sandbox that is no boundary.

    Raises:
        SandboxUnavailable: It does not work here; says why and how to get it.
        ValueError: No sandbox has that name.
    """
    if name == "process":
        return Choice(ProcessSandbox(), f"{UNSAFE}; it was asked for by name")
    if name not in NAMES:
        raise ValueError(f"no sandbox is called {name!r}; there are {', '.join(NAMES)}")
    if (why := probe()) is None:
        return Choice(BubblewrapSandbox(), "")
    if name == "auto" and not needs_boundary:
        return Choice(ProcessSandbox(), f"{UNSAFE}; it is used because {why}")
    raise SandboxUnavailable(why)
