"""Which ideas an epoch has: shares, parents, and what each is shown."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from hyperspace.research.loop.records import ClosedIdea, IdeaManifest, ResearchConfig
from hyperspace.research.loop.schedule import Assignment, exploit_share, plan_epoch, ranked
from tests.hyperspace.research.environments import fit_line
from tests.hyperspace.research.runs import config_for

DESCRIPTION = fit_line().description  # less is better


def config(**more: Any) -> ResearchConfig:
    return config_for(fit_line(), **{"epochs": 10, "ideas": 10, **more})


def idea(number: int, score: float | None, tree: str = "") -> ClosedIdea:
    manifest = IdeaManifest(
        number=number, epoch=0, author="", kind="explore", parent=0, shown=(), gates=(),
        tree_sha256=tree or str(number), state="done" if score is not None else "failed",
        score=score, calls=(),
    )  # fmt: skip
    return ClosedIdea(
        manifest=manifest, text="", diff="", tries=(), reason="", artefacts={}, log="", cpu_s=0.0
    )


EARLIER = {
    each.number: each
    for each in (idea(0, 5.0), idea(1, 4.0), idea(2, None), idea(3, 3.0), idea(4, 3.0, "3"))
}


def planned(epoch: int, earlier: Mapping[int, ClosedIdea]) -> list[Assignment]:
    return plan_epoch(config(), epoch, {"ideator-0": earlier}, DESCRIPTION)


def test_shares_are_those_of_the_design_unless_one_is_given() -> None:
    shares = [exploit_share(config(), epoch) for epoch in range(10)]
    assert shares == pytest.approx([0, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 0.8, 0.8, 0.8])
    given = [exploit_share(config(explore=0.25), epoch) for epoch in range(3)]
    assert given == [0, 0.75, 0.75]


def test_the_best_come_first_and_equal_repositories_once() -> None:
    assert [each.number for each in ranked(EARLIER, "min")] == [3, 1, 0]


def test_the_first_epoch_sees_nothing_and_later_ones_build_upon_the_best() -> None:
    first = planned(0, {0: EARLIER[0]})
    assert [each.number for each in first] == list(range(1, 11))
    assert {(each.kind, each.parent, each.shown) for each in first} == {("explore", 0, ())}
    third = planned(2, EARLIER)
    assert [each.number for each in third] == list(range(21, 31))
    assert [each.kind for each in third] == ["exploit"] * 6 + ["explore"] * 4
    assert [each.parent for each in third] == [3, 1, 0, 3, 1, 0, 0, 0, 0, 0]
    assert all(each.shown == (3, 1, 0) for each in third[:6])
    assert all(set(each.shown) <= {1, 2, 3, 4} for each in third[6:])
    assert third == planned(2, EARLIER)


def test_where_nothing_has_a_score_all_is_explored() -> None:
    failed = {0: msgspec.structs.replace(EARLIER[2]), 2: EARLIER[2]}
    assert {each.kind for each in planned(3, failed)} == {"explore"}
