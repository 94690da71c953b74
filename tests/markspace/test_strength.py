"""Laws of strength, for any numbers."""

import math
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markspace import (
    Action,
    AnyMark,
    DecayConfig,
    Intent,
    Need,
    Observation,
    Source,
    Warning,
    compute_strength,
    effective_strength,
    effective_strength_with_warnings,
    reinforce,
    trust_weight,
)

DECAY = DecayConfig(100, 50, 10)
ages = st.floats(0, 1e6)
strengths = st.floats(0, 10)


@given(ages, ages, strengths)
def test_beliefs_and_warnings_never_gain_strength(a: float, b: float, initial: float) -> None:
    early, late = sorted((a, b))
    for mark in (Observation(initial_strength=initial), Warning(initial_strength=initial)):
        at_late = compute_strength(mark, late, DECAY)
        assert compute_strength(mark, early, DECAY) >= at_late >= 0


@given(ages, strengths)
def test_actions_and_open_needs_keep_their_strength(age: float, initial: float) -> None:
    for mark in (Action(initial_strength=initial), Need(initial_strength=initial)):
        assert compute_strength(mark, age, DECAY) == initial


@given(strengths)
def test_half_is_left_after_a_half_life(initial: float) -> None:
    mark = Observation(initial_strength=initial)
    assert compute_strength(mark, 100, DECAY) == pytest.approx(initial / 2)


def test_an_intent_lives_up_to_its_ttl_and_not_beyond() -> None:
    assert compute_strength(Intent(), 10, DECAY) == 1
    assert compute_strength(Intent(), 10.001, DECAY) == 0


def test_a_resolved_need_is_worth_nothing() -> None:
    assert compute_strength(Need(resolved_by=uuid4()), 0, DECAY) == 0


@given(st.floats(-1e6, -0.001))
def test_a_mark_from_the_future_has_its_initial_strength(age: float) -> None:
    marks: list[AnyMark] = [Intent(), Observation(), Warning(), Need(resolved_by=uuid4())]
    assert all(compute_strength(mark, age, DECAY) == 1 for mark in marks)


def test_infinite_half_lives_never_decay() -> None:
    forever = DecayConfig(math.inf, math.inf, math.inf)
    for mark in (Observation(), Warning(), Intent()):
        assert compute_strength(mark, 1e300, forever) == 1


@given(ages, strengths)
def test_less_trust_is_less_strength(age: float, initial: float) -> None:
    marks = [Observation(initial_strength=initial, source=source) for source in Source]
    strengths = [effective_strength(mark, age, DECAY) for mark in marks]
    assert strengths == sorted(strengths, reverse=True)
    assert all(0 <= s <= initial for s in strengths)
    assert [trust_weight(source) for source in Source] == [1.0, 0.7, 0.3]


@given(strengths, st.lists(strengths, max_size=5), ages)
def test_warnings_weaken_their_target_only_and_never_below_0(
    initial: float, losses: list[float], age: float
) -> None:
    target, other = Observation(initial_strength=initial), Observation()
    warnings = [Warning(invalidates=target.id, initial_strength=loss) for loss in losses]
    weakened = effective_strength_with_warnings(target, warnings, age, DECAY)
    assert 0 <= weakened <= effective_strength(target, age, DECAY)
    untouched = effective_strength_with_warnings(other, warnings, age, DECAY)
    assert untouched == effective_strength(other, age, DECAY)


@given(st.lists(st.floats(-1, 3), max_size=8), st.floats(0.001, 3))
def test_reinforcement_is_capped_and_more_agreement_never_hurts(
    values: list[float], more: float
) -> None:
    assert 0 <= reinforce(values) <= 2
    assert reinforce([*values, more]) >= reinforce(values) - 1e-12


def test_reinforcement_of_known_values() -> None:
    assert reinforce([]) == 0
    assert reinforce([0.5]) == 0.5
    assert reinforce([5]) == 2
    assert reinforce([1, 0.5, 0.5]) == pytest.approx(1.3)


def test_an_unknown_type_has_no_strength() -> None:
    class Odd:
        mark_type = "odd"
        created_at = 0.0
        initial_strength = 1.0

    with pytest.raises(ValueError, match="odd"):
        compute_strength(Odd(), 1, DECAY)  # type: ignore[arg-type]


def test_a_need_that_is_none_is_a_type_error() -> None:
    class Odd:
        mark_type = "need"
        created_at = 0.0
        initial_strength = 1.0

    with pytest.raises(TypeError, match="Need"):
        compute_strength(Odd(), 1, DECAY)  # type: ignore[arg-type]
