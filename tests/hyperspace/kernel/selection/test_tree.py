"""Weights as logarithms in a tree of sums."""

from collections import Counter
from math import exp, inf, isclose, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.kernel.selection.tree import LogWeights

LOGS = st.lists(st.floats(-1e6, 10.0), min_size=1, max_size=70)


def filled(log_weights: list[float]) -> LogWeights:
    tree = LogWeights()
    tree.fill(log_weights)
    return tree


@given(LOGS)
def test_the_total_is_the_sum_of_all_weights(logs: list[float]) -> None:
    highest = max(logs)
    total = highest + log(sum(exp(each - highest) for each in logs))
    assert isclose(filled(logs).total, total, rel_tol=1e-12, abs_tol=1e-12)


@given(LOGS, st.randoms(use_true_random=False))
def test_the_order_of_setting_changes_no_bit(logs: list[float], shuffler: Random) -> None:
    numbers = list(range(len(logs)))
    shuffler.shuffle(numbers)
    tree = LogWeights()
    for number in numbers:
        tree.set(number, -1.0)
        tree.set(number, logs[number])
    assert tree.total == filled(logs).total
    assert [tree.get(number) for number in range(len(logs))] == logs
    assert tree.draw(Random(1)) == filled(logs).draw(Random(1))


@given(st.lists(st.booleans(), min_size=1, max_size=40).filter(any), st.integers(0, 9))
def test_a_number_without_a_weight_is_never_drawn(has: list[bool], seed: int) -> None:
    tree = filled([-2000.0 if fits else -inf for fits in has])
    rng = Random(seed)
    assert all(has[tree.draw(rng)] for _ in range(20))


def test_draws_follow_the_weights() -> None:
    rng = Random(7)
    tree = filled([log(1), log(2), log(5)])
    drawn = Counter(tree.draw(rng) for _ in range(8000))
    for number, share in enumerate((1 / 8, 2 / 8, 5 / 8)):
        assert isclose(drawn[number] / 8000, share, abs_tol=0.02)


def test_from_nothing_nothing_is_drawn() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        LogWeights().draw(Random(1))
