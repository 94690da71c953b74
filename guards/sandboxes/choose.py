"""Choosing a sandbox by name, or the best that works on this machine."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from guards.sandboxes.bubblewrap import bubblewrap, warm
from guards.sandboxes.docker import container
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Sandbox, SandboxUnavailable

UNSAFE = "sandbox `process` does not confine hostile code"


class SandboxKind(NamedTuple):
    """A sandbox that is a boundary.

    Attributes:
        make: Makes it.
        why_not: None where it works, else why it does not and what to do.
    """

    make: Callable[[], Sandbox]
    why_not: Callable[[], str | None]


# Best first.
BOUNDARIES: Mapping[str, SandboxKind] = {
    "bubblewrap": SandboxKind(warm.WarmBubblewrapSandbox, bubblewrap.probe),
    "docker": SandboxKind(container.DockerSandbox, container.probe),
    "bubblewrap-cold": SandboxKind(bubblewrap.BubblewrapSandbox, bubblewrap.probe),
}
NAMES = ("auto", *BOUNDARIES, "process")


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
    boundaries = BOUNDARIES if name == "auto" else {name: BOUNDARIES[name]}
    reasons: list[str] = []
    for kind, why_not in boundaries.values():
        if (why := why_not()) is None:
            return Choice(kind(), "")
        reasons.append(why)
    # The first is the one to get; `hyperspace doctor` tells about all.
    if name == "auto" and not needs_boundary:
        return Choice(ProcessSandbox(), f"{UNSAFE}; it is used because {reasons[0]}")
    raise SandboxUnavailable(reasons[0])
