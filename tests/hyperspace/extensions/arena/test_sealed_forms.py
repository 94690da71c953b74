"""A tester's case of a sealed item's form is told like any other, and teaches no solver."""

from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from hyperspace.extensions.arena.judging import judge_cases, open_forms
from hyperspace.extensions.arena.rounds import ArenaRounds
from hyperspace.kernel.state.cases import JudgedCase
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Closing, Manifest, SplitResult
from hyperspace.kernel.state.opening import new_record, working
from hyperspace.options.fleet import ArenaTerms, FleetTerms, Member
from hyperspace.tasks.base import Split
from hyperspace.tasks.email_validation.domain import EmailOptions, EmailValidation
from tests.hyperspace.extensions.arena.test_judging import line
from tests.support.runs.manifests import manifest

DOMAIN: Final = EmailValidation(EmailOptions())
OPEN: Final = open_forms(DOMAIN, DOMAIN)
SEALED: Final[tuple[Split, ...]] = ("val", "test")
CONFIG: Final = RunConfig(
    kind="fleet",
    domain="email_validation",
    data_sha256="",
    models=("offline/climber", "offline/tester"),
    agents=("solver1", "tester1"),
    eval_model=None,
    generations=2,
    seed=42,
    fleet=FleetTerms(
        members=(Member(2, role="solver"), Member(2, role="tester")), arena=ArenaTerms(9, 40)
    ),
)


def sealed_lines(split: Split) -> list[str]:
    """Sealed items in other letters, as a tester would guess them, none of a train item's form."""
    items = [i for i in DOMAIN.items(split) if DOMAIN.normal_form(i.inputs) not in OPEN]
    twins = [item.inputs["address"].swapcase() for item in items]
    return [line(twin, DOMAIN.decide({"address": twin}).label) for twin in twins]


def played(folder: Path, cases: tuple[JudgedCase, ...]) -> ArenaRounds:
    """An arena whose tester proposed cases in round 1, all of which its solver failed."""
    answers = SplitResult({case.id: "neither" for case in cases}, 0.0, len(cases))
    with working(RunFolder(folder), new_record(CONFIG, "process", ())) as opened:
        arena = ArenaRounds(CONFIG, opened.marks, DOMAIN)
        for number in (0, 1):
            for agent in ("tester1", "solver1"):
                own = replace(manifest(number, 0.5), agent=agent)
                if number and agent == "tester1":
                    own = replace(own, cases=cases)
                elif number:
                    own = replace(own, splits={**own.splits, "val": answers})
                opened.writer.publish(_closing(own), {}, float(number), None)
        assert arena.standing(0) == ()
        assert len(arena.shown(2)) <= len(cases)  # it remembers what it read
        return arena


def _closing(own: Manifest) -> Closing:
    return Closing(
        manifest=own,
        files={},
        audit_head="",
        seconds=1.0,
        closed_utc="2026-01-01T00:00:00.000+00:00",
        attempt=0,
        calls=0,
        cost_usd=0.0,
    )


@pytest.mark.parametrize("split", SEALED)
def test_a_tester_is_told_the_same_of_sealed_forms_as_of_new_ones(
    split: Split, tmp_path: Path
) -> None:
    taken = played(tmp_path / "run", ()).taken_forms("tester1", 1)
    told = [judge_cases(DOMAIN, each, taken, "t-1")[0] for each in sealed_lines(split)]
    assert len(told) > 10
    assert {case.verdict for case in told} == {"stands"}


@pytest.mark.parametrize("split", SEALED)
def test_a_case_of_a_sealed_form_is_asked_and_teaches_nobody(split: Split, tmp_path: Path) -> None:
    new = line("a..b@c--d.co", "invalid")
    text = "\n".join([sealed_lines(split)[0], new])
    sealed, other = judge_cases(DOMAIN, text, OPEN, "tester1-1")
    arena = played(tmp_path / "run", (sealed, other))
    assert [case.id for case in arena.suite(1)] == [sealed.id, other.id]
    assert arena.fails(1) == {sealed.id: 1, other.id: 1}
    assert [case.id for case in arena.shown(2)] == [other.id]
    assert [case.id for case in arena.teachable(arena.suite(1))] == [other.id]
