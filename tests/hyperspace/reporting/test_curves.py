"""Curves for a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from hyperspace.reporting.curves import BLOCKS, curve_lines, curves_of, sparkline
from tests.replication.report.runs import errors, run

values = st.lists(st.none() | st.floats(0, 1), max_size=300)


@given(values, st.integers(1, 80))
def test_a_line_is_never_wider_than_asked_and_has_a_place_for_every_value(
    found: list[float | None], width: int
) -> None:
    line = sparkline(found, 1.0, width)
    assert len(line) == min(width, len(found))
    assert set(line) <= {*BLOCKS, "."}


def test_each_column_shows_the_best_of_its_generations_and_a_dot_where_there_is_none() -> None:
    assert sparkline([0.0, 1.0, None, None, 0.5, None], 1.0, 3) == "█.▅"


def test_curves_tell_scores_and_the_best_so_far() -> None:
    (curve,) = curves_of([run("a", 1, [0.1, None, 0.4, 0.2])], "here").curves
    assert curve.val == (0.1, None, 0.4, 0.2)
    assert curve.best == (0.1, 0.1, 0.4, 0.4)
    assert (curve.best_val, curve.best_generation) == (0.4, 2)


def test_where_lower_is_better_a_column_shows_the_lowest_and_all_are_on_the_scale() -> None:
    curves = curves_of([errors("a", 1, [4.0, 2.0, 1.0, 3.0])], "here")
    (curve,) = curves.curves
    assert (curve.best, curve.best_val) == ((4.0, 2.0, 1.0, 1.0), 1.0)
    lines = list(curve_lines(curves))
    assert any(line.endswith("lower is better") for line in lines)
    assert lines[-2:] == ["    val   █▅▃▆", "    best  █▅▃▃"]
    assert sparkline([4.0, 2.0, 1.0, 3.0], 4.0, 2, best=min) == "▅▃"


def test_names_cannot_steer_a_terminal() -> None:
    lines = list(curve_lines(curves_of([run("\x1b[31mred", 1, [0.1])], "here")))
    assert not any("\x1b" in line for line in lines)
    assert any("\\x1b[31mred seed 1" in line for line in lines)
