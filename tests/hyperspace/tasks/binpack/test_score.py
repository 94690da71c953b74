import random

import pytest

from hyperspace.tasks.binpack.score import (
    TRAIN_LAWS,
    Law,
    Policy,
    bins_used,
    draw_sizes,
    excess,
    grade,
    lower_bound,
)


def fit(capacity: int) -> Policy:
    return Policy([-float(gap) for gap in range(capacity + 1)], -1000.0)


@pytest.mark.parametrize(
    ("sizes", "bins"),
    [([], 0), ([10], 1), ([6, 6], 2), ([6, 4], 1), ([6, 5, 4, 5], 2), ([4, 5, 6, 5], 3)],
)
def test_best_fit_packs_as_by_hand(sizes: list[int], bins: int) -> None:
    assert bins_used(10, fit(10), sizes) == bins


def test_a_bin_is_opened_where_that_scores_higher_than_the_gap_that_would_be_left() -> None:
    gap = [1.0] + [0.0] * 10
    assert bins_used(10, Policy(gap, 0.5), [5, 4, 5, 6]) == 2
    assert bins_used(10, Policy(gap, -0.5), [5, 4, 5, 6]) == 3


def test_of_equal_scores_the_smaller_remaining_space_wins() -> None:
    even = Policy([0.0] * 11, 0.0)
    assert bins_used(10, even, [7, 4, 3, 6]) == 2
    worst = Policy([float(gap) for gap in range(11)], 0.0)
    assert bins_used(10, worst, [7, 4, 3, 6]) == 3


@pytest.mark.parametrize(
    ("sizes", "bound"),
    [([5, 5], 1), ([6, 6, 6], 3), ([6, 4, 4], 2), ([7, 4, 4], 2), ([7, 7, 4, 4, 4], 4), ([1], 1)],
)
def test_the_lower_bound_of_small_instances(sizes: list[int], bound: int) -> None:
    assert lower_bound(10, sizes) == bound


def test_no_policy_is_below_the_lower_bound() -> None:
    rng = random.Random(1)
    for _ in range(50):
        sizes = [rng.randint(1, 10) for _ in range(30)]
        assert bins_used(10, fit(10), sizes) >= lower_bound(10, sizes) >= -(-sum(sizes) // 10)


def test_excess_is_over_all_instances_together() -> None:
    assert excess(10, fit(10), [[4, 5, 6, 5], [10]]) == pytest.approx(1 / 3)
    assert (grade(0.0), grade(0.08), grade(1.0)) == (1.0, 0.0, 0.0)


def test_draws_follow_their_law() -> None:
    rng = random.Random(2)
    weibull = draw_sizes(TRAIN_LAWS["weibull"], 4000, rng)
    uniform = draw_sizes(TRAIN_LAWS["uniform"], 4000, rng)
    assert sum(weibull) / 4000 == pytest.approx(45 * 0.89298, abs=0.7)
    assert sum(size <= 45 for size in weibull) / 4000 == pytest.approx(0.644, abs=0.025)
    assert 1 <= min(weibull) < max(weibull) <= 100
    assert (min(uniform), max(uniform)) == (20, 100)
    assert max(draw_sizes(Law("weibull", 500, 1), 100, rng)) == 100
