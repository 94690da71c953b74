"""Holm's correction."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.report.statistics.several import best_case, holm

ps = st.lists(st.floats(0.0001, 1.0), min_size=1, max_size=12)


@given(ps)
def test_no_p_becomes_smaller_or_more_than_1_and_none_overtakes_another(found: list[float]) -> None:
    adjusted = holm(found)
    assert all(raw <= new <= 1 for raw, new in zip(found, adjusted, strict=True))
    ordered = [new for _, new in sorted(zip(found, adjusted, strict=True))]
    assert ordered == sorted(ordered)


@given(ps)
def test_it_is_never_stricter_than_multiplying_all(found: list[float]) -> None:
    assert all(
        new <= min(1.0, raw * len(found)) for raw, new in zip(found, holm(found), strict=True)
    )


@given(ps, st.randoms())
def test_the_order_of_the_comparisons_does_not_matter(found: list[float], random: Random) -> None:
    places = list(range(len(found)))
    random.shuffle(places)
    shuffled = holm([found[place] for place in places])
    assert shuffled == [holm(found)[place] for place in places]


def test_it_is_holms_example_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_the_best_case_puts_the_smallest_possible_p_among_the_others() -> None:
    assert best_case([0.5, 0.6], 0, 0.0625) == 0.125
    assert best_case([0.5, 0.001], 0, 0.03125) == 0.03125
