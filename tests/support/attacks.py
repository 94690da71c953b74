"""Plays the attacks that the chosen tests need, some at a time, once for a module."""

from collections.abc import Callable, Iterable

import anyio
import pytest

from guards.defences import ALL_IN_FORCE, Without
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox
from guards.sandboxes.docker.container import DockerSandbox
from guards.sandboxes.sandbox import Sandbox
from hyperspace.attacks.attack import Attack, AttackScene
from hyperspace.attacks.corpus import corpus
from hyperspace.attacks.runner import play_all
from hyperspace.attacks.target import planted
from tests.support.weakened import WeakenedBubblewrap

CORPUS = {attack.name: attack for attack in corpus()}
MOST_TRIES = 4
WARM = WarmBubblewrapSandbox()
MAKERS: dict[str, Callable[[Without], Sandbox]] = {
    "bubblewrap": WeakenedBubblewrap,
    "warm": lambda _without: WARM,  # one template for all, as in a run
    "docker": DockerSandbox,
}


def verdicts(
    request: pytest.FixtureRequest,
    sandbox: str,
    without: Callable[[str], tuple[Attack, Without]],
    settled: Callable[[str, str], bool] = lambda _case, _verdict: True,
) -> dict[str, str]:
    """Verdicts by case, of the cases that this module's chosen tests ask for.

    Args:
        request: Of the module's fixture.
        sandbox: Where to play.
        without: The attack of a case, and what it is played without.
        settled: Whether a case's verdict stands; an attack that races may lose, and tries again.
    """
    verdict_of: dict[str, str] = {}
    with planted() as target:
        for _ in range(MOST_TRIES):
            plays = {
                case: (attack, AttackScene(MAKERS[sandbox], target, gone))
                for case in _asked_for(request, sandbox)
                for attack, gone in [without(case)]
                if case not in verdict_of or not settled(case, verdict_of[case])
            }
            anyio.run(play_all, plays, verdict_of.__setitem__)
    return verdict_of


def whole(name: str) -> tuple[Attack, Without]:
    """An attack against all defences."""
    return CORPUS[name], ALL_IN_FORCE


def _asked_for(request: pytest.FixtureRequest, sandbox: str) -> Iterable[str]:
    functions = (item for item in request.session.items if isinstance(item, pytest.Function))
    here = (item for item in functions if item.path == request.path)
    given = [item.callspec.params for item in here if hasattr(item, "callspec")]
    return [str(parameters["case"]) for parameters in given if parameters["sandbox"] == sandbox]
