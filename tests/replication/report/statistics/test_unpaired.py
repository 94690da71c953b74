"""The second look: all seeds of both arms, paired or not."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.report.statistics.paired import doubled_midranks
from replication.report.statistics.unpaired import cliffs_delta, rank_sum


@pytest.fixture(scope="module")
def scipy_stats() -> Any:
    return pytest.importorskip("scipy.stats", reason="scipy is not installed")


scores = st.integers(0, 20).map(lambda twentieths: twentieths / 20)
some = st.lists(scores, min_size=1, max_size=6)


@given(some, some)
def test_exchanging_the_arms_turns_the_effect_around_and_leaves_p(
    first: list[float], second: list[float]
) -> None:
    assert cliffs_delta(second, first) == -cliffs_delta(first, second)
    assert rank_sum(second, first) == pytest.approx(rank_sum(first, second))


@settings(max_examples=40)
@given(some, some)
def test_with_ties_p_is_the_share_of_deals_as_far_from_the_middle(
    first: list[float], second: list[float]
) -> None:
    ranks = doubled_midranks([*first, *second])
    mean = sum(ranks) * len(first) / len(ranks)
    found = abs(sum(ranks[: len(first)]) - mean)
    deals = list(combinations(ranks, len(first)))
    as_far = sum(abs(sum(deal) - mean) >= found - 1e-9 for deal in deals)
    assert rank_sum(first, second) == pytest.approx(as_far / len(deals))


@pytest.mark.long
@settings(max_examples=40)
@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=24, unique=True), st.data())
def test_without_ties_p_is_what_scipy_says(
    scipy_stats: Any, values: list[int], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(1, len(values) - 1))
    first, second = values[:cut], values[cut:]
    theirs = scipy_stats.mannwhitneyu(first, second, method="exact")
    assert rank_sum(first, second) == pytest.approx(theirs.pvalue)
    delta = 2 * theirs.statistic / (len(first) * len(second)) - 1
    assert cliffs_delta(first, second) == pytest.approx(delta)


def test_many_values_are_approximated_as_scipy_does(scipy_stats: Any) -> None:
    first, second = [at % 17 for at in range(40)], [at % 19 + 1 for at in range(50)]
    theirs = scipy_stats.mannwhitneyu(first, second, method="asymptotic").pvalue
    assert rank_sum(first, second) == pytest.approx(theirs, abs=1e-9)


def test_an_effect_needs_a_value_on_each_side() -> None:
    with pytest.raises(ValueError, match="each side"):
        cliffs_delta([], [0.5])
