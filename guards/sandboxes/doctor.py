"""What `hyperspace doctor` finds out about each sandbox."""

import errno

import anyio
import msgspec

from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox, why_cold
from guards.sandboxes.canary import CanaryAttempt, prove
from guards.sandboxes.choose import BOUNDARIES
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Sandbox, SandboxError


class SandboxCheck(msgspec.Struct, frozen=True):
    """One sandbox on this machine.

    Attributes:
        name: The sandbox.
        is_boundary: Whether it is meant to confine hostile code.
        usable: Whether it may be used for what it is meant for.
        why_not: Why it is not usable and what to do; empty when it is.
        attacks: What was tried inside, and what it reached; empty when it could not start.
        slower_because: Why each candidate starts cold although it need not; empty otherwise.
    """

    name: str
    is_boundary: bool
    usable: bool
    why_not: str
    attacks: tuple[CanaryAttempt, ...] = ()
    slower_because: str = ""


def examine_all() -> list[SandboxCheck]:
    """Examine every sandbox, best first."""
    return [*examine_boundaries(), examine(ProcessSandbox())]


def examine_boundaries() -> list[SandboxCheck]:
    """Examine every sandbox that is a boundary, best first."""
    return [_examine_boundary(name) for name in BOUNDARIES]


def sound_boundary(findings: list[SandboxCheck]) -> str | None:
    """Name of the best boundary that holds; None if there is none."""
    return next((f.name for f in findings if f.is_boundary and f.usable), None)


def describe(finding: SandboxCheck) -> str:
    """One line about a sandbox, for people."""
    through = [attack.name for attack in finding.attacks if attack.got_through]
    if not finding.attacks:
        return f"not usable: {finding.why_not}"
    if not finding.is_boundary:
        return f"no boundary, only for built-in offline models; got through: {_list(through)}"
    if through:
        return f"BROKEN, do not use it; got through: {_list(through)}"
    withstood = f"usable; withstood: {_list([attack.name for attack in finding.attacks])}"
    slow = f"; each candidate starts cold, because {finding.slower_because}"
    return withstood + slow if finding.slower_because else withstood


def examine(sandbox: Sandbox) -> SandboxCheck:
    """Attack a sandbox and tell what came of it.

    Raises:
        OSError: No more files may be open.
    """
    try:
        attacks = anyio.run(prove, sandbox)
    except SandboxError as error:
        if isinstance(why := error.__cause__, OSError) and why.errno == errno.EMFILE:
            raise why from error  # it says nothing about sandboxes
        return SandboxCheck(sandbox.name, sandbox.is_boundary, usable=False, why_not=str(error))
    broken = sandbox.is_boundary and any(attack.got_through for attack in attacks)
    why = "the canary attack got through" if broken else ""
    return SandboxCheck(sandbox.name, sandbox.is_boundary, not broken, why, attacks)


def _examine_boundary(name: str) -> SandboxCheck:
    kind = BOUNDARIES[name]
    try:
        why = kind.examine()
    except SandboxError as error:
        why = str(error)
    if why is not None:
        return SandboxCheck(name, is_boundary=True, usable=False, why_not=why)
    slow = why_cold() if name == WarmBubblewrapSandbox.name else None
    return msgspec.structs.replace(examine(kind.make()), name=name, slower_because=slow or "")


def _list(names: list[str]) -> str:
    return ", ".join(names) or "nothing"
