"""P12 to P18: somebody can always proceed, and deferred decisions are fair."""

from typing import Any

import pytest

from markspace import ConflictPolicy, GuardVerdict, Intent, Observation, Scope

ALLOW, CONFLICT, BLOCKED, DENIED = GuardVerdict


@pytest.mark.parametrize("policy", list(ConflictPolicy))
def test_p12_somebody_can_always_proceed(house: Any, policy: ConflictPolicy) -> None:
    house.open(Scope(name="a", conflict_policy=policy))
    agents = [house.agent(str(n)) for n in range(4)]
    verdicts = [house.guard.pre_action(who, "a", "r", "x", 0.5).verdict for who in agents]
    if policy is ConflictPolicy.YIELD_ALL:
        assert house.guard.choose("a", "r", agents[2].id, house.token)
        verdicts = [house.guard.pre_action(agents[2], "a", "r", "x").verdict]
    assert verdicts.count(ALLOW) == 1


def test_p13_having_yielded_bars_nobody_once_the_winner_is_gone(house: Any) -> None:
    winner = house.guard.pre_action(house.ann, "a", "r", "x", 0.9)
    assert house.guard.pre_action(house.bob, "a", "r", "x", 0.1).verdict is CONFLICT
    house.guard.release(winner.intent_id, house.ann)
    assert house.guard.pre_action(house.bob, "a", "r", "x", 0.1).verdict is ALLOW


def waiting(house: Any, *confidences: float) -> list[Any]:
    """Agents that wait on "r" in a deferred scope."""
    house.open(Scope(name="a", deferred=True))
    agents = [house.agent(str(n)) for n in range(len(confidences))]
    for who, confidence in zip(agents, confidences, strict=True):
        assert house.guard.pre_action(who, "a", "r", "x", confidence).verdict is BLOCKED
    return agents


def test_p14_a_boundary_looks_at_every_active_claim(house: Any) -> None:
    agents = waiting(house, 0.3, 0.9, 0.5)
    decisions = house.guard.resolve_deferred("a", "r")
    assert set(decisions) == {who.id for who in agents}


def test_p15_deferred_confidence_equals_deciding_at_once(house: Any) -> None:
    for confidences in ((0.3, 0.9, 0.5), (0.9, 0.3, 0.5), (0.1, 0.1, 0.1)):
        agents = waiting(house, *confidences)
        decisions = house.guard.resolve_deferred("a", "r")
        strongest = agents[confidences.index(max(confidences))]
        assert decisions[strongest.id].verdict is ALLOW
        house.guard.release(decisions[strongest.id].intent_id)


def test_p16_claims_that_nobody_decides_end_by_ttl(house: Any) -> None:
    waiting(house, 0.5)
    house.space.set_clock(1e6)
    assert house.guard.resolve_deferred("a", "r") == {}


def test_p17_at_most_one_claim_is_allowed_at_a_boundary(house: Any) -> None:
    waiting(house, 0.9, 0.9, 0.9)
    verdicts = [d.verdict for d in house.guard.resolve_deferred("a", "r").values()]
    assert sorted(verdicts) == [ALLOW, CONFLICT, CONFLICT]


def test_p18_no_claim_from_before_the_boundary_is_left_out(house: Any) -> None:
    waiting(house, 0.2)
    late = house.agent("late", "a/b")
    house.space.write(late, Intent(scope="a/b", resource="r", confidence=0.8))
    house.space.write(house.ann, Observation(scope="a", topic="r"))
    decisions = house.guard.resolve_deferred("a", "r")
    assert len(decisions) == 2
    assert decisions[late.id].verdict is ALLOW
