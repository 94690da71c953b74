import random
from fractions import Fraction

import pytest

from benchmarks.packing_references.__main__ import cases, name
from benchmarks.packing_references.climbing import Box, as_answer, climb, scattered, search
from hyperspace.tasks.packing.references import PUBLIC_RECORDS, REFERENCES
from hyperspace.tasks.packing.score import sum_of_radii


@pytest.mark.parametrize("box", [Box(4, 1.0, 1.0), Box(7, 1.6, 0.625)])
def test_what_is_climbed_to_is_valid_exactly_and_loses_nothing_worth_a_word(box: Box) -> None:
    layout = climb(box, scattered(box, random.Random(1)))
    total = sum_of_radii(box._asdict(), as_answer(box, layout))
    assert 0 < Fraction(layout.total) - total < 1e-6


def test_searching_on_finds_no_less_than_one_climb() -> None:
    box = Box(6, 1.0, 1.0)
    single = climb(box, scattered(box, random.Random(3)))
    assert search(box, random.Random(3), 0.1).total >= single.total - 1e-9


def test_every_item_s_case_is_measured_under_a_name_of_its_own() -> None:
    boxes = list(cases())
    assert len({name(box) for box in boxes}) == len(boxes)
    assert {(box.n, box.width) for box in boxes} == REFERENCES.keys()
    assert {(n, 1.0) for n in PUBLIC_RECORDS} < REFERENCES.keys()
