"""Runs attacks and reports the result of each."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import anyio
import msgspec

from guards.defences import Without
from guards.sandboxes.bubblewrap.warm import why_cold
from guards.sandboxes.choose import BOUNDARIES
from guards.sandboxes.sandbox import Sandbox, SandboxEnded, SandboxError
from hyperspace.attacks.attack import UNCLEAR, Attack, AttackScene, unclear
from hyperspace.attacks.target import planted

AT_ONE_TIME = 4
PATIENCE_S = 60.0


class Contender(msgspec.Struct, frozen=True):
    """A sandbox, started in one of its ways.

    Attributes:
        sandbox: Its name.
        path: `cold` or `warm`.
        make: Makes it, without the defences that are named.
    """

    sandbox: str
    path: str
    make: Callable[[Without], Sandbox]


class AttackOutcome(msgspec.Struct, frozen=True, rename={"passed": "pass"}):
    """The result of one attack in one sandbox.

    Attributes:
        name: The attack.
        family: Its family.
        sandbox: Where it was played.
        path: How the sandbox was started, `cold` or `warm`.
        expected: The verdict that shows that the defences hold.
        observed: The verdict.
        passed: Whether they are the same.
    """

    name: str
    family: str
    sandbox: str
    path: str
    expected: str
    observed: str
    passed: bool


def contenders() -> tuple[list[Contender], dict[str, str]]:
    """The sandboxes that are boundaries, in each way in which they start; and why others do not.

    One that starts warm comes first, because it is the fastest.

    All attacks on one contender are started by one sandbox, as all candidates of a run are.
    """
    usable: list[Contender] = []
    reasons: dict[str, str] = {}
    for kind in sorted(BOUNDARIES.values(), key=lambda kind: (kind.path != "warm", kind.family)):
        why = kind.examine() or (why_cold() if kind.path == "warm" else None)
        if why is None:
            usable.append(Contender(kind.family, kind.path, _always(kind.make())))
        else:
            reasons[f"{kind.family} ({kind.path})"] = why
    return usable, reasons


async def run_attacks(
    attacks: Iterable[Attack],
    usable: Sequence[Contender],
    done: Callable[[AttackOutcome], None],
) -> list[AttackOutcome]:
    """Play attacks against sandboxes, some at a time.

    What the host's own code stops is played once, on the first contender.

    Args:
        attacks: What to play.
        usable: Where.
        done: Told each outcome as it comes.

    Returns:
        The outcomes, contender after contender, in the order of the attacks.
    """
    wanted = {
        f"{contender.sandbox} {contender.path} {attack.name}": (attack, contender)
        for contender in usable
        for attack in attacks
        if contender is usable[0] or not attack.is_stopped_by_host
    }
    outcomes: dict[str, AttackOutcome] = {}

    def take(name: str, observed: str) -> None:
        attack, contender = wanted[name]
        outcomes[name] = AttackOutcome(
            name=attack.name,
            family=attack.family,
            sandbox=contender.sandbox,
            path=contender.path,
            expected=attack.play.expected,
            observed=observed,
            passed=observed == attack.play.expected,
        )
        done(outcomes[name])

    with planted() as target:
        scenes = {each.make: AttackScene(each.make, target) for each in usable}
        plays = {name: (attack, scenes[each.make]) for name, (attack, each) in wanted.items()}
        await play_all(plays, take)
    return [outcomes[name] for name in wanted]


async def play_all(
    plays: Mapping[str, tuple[Attack, AttackScene]], take: Callable[[str, str], None]
) -> None:
    """Play attacks in their scenes, some at a time, and tell each verdict under its name."""
    slots = anyio.CapacityLimiter(AT_ONE_TIME)

    async def one(name: str, attack: Attack, scene: AttackScene) -> None:
        async with slots:
            take(name, await verdict(attack, scene))

    async with anyio.create_task_group() as group:
        for name, (attack, scene) in plays.items():
            group.start_soon(one, name, attack, scene)


async def verdict(attack: Attack, scene: AttackScene) -> str:
    """Play one attack, and again where that gave no verdict: the machine may have been busy."""
    first = await _verdict(attack, scene)
    return await _verdict(attack, scene) if first.startswith(UNCLEAR) else first


async def _verdict(attack: Attack, scene: AttackScene) -> str:
    try:
        with anyio.fail_after(PATIENCE_S):
            return await attack.play.play(scene)
    except (SandboxEnded, SandboxError, TimeoutError) as error:
        return unclear(repr(error))


def failed(outcomes: Sequence[AttackOutcome]) -> list[AttackOutcome]:
    """The attacks that did not come out as they must."""
    return [outcome for outcome in outcomes if not outcome.passed]


def _always(sandbox: Sandbox) -> Callable[[Without], Sandbox]:
    """A maker of a sandbox with all defences, whatever is asked for."""
    return lambda _without: sandbox
