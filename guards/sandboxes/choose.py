"""Choosing a sandbox by name, or the best that works on this machine."""

import re
import time
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from guards.sandboxes.bubblewrap import bubblewrap, warm
from guards.sandboxes.docker import container
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Sandbox, SandboxFailed, SandboxUnavailable

AUTO = "auto"  # the best that works here
UNSAFE = "sandbox `process` does not confine hostile code"
PAUSES_S: Final = (0.2, 1.0)  # between the starts of one that is there and was disturbed


class SandboxKind(NamedTuple):
    """A sandbox that is a boundary.

    Attributes:
        make: Makes it.
        why_not: Tries it once. None where it works, else why this machine has none and what to do;
            raises SandboxFailed where it is there and its start failed.
        family: The sandbox that this is a way of; the audit's selftest asks by it.
        path: How it starts: anew for each candidate, or from a template.
    """

    make: Callable[[], Sandbox]
    why_not: Callable[[], str | None]
    family: str
    path: Literal["cold", "warm"] = "cold"

    def examine(self) -> str | None:
        """Return what `why_not` does; one that is there is tried three times.

        Raises:
            SandboxFailed: It is there, and no start of it succeeded.
        """
        for pause_s in PAUSES_S:
            try:
                return self.why_not()
            except SandboxFailed:
                time.sleep(pause_s)
        return self.why_not()


# Best first.
BOUNDARIES: dict[str, SandboxKind] = {
    "bubblewrap": SandboxKind(warm.WarmBubblewrapSandbox, bubblewrap.probe, "bubblewrap", "warm"),
    "docker": SandboxKind(container.DockerSandbox, container.probe, "docker"),
    "bubblewrap-cold": SandboxKind(bubblewrap.BubblewrapSandbox, bubblewrap.probe, "bubblewrap"),
}


def names() -> tuple[str, ...]:
    """Everything that may follow `--sandbox`."""
    return (AUTO, *BOUNDARIES, "process")


def recorded_name(name: str) -> str | None:
    """Return what the record of a run calls a sandbox; None for whichever works here."""
    if name == AUTO:
        return None
    return BOUNDARIES[name].family if name in BOUNDARIES else name


def register(name: str, make: Callable[[], Sandbox], why_not: Callable[[], str | None]) -> None:
    """Add a boundary behind the others (docs/examples/sandbox.py).

    Runs can then be played in it, doctor examines it, and the audit's selftest attacks it.

    Args:
        name: Follows `--sandbox`.
        make: Makes it.
        why_not: None where it works, else why it does not and what to do; raises SandboxFailed
            where it would, and its start failed.

    Raises:
        ValueError: The name is taken, or is not of lower-case letters, digits and hyphens.
    """
    if name in names() or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(f"{name!r} is taken, or not of lower-case letters, digits and hyphens")
    BOUNDARIES[name] = SandboxKind(make, why_not, name)


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
        SandboxUnavailable: It does not work here, or none has that name; says why and what to do.
    """
    if name == "process":
        return Choice(ProcessSandbox(), f"{UNSAFE}; it was asked for by name")
    if name not in names():
        raise SandboxUnavailable(f"no sandbox is called {name!r}; there are {', '.join(names())}")
    boundaries = BOUNDARIES if name == AUTO else {name: BOUNDARIES[name]}
    reasons: list[str] = []
    for kind in boundaries.values():
        try:
            why = kind.examine()
        except SandboxFailed as error:  # nothing weaker is taken for one that was disturbed
            raise SandboxUnavailable(
                f"{error}; it was tried {len(PAUSES_S) + 1} times. Start again when this machine "
                "has room for it, or say --sandbox process to go without a boundary"
            ) from error
        if why is None:
            return Choice(kind.make(), "")
        reasons.append(why)
    # The first is the one to get; `hyperspace doctor` tells about all.
    if name == AUTO and not needs_boundary:
        return Choice(ProcessSandbox(), f"{UNSAFE}; it is used because {reasons[0]}")
    raise SandboxUnavailable(reasons[0])
