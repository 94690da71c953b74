import json

import anyio
import pytest

from guards.defences import Without
from guards.sandboxes.choose import BOUNDARIES
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Sandbox
from hyperspace.attacks.corpus import corpus
from hyperspace.attacks.runner import AttackOutcome, Contender, contenders, failed, run_attacks
from hyperspace.cli.selftest import TELL_EVERY
from tests.support.command import failed as refused
from tests.support.command import hyperspace
from tests.support.sandboxes import needs_bubblewrap


def play(*options: str) -> list[dict[str, object]]:
    """Play attacks on bubblewrap, cold and warm; all must be held back."""
    asked = ("audit", "--selftest", "--sandbox", "bubblewrap", "--json", *options)
    done = hyperspace(*asked, timeout_s=170)
    attacks = json.loads(done.stdout)["attacks"]
    assert done.returncode == 0, done.stderr
    assert all(attack["pass"] and attack["observed"] == attack["expected"] for attack in attacks)
    assert sorted(attacks[0]) == sorted(
        ("name", "family", "sandbox", "path", "expected", "observed", "pass")
    )
    assert done.stderr.count("attacks were played") == len(attacks) // TELL_EVERY
    return attacks


@pytest.mark.long
@needs_bubblewrap
@pytest.mark.parametrize(
    ("options", "family"),
    [
        (("--family", "network"), "network"),
        (("--family", "evaluation"), "evaluation"),
        pytest.param((), None, marks=pytest.mark.slow),
    ],
)
def test_attacks_are_held_back_and_told_as_one_object(
    options: tuple[str, ...], family: str | None
) -> None:
    played = [(attack["name"], attack["sandbox"], attack["path"]) for attack in play(*options)]
    assert played == [
        (attack.name, "bubblewrap", path)
        for path in ("warm", "cold")
        for attack in corpus()
        if family in (None, attack.family) and (path == "warm" or not attack.is_stopped_by_host)
    ]


def test_a_sandbox_that_holds_nothing_back_fails() -> None:
    def none(_without: Without) -> Sandbox:
        return ProcessSandbox()

    told: list[AttackOutcome] = []
    wanted = [a for a in corpus() if a.name in ("a file of the host", "key in its environment")]
    outcomes = anyio.run(run_attacks, wanted, [Contender("process", "cold", none)], told.append)
    assert [outcome.name for outcome in outcomes] == [attack.name for attack in wanted]
    assert len(told) == len(wanted)
    assert [outcome.observed for outcome in failed(outcomes)] == ["got through"]


def test_every_boundary_is_tested_or_told_why_not() -> None:
    usable, reasons = contenders()
    ways = {f"{contender.sandbox} ({contender.path})" for contender in usable}
    assert ways | set(reasons) == {f"{kind.family} ({kind.path})" for kind in BOUNDARIES.values()}
    assert len(ways | set(reasons)) == len(BOUNDARIES)


@pytest.mark.long
def test_a_family_that_is_none_is_named() -> None:
    done = hyperspace("audit", "--selftest", "--family", "magic")
    assert "no attacks are of family 'magic'; there are broker, evaluation," in refused(done, 2)


@pytest.mark.long
@pytest.mark.parametrize("name", ["process", "nothing"])
def test_what_is_no_boundary_cannot_be_tested(name: str) -> None:
    done = hyperspace("audit", "--selftest", "--sandbox", name)
    assert f"no sandbox {name!r} can be tested; there are bubblewrap, docker" in refused(done, 2)


@pytest.mark.long
def test_a_run_or_the_selftest_must_be_asked_for() -> None:
    assert "one of the arguments RUN --selftest is required" in refused(hyperspace("audit"), 2)
    assert "not allowed with" in refused(hyperspace("audit", "x", "--selftest"), 2)
    for option, value in (("--sandbox", "bubblewrap"), ("--family", "network")):
        assert option in refused(hyperspace("audit", "x", option, value), 2)
    for option, value in (("--agent", "a"), ("--generation", "0"), ("--kind", "policy")):
        assert option in refused(hyperspace("audit", "--selftest", option, value), 2)
