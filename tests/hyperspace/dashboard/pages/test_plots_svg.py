"""Plots drawn on the server: whole XML, points where the data are, text that stays text."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.dashboard.pages.plots_svg import MOST_TITLES, PlotBand, estimates_svg, panel_svg
from hyperspace.dashboard.pages.svg_scale import scale_of
from hyperspace.reporting.figures import Curve, Estimate, Panel

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = st.floats(-1e9, 1e9)


def panel(*curves: Curve) -> Panel:
    return Panel(title="", x="generation", y="score", curves=curves)


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{SVG}{tag}"))  # noqa: S314 - our own


def test_a_higher_score_lies_higher_and_a_later_one_further_right() -> None:
    svg = panel_svg(panel(Curve("a", (0.0, 5.0, 10.0), (0.1, 0.9, 0.5))))
    (line,) = elements(svg, "polyline")
    points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
    assert points[0][0] < points[1][0] < points[2][0]
    assert points[1][1] < points[2][1] < points[0][1]


def test_a_gap_parts_a_line_and_a_point_alone_is_seen() -> None:
    svg = panel_svg(panel(Curve("", (0.0, 1.0, 2.0, 3.0), (0.1, 0.2, None, 0.4))))
    assert len(elements(svg, "polyline")) == 2
    seen = [c for c in elements(svg, "circle") if c.attrib["fill"] != "transparent"]
    assert len(seen) == 1


def test_points_tell_their_values_on_hover_and_are_bounded() -> None:
    count = 4 * MOST_TITLES
    xs, ys = tuple(map(float, range(count))), tuple(0.5 for _ in range(count))
    titles = elements(panel_svg(panel(Curve("a", xs, ys))), "title")
    assert len(titles) <= MOST_TITLES
    assert titles[0].text == "a: 0.5 at generation 0"


def test_a_band_lies_behind_the_curves() -> None:
    svg = panel_svg(
        panel(Curve("a", (0.0, 1.0), (0.5, 0.6), "steps")),
        [PlotBand((0.0, 1.0), (0.4, 0.5), (0.6, 0.8), 0)],
    )
    assert svg.index("<polygon") < svg.index("<polyline")


@given(st.text(min_size=1, max_size=60))
def test_a_name_never_becomes_markup(name: str) -> None:
    drawn = panel_svg(panel(Curve(name, (0.0,), (0.5,))))
    plain = panel_svg(panel(Curve("a", (0.0,), (0.5,))))
    tags = [element.tag for element in ElementTree.fromstring(drawn).iter()]  # noqa: S314
    assert tags == [element.tag for element in ElementTree.fromstring(plain).iter()]  # noqa: S314
    estimates_svg([Estimate(name, 0.5, 0.4, 0.6, (0.5,))], name)


@given(st.lists(NUMBERS, max_size=30))
def test_any_numbers_can_be_drawn(values: list[float]) -> None:
    xs = tuple(map(float, range(len(values))))
    ElementTree.fromstring(panel_svg(panel(Curve("a", xs, tuple(values)))))  # noqa: S314


@given(st.lists(NUMBERS, min_size=1, max_size=30), st.booleans())
def test_ticks_lie_within_the_axis(values: list[float], whole: bool) -> None:
    scale = scale_of(values, 0.0, 100.0)
    ticks = scale.ticks(6, whole=whole)
    assert len(ticks) <= 6
    assert all(-0.2 <= scale.at(tick) <= 100.2 for tick in ticks)


def test_an_axis_of_generations_has_whole_numbers() -> None:
    assert scale_of((0.0, 2.0), 0.0, 100.0).ticks(9, whole=True) == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("count", [0, 1, 12])
def test_estimates_have_a_row_each(count: int) -> None:
    rows = [Estimate(f"arm {at}", 0.5, None, None) for at in range(count)]
    assert len(elements(estimates_svg(rows, "score"), "circle")) == count


@pytest.mark.parametrize("value", [0.0, 0.5, 0.9, 1.0])
def test_an_axis_of_equal_scores_is_narrow_and_stays_within_what_scores_can_be(
    value: float,
) -> None:
    scale = scale_of([value] * 3, 0.0, 100.0, room=0.05, are_scores=True)
    assert 0.0 <= scale.low <= value <= scale.high <= 1.0
    assert scale.high - scale.low < 0.2
    assert len(scale.ticks(6)) >= 2


def test_an_axis_of_scores_that_leave_0_to_1_holds_them_all() -> None:
    scale = scale_of([-3.0, 40.0], 0.0, 100.0, room=0.1, are_scores=True)
    assert scale.low < -3.0
    assert scale.high > 40.0
