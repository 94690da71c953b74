import math
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.tasks.three_files.scoring import read_value, worth

FIGURES = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("score:1.5", 1.5),
        ("noise\n score : -2e-3 \nmore", -0.002),
        ("score:1\nscore:2\n", 2.0),
        ("score:+7", 7.0),
        ("", None),
        ("score:", None),
        ("score:nan", None),
        ("score:inf", None),
        ("score:1e999", None),
        ("score:1.2.3", None),
        ("my score:3", None),
        ("score:3 points", None),
        ("score:\u0663", None),
        ("score:0x10", None),
        ("score:1\nscore:nan", None),
        ("score:.5", 0.5),
        ("score:.", None),
    ],
)
def test_the_last_line_of_the_metric_is_read(printed: str, value: float | None) -> None:
    assert read_value(printed, "score") == value


def test_a_metric_is_no_pattern() -> None:
    assert read_value("a.c:1", "a.c") == 1
    assert read_value("abc:1", "a.c") is None


@pytest.mark.parametrize(
    ("value", "perfect", "higher", "score"),
    [
        (50, 200, True, 0.25),
        (-1, 200, True, 0.0),
        (400, 200, True, 2.0),
        (10, 10, False, 1.0),
        (20, 10, False, 0.5),
        (5, 10, False, 1.5),
        (0, 0, False, 1.0),
        (3, 0, False, 0.25),
        (-2, -1, True, 0.5),
        (1e308, 1e-300, True, 1e9),
        (0, None, True, 0.5),
        (1, None, True, 0.75),
        (1, None, False, 0.25),
    ],
)
def test_a_figure_is_worth(value: float, perfect: float | None, higher: bool, score: float) -> None:
    assert worth(value, perfect, higher) == pytest.approx(score)


@given(st.lists(FIGURES, min_size=2, max_size=6).map(sorted), st.none() | FIGURES, st.booleans())
def test_a_better_figure_is_never_worth_less(
    values: list[float], perfect: float | None, higher: bool
) -> None:
    scores = [worth(value, perfect, higher) for value in values]
    assert all(math.isfinite(score) and score >= 0 for score in scores)
    rising = scores if higher else scores[::-1]
    rounding = 4 * sys.float_info.epsilon  # recorded scores stay what they are, to the last bit
    assert all(low <= high * (1 + rounding) for low, high in pairwise(rising))
