"""Wilcoxon's signed ranks: exact, also with ties and zeros, and honest about few pairs."""

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from replication.report.statistics.paired import (
    critical,
    difference_interval,
    differences,
    doubled_midranks,
    hodges_lehmann,
    pairs_needed,
    signed_rank,
    smallest_p,
)


@pytest.fixture(scope="module")
def scipy_stats() -> Any:
    return pytest.importorskip("scipy.stats", reason="scipy is not installed")


scores = st.integers(0, 100).map(lambda hundredths: hundredths / 100)
pairs = st.lists(st.tuples(scores, scores), min_size=1, max_size=10)


def split(found: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [a for a, _ in found], [b for _, b in found]


@given(pairs)
def test_exchanging_the_arms_turns_every_effect_around_and_leaves_p(
    found: list[tuple[float, float]],
) -> None:
    first, second = split(found)
    there, back = differences(first, second), differences(second, first)
    assert signed_rank(back).p == signed_rank(there).p
    assert signed_rank(back).rank_biserial == -signed_rank(there).rank_biserial
    assert hodges_lehmann(back) == pytest.approx(-hodges_lehmann(there))


@given(pairs)
def test_p_is_one_that_so_many_pairs_can_reach(found: list[tuple[float, float]]) -> None:
    test = signed_rank(differences(*split(found)))
    ways = test.p * 2 ** (test.pairs - test.zeros)
    assert test.p == 1 or ways == int(ways)
    assert smallest_p(test.pairs) <= test.p <= 1


@given(pairs, st.integers(1, 5))
def test_a_tied_pair_more_changes_no_p(found: list[tuple[float, float]], ties: int) -> None:
    diffs = differences(*split(found))
    assert signed_rank([*diffs, *[0.0] * ties]).p == signed_rank(diffs).p


@given(st.lists(scores.filter(bool), min_size=1, max_size=12), st.integers(0, 5))
def test_the_smallest_p_is_that_of_pairs_of_one_sign_whatever_their_sizes_and_ties(
    sizes: list[float], ties: int
) -> None:
    test = signed_rank([*sizes, *[0.0] * ties])
    assert test.p == smallest_p(len(sizes)) == 2 / 2 ** len(sizes)


@given(st.lists(scores, min_size=1, max_size=10))
def test_equal_arms_give_a_p_of_1_and_no_effect(values: list[float]) -> None:
    diffs = differences(values, values)
    test = signed_rank(diffs)
    assert (test.p, test.rank_biserial, test.zeros) == (1.0, 0.0, len(values))
    assert hodges_lehmann(diffs) == 0


@settings(max_examples=40)
@given(st.lists(scores.filter(bool), min_size=2, max_size=8), st.data())
def test_with_ties_p_is_the_share_of_sign_patterns_as_one_sided(
    sizes: list[float], data: st.DataObject
) -> None:
    signs = data.draw(st.lists(st.sampled_from((-1, 1)), min_size=len(sizes), max_size=len(sizes)))
    ranks = doubled_midranks(sizes)
    total = sum(ranks)

    def rarer(pattern: tuple[int, ...]) -> int:
        plus = sum(rank for rank, sign in zip(ranks, pattern, strict=True) if sign > 0)
        return min(plus, total - plus)

    patterns = list(product((-1, 1), repeat=len(sizes)))
    as_far = sum(rarer(pattern) <= rarer(tuple(signs)) for pattern in patterns)
    test = signed_rank([size * sign for size, sign in zip(sizes, signs, strict=True)])
    assert test.p == pytest.approx(min(1.0, as_far / len(patterns)))


@settings(max_examples=40)
@given(st.lists(st.integers(-500, 500).filter(bool), min_size=3, max_size=25, unique_by=abs))
def test_without_ties_p_is_what_scipy_says(scipy_stats: Any, diffs: list[int]) -> None:
    ours = signed_rank([float(diff) for diff in diffs])
    assert ours.p == pytest.approx(scipy_stats.wilcoxon(diffs, method="exact").pvalue)


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
def test_many_pairs_are_approximated_as_scipy_does(scipy_stats: Any, shift: float) -> None:
    draw = random.Random(1)
    diffs = [draw.gauss(shift) for _ in range(150)]
    theirs = scipy_stats.wilcoxon(diffs, method="approx", correction=True).pvalue
    assert signed_rank(diffs).p == pytest.approx(theirs, abs=1e-9)


def test_rounding_noise_makes_no_ties_into_differences() -> None:
    assert differences([0.58, 0.61], [0.57, 0.60]) == [0.01, 0.01]
    assert signed_rank(differences([0.3], [0.1 + 0.2])).zeros == 1


@pytest.mark.parametrize(
    ("count", "greatest"),
    [(5, None), (6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (15, 25), (20, 52), (25, 89)],
)
def test_critical_values_are_those_of_wilcoxons_table(count: int, greatest: int | None) -> None:
    assert critical(count, 0.05) == greatest


@settings(max_examples=40)
@given(st.lists(st.integers(-300, 300).filter(bool), min_size=6, max_size=14, unique_by=abs))
def test_the_interval_leaves_out_0_exactly_where_the_test_rejects(diffs: list[int]) -> None:
    found = [float(diff) for diff in diffs]
    interval = difference_interval(found, 0.05)
    assert interval is not None
    low, high = interval
    assume(0 not in (low, high))  # a mean of two differences that is 0 is a tie
    assert (low > 0 or high < 0) == (signed_rank(found).p <= 0.05)
    assert low <= hodges_lehmann(found) <= high


@given(st.lists(st.integers(-2, 5), min_size=6, max_size=20))
@example([-2, 1, 1, 1, 1, 1, 1, 1, 3, 5])  # p is 0.059, and the cut alone would leave 0 out
def test_with_ties_an_interval_leaves_out_0_only_where_the_test_rejects(
    twentieths: list[int],
) -> None:
    diffs = differences([step / 20 for step in twentieths], [0.0] * len(twentieths))
    interval = difference_interval(diffs, 0.05)
    if interval is not None and not interval[0] <= 0 <= interval[1]:
        assert signed_rank(diffs).p <= 0.05


def test_differences_that_are_all_equal_have_no_interval() -> None:
    assert difference_interval([0.1] * 8, 0.05) is None
    assert difference_interval([0.0] * 8, 0.05) is None


def test_five_pairs_have_no_interval_and_cannot_reach_the_level() -> None:
    diffs = [0.1, 0.2, 0.3, 0.4, 0.5]
    assert signed_rank(diffs).p == smallest_p(5) == 0.0625
    assert difference_interval(diffs, 0.05) is None


@pytest.mark.parametrize("comparisons", [1, 3, 6, 10])
def test_the_pairs_needed_are_the_fewest_that_can_reach_the_corrected_level(
    comparisons: int,
) -> None:
    needed = pairs_needed(0.05, comparisons)
    assert smallest_p(needed) * comparisons <= 0.05 < smallest_p(needed - 1) * comparisons
