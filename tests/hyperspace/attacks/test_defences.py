"""Every attack succeeds when what stops it is taken away, and each part of that alone is enough.

So no attack fails for a reason of its own.
"""

import ast
import os
import platform
import re

import pytest

from guards.defences import Defence, Without
from hyperspace.attacks.attack import GOT_THROUGH, Attack
from tests.support.attacks import CORPUS, verdicts
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long

AS_ROOT = Defence.HOST_USER  # only root can be anything but an unprivileged user
KERNEL = tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
CHOOSING = "attacks"  # plays each without its defences, to see what they are worth
HANDING_ON = ("agents", "guards", "hyperspace")


def possible(attack: Attack) -> bool:
    return attack.since <= KERNEL and (os.geteuid() == 0 or AS_ROOT not in attack.stopped_by)


NAKED = [attack.name for attack in CORPUS.values() if possible(attack)]
LAYERED = [
    f"{attack.name} / {layer.name}"
    for attack in CORPUS.values()
    if possible(attack) and len(attack.stopped_by) > 1
    for layer in sorted(attack.stopped_by, key=lambda defence: defence.value)
]
# A container keeps these whatever we ask for, or we have no switch for them there.
ALWAYS_IN_A_CONTAINER = {
    *(Defence.MOUNTS, Defence.READ_ONLY, Defence.PROCESSES, Defence.HOST_USER),
    *(Defence.CAPABILITIES, Defence.NESTING, Defence.HOST_NAME, Defence.SESSION),
    *(Defence.ENVIRONMENT, Defence.IPC),
}
IN_A_CONTAINER = [name for name in NAKED if not CORPUS[name].stopped_by & ALWAYS_IN_A_CONTAINER]
# Of the attacks that the same defences stop, one always; the others stand in the slow tier.
FIRST = set({CORPUS[name].stopped_by: name for name in reversed(NAKED)}.values())
EVERYWHERE = [
    *(
        pytest.param(
            name,
            "bubblewrap",
            marks=[needs_bubblewrap, *([] if name in FIRST else [pytest.mark.slow])],
        )
        for name in NAKED
    ),
    *(pytest.param(name, "docker", marks=pytest.mark.docker) for name in IN_A_CONTAINER),
]


def reduced(case: str) -> tuple[Attack, Without]:
    name, _, layer = case.partition(" / ")
    attack = CORPUS[name]
    kept = {Defence[layer]} if layer else set[Defence]()
    return attack, (attack.stopped_by | attack.hindered_by) - kept


def settled(case: str, verdict: str) -> bool:
    """With a defence in force the first verdict stands; without any, the attack may try again."""
    return " / " in case or verdict == GOT_THROUGH


@pytest.fixture(scope="module")
def on_bubblewrap(request: pytest.FixtureRequest) -> dict[str, str]:
    return verdicts(request, "bubblewrap", reduced, settled)


@pytest.fixture(scope="module")
def on_docker(request: pytest.FixtureRequest, docker_daemon: None) -> dict[str, str]:
    return verdicts(request, "docker", reduced, settled)


@pytest.mark.parametrize(("case", "sandbox"), EVERYWHERE)
def test_the_attack_gets_through_when_its_defences_are_off(
    case: str, sandbox: str, request: pytest.FixtureRequest
) -> None:
    assert request.getfixturevalue(f"on_{sandbox}")[case] == GOT_THROUGH


@needs_bubblewrap
@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["bubblewrap"])
@pytest.mark.parametrize("case", LAYERED)
def test_one_of_several_defences_is_enough(
    case: str, sandbox: str, on_bubblewrap: dict[str, str]
) -> None:
    observed = on_bubblewrap[case]
    assert observed != GOT_THROUGH
    assert "Sandbox" not in observed, sandbox  # it was played, and not kept from starting


def test_every_defence_stops_an_attack() -> None:
    used = {defence for attack in CORPUS.values() for defence in attack.stopped_by}
    hinders = {defence for attack in CORPUS.values() for defence in attack.hindered_by}
    assert set(Defence) - used - hinders == set()


def test_no_command_configuration_or_variable_can_take_a_defence_away() -> None:
    for package in ("hyperspace/cli", "hyperspace/tasks", "transfer_experiment", "markspace"):
        for path in (ROOT / package).rglob("*.py"):
            assert "defences" not in path.read_text(), path
    for package in HANDING_ON:
        for path in (ROOT / package).rglob("*.py"):
            chosen = _chosen(ast.parse(path.read_text()))
            assert chosen == [] or CHOOSING in path.relative_to(ROOT).parts, path


def _chosen(tree: ast.Module) -> list[str]:
    """Where code says itself what is taken away, rather than hand on what it was given."""
    choices: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in ("without", "_without"):
            choices.append(ast.unparse(node.value))
        if isinstance(node, ast.Subscript | ast.Call):
            called = node.value if isinstance(node, ast.Subscript) else node.func
            if isinstance(called, ast.Name) and called.id in ("Defence", "Without"):
                choices.append(ast.unparse(node))
    return [text for text in choices if text.rpartition(".")[2].lstrip("_") != "without"]
