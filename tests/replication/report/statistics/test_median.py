"""The median of few values, its interval, and what the interval can promise."""

from collections import Counter
from itertools import product
from random import Random
from statistics import median as plain_median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.report.statistics.median import (
    Spread,
    bootstrap_medians,
    median,
    spread_of,
    spread_that_holds,
)

scores = st.integers(0, 100).map(lambda hundredths: hundredths / 100)


@given(st.lists(scores, min_size=2, max_size=14))
def test_the_interval_holds_the_median_and_lies_within_the_values(values: list[float]) -> None:
    spread = spread_of(values)
    assert spread.low is not None
    assert spread.high is not None
    assert min(values) <= spread.low <= spread.median <= spread.high <= max(values)
    assert spread.median == pytest.approx(plain_median(values))
    assert spread.n == len(values)


@settings(max_examples=40)
@given(st.lists(scores, min_size=1, max_size=5))
def test_the_bootstrap_counts_every_resample(values: list[float]) -> None:
    resamples = product(values, repeat=len(values))
    counted = Counter(median(resample) for resample in resamples)
    assert +bootstrap_medians(sorted(values)) == counted


@pytest.mark.parametrize("n", [143, 144, 150, 200, 201])
def test_many_values_have_an_interval_as_few_have(n: int) -> None:
    """From 144 on the number of resamples is beyond what a float can hold."""
    values = [at / 1000 for at in range(n)]
    weights = bootstrap_medians(values)
    spread = spread_of(values)
    assert weights.total() == n**n
    assert spread.low is not None
    assert spread.high is not None
    assert spread.coverage is not None
    assert spread.low == pytest.approx(spread.median - 0.98 * n**0.5 / 1000, abs=0.0015)
    assert spread.low + spread.high == pytest.approx(2 * spread.median)
    assert 0.93 < spread.coverage < 0.98


def test_one_value_has_no_interval() -> None:
    assert spread_of([0.85]) == Spread(1, 0.85, None, None, None)


@given(st.lists(scores, min_size=2, max_size=14))
def test_values_turned_around_turn_the_interval_around(values: list[float]) -> None:
    there, back = spread_of(values), spread_of([-value for value in values])
    assert there.low is not None
    assert there.high is not None
    assert (back.low, back.median, back.high) == (-there.high, -there.median, -there.low)
    assert back.coverage == there.coverage


@settings(max_examples=40)
@given(st.lists(scores, min_size=1, max_size=9), st.randoms())
def test_the_order_of_the_values_does_not_matter(values: list[float], random: Random) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert spread_of(shuffled) == spread_of(values)


@pytest.mark.parametrize(("n", "promised"), [(2, 0.5), (5, 0.9375)])
def test_few_values_promise_what_their_range_can_hold_and_no_more(n: int, promised: float) -> None:
    spread = spread_of([at / 10 for at in range(n)])
    assert (spread.low, spread.high) == (0, (n - 1) / 10)
    assert spread.coverage == promised


def test_the_median_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no value"):
        median([])


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 5, 8, 13])
def test_intervals_hold_the_true_median_as_often_as_they_say(n: int) -> None:
    random, rounds = Random(n), 4000
    spreads = [spread_of([random.random() for _ in range(n)]) for _ in range(rounds)]
    held = sum((s.low or 0) <= 0.5 <= (s.high or 0) for s in spreads) / rounds
    said = sum(s.coverage or 0 for s in spreads) / rounds
    assert held >= said - 0.02


@given(st.lists(scores, min_size=1, max_size=30, unique=True), st.sampled_from([0.5, 0.9, 0.95]))
def test_an_interval_promises_what_is_asked_for_where_any_can(
    values: list[float], coverage: float
) -> None:
    plain, wide = spread_of(values), spread_that_holds(values, coverage)
    assert (wide.n, wide.median) == (plain.n, plain.median)
    most = 1 - 2 / 2 ** len(values)  # of the range of all values
    if plain.coverage is None or plain.coverage >= coverage or most < coverage:
        assert wide == plain
    else:
        assert wide.coverage is not None and wide.coverage >= coverage
        assert wide.low is not None and wide.high is not None
        assert wide.low <= wide.median <= wide.high
        assert sum(wide.low <= value <= wide.high for value in values) < len(values) or (
            most == pytest.approx(wide.coverage)  # pyright: ignore[reportUnknownMemberType]
        )


def test_twenty_values_that_agree_are_enough() -> None:
    values = [at / 1000 for at in range(-2, 18)]
    assert (spread_of(values).coverage or 0) < 0.9
    assert spread_that_holds(values, 0.9) == Spread(20, 0.0075, 0.003, 0.012, 0.9586105346679688)
