"""Epochs that know those before are drawn once each, and are the same in any order."""

from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.tasks.base import Domain
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.renewable import Epochs, Renewable


class Counted:
    """Draws the sum of all numbers so far, and counts how often it drew."""

    def __init__(self) -> None:
        self.drawn = 0

    def begin(self) -> Iterator[int]:
        total = 0
        for number in count():
            self.drawn += 1
            total += number
            yield total


@given(st.lists(st.integers(0, 12), max_size=20))
def test_an_epoch_is_the_same_in_whatever_order_it_is_asked_for(asked: list[int]) -> None:
    epochs = Epochs(Counted().begin)
    assert [epochs.of(epoch) for epoch in asked] == [sum(range(epoch + 1)) for epoch in asked]


def test_epochs_that_come_in_order_with_the_one_before_are_drawn_once_each() -> None:
    drawing = Counted()
    epochs = Epochs(drawing.begin)
    for epoch in range(100):
        assert epochs.of(epoch) - epochs.of(max(epoch - 1, 0)) == epoch
    assert drawing.drawn == 100


def test_an_epoch_that_cannot_be_drawn_says_so_whenever_it_is_asked_for() -> None:
    def begin() -> Iterator[int]:
        yield 0
        raise ValueError("no more")

    epochs = Epochs(begin)
    for _ in range(2):
        with pytest.raises(ValueError, match="no more"):
            epochs.of(1)
        assert epochs.of(0) == 0


def val(domain: Domain, epoch: int) -> list[object]:
    assert isinstance(domain, Renewable)
    return [item.inputs for item in domain.renewed(epoch).items("val")]


def test_tasks_whose_epochs_know_those_before_draw_the_same_from_anywhere() -> None:
    for name in ("email_validation", "pairwise"):
        in_order, apart = load(name), load(name)
        for epoch in range(4):
            assert val(in_order, epoch) == val(apart, epoch)
            assert val(apart, 0) == val(in_order, 0)
