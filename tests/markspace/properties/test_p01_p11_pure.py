"""P1 to P11: decay, trust, reinforcement and the winner of a conflict, as pure functions."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markspace import (
    Action,
    ConflictPolicy,
    DecayConfig,
    Intent,
    Need,
    Observation,
    Source,
    Warning,
    compute_strength,
    effective_strength,
    reinforce,
    resolve_conflict,
)

DECAY = DecayConfig(60, 30, 10)
ages = st.floats(0, 1e5)
strengths = st.floats(0, 10)
claims = st.builds(
    Intent, confidence=st.floats(0, 1), created_at=st.floats(0, 1e5), id=st.uuids(version=4)
)


@given(ages, ages, strengths)
def test_p01_beliefs_and_warnings_only_fade(a: float, b: float, s: float) -> None:
    for mark in (Observation(initial_strength=s), Warning(initial_strength=s)):
        early, late = (compute_strength(mark, t, DECAY) for t in sorted((a, b)))
        assert late <= early


@given(ages, strengths)
def test_p02_a_fact_does_not_fade(age: float, s: float) -> None:
    assert compute_strength(Action(initial_strength=s), age, DECAY) == s


@given(st.lists(strengths, max_size=10))
def test_p03_without_new_marks_beliefs_and_warnings_vanish(values: list[float]) -> None:
    marks = [kind(initial_strength=s) for s in values for kind in (Observation, Warning)]
    assert sum(compute_strength(mark, 60 * 60, DECAY) for mark in marks) < 1e-9


@given(st.floats(0.001, 1e5), strengths)
def test_p04_an_intent_is_worth_nothing_after_its_ttl(beyond: float, s: float) -> None:
    assert compute_strength(Intent(initial_strength=s), 10 + beyond, DECAY) == 0


@given(ages, strengths)
def test_p05_an_open_need_keeps_its_strength(age: float, s: float) -> None:
    assert compute_strength(Need(initial_strength=s), age, DECAY) == s


@given(ages, strengths)
def test_p06_more_trust_is_at_least_as_strong(age: float, s: float) -> None:
    marks = [Observation(initial_strength=s, source=source) for source in Source]
    values = [effective_strength(mark, age, DECAY) for mark in marks]
    assert values == sorted(values, reverse=True)


@given(ages, strengths, st.sampled_from(Source))
def test_p07_trust_only_shrinks(age: float, s: float, source: Source) -> None:
    mark = Observation(initial_strength=s, source=source)
    assert 0 <= effective_strength(mark, age, DECAY) <= compute_strength(mark, age, DECAY)


@given(st.integers(2, 50), st.floats(0.001, 1))
def test_p08_repetition_counts_less_than_its_number(n: int, s: float) -> None:
    assert reinforce([s] * n) < n * s


@given(st.lists(strengths))
def test_p09_agreement_is_capped(values: list[float]) -> None:
    assert reinforce(values) <= 2.0


@given(st.lists(strengths), st.floats(0.001, 10))
def test_p10_agreement_never_hurts(values: list[float], more: float) -> None:
    assert reinforce([*values, more]) >= reinforce(values) - 1e-9


@pytest.mark.long
@given(st.lists(claims, unique_by=lambda i: i.id), st.sampled_from(ConflictPolicy), st.randoms())
def test_p11_the_winner_depends_on_the_claims_alone(
    intents: list[Intent], policy: ConflictPolicy, rng: object
) -> None:
    winner: UUID | None = resolve_conflict(intents, policy)
    assert resolve_conflict(intents[::-1], policy) == winner
    assert (winner is None) == (not intents or policy is ConflictPolicy.YIELD_ALL)
    if intents and policy is ConflictPolicy.FIRST_WRITER:
        assert min(i.created_at for i in intents) == by_id(intents, winner).created_at
    if intents and policy is ConflictPolicy.HIGHEST_CONFIDENCE:
        assert max(i.confidence for i in intents) == by_id(intents, winner).confidence


def by_id(intents: list[Intent], name: UUID | None) -> Intent:
    """The intent with that id."""
    return next(i for i in intents if i.id == name)
