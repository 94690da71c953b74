"""Figures: the same bytes for the same numbers, and names that are nothing but names."""

import re
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest

from hyperspace.reporting.figures import (
    Arrow,
    Curve,
    Estimate,
    Node,
    Panel,
    Scale,
    draw_estimates,
    draw_heat,
    draw_panels,
    draw_tree,
    to_png,
    to_svg,
)

SCALE = Scale("generation", ("0", "3"))
HOSTILE = "_$x^{2}$ <b> & \\frac"


def panel() -> Panel:
    return Panel(
        title=HOSTILE,
        x="generation",
        y="validation score",
        curves=(
            Curve(HOSTILE, (0, 1, 2), (0.1, None, 0.5), "dots"),
            Curve("best so far", (0, 1, 2), (0.1, 0.1, 0.5), "steps", series=1),
        ),
        arrows=(Arrow(0, 0.1, 2, 0.5),),
        y_range=(0.0, 1.0),
    )


@cache
def everything() -> str:
    nodes = (Node(0, 0, None, 0.1), Node(1, 0, 0, None), Node(2, 1, 0, 0.8, marked=True))
    figures = (
        draw_panels([panel()] * 2),
        draw_estimates([Estimate(HOSTILE, 0.5, 0.4, 0.6, (0.3, 0.5))], title="medians", x="score"),
        draw_heat([[0.1, None], [0.9, 0.3]], title="t", x=SCALE, y=SCALE, value="similarity"),
        draw_tree(nodes, title="tree", x="generation", value="validation score"),
    )
    return "".join(to_svg(figure, f"figure-{at}") for at, figure in enumerate(figures))


@pytest.mark.long
def test_equal_numbers_give_equal_bytes() -> None:
    assert to_svg(draw_panels([panel()]), "f") == to_svg(draw_panels([panel()]), "f")
    assert to_png(draw_panels([panel()])) == to_png(draw_panels([panel()]))


def test_names_are_text_in_the_figure_and_stand_in_the_legend() -> None:
    texts = {
        (element.text or "").strip()
        for element in ElementTree.fromstring(to_svg(draw_panels([panel()]), "f")).iter()  # noqa: S314  our own SVG
    }
    assert HOSTILE in texts
    assert "best so far" in texts


def test_a_long_arrow_stays_in_its_panel() -> None:
    curve = Curve("a", (0, 150), (1.0, 1.0))
    arrow = Arrow(0, 1.0, 150, 1.0)
    wide = Panel(
        title="t", x="generation", y="score", curves=(curve,), arrows=(arrow,), y_range=(0.0, 1.0)
    )
    figure = draw_panels([wide], columns=1)
    figure.draw_without_rendering()
    axes = figure.axes[0]
    written: Any = axes.texts[0]
    drawn = written.arrow_patch.get_window_extent()
    assert drawn.y1 <= axes.bbox.y1 + 1  # half of its line
    assert drawn.height > 5  # it is bent nevertheless


@pytest.mark.long
@pytest.mark.parametrize(("panels", "names"), [(1, 12), (2, 1), (4, 9)])
def test_a_legend_lies_below_the_curves_and_the_name_of_their_axis(panels: int, names: int) -> None:
    curves = tuple(Curve(f"seed {at} of kimi", (0, 1), (at, at)) for at in range(names))
    panel = Panel(title="t", x="generation", y="validation score", curves=curves)
    figure = draw_panels([panel] * panels)
    figure.draw_without_rendering()
    for axes in figure.axes:
        legend = axes.get_legend()
        assert legend is not None
        shown = legend.get_window_extent()
        assert shown.y1 < axes.xaxis.label.get_window_extent().y0
        assert shown.y0 >= 0
        others = (other.get_tightbbox() for other in figure.axes if other is not axes)
        assert not any(box is not None and shown.overlaps(box) for box in others)


@pytest.mark.long
def test_several_figures_share_a_page_without_sharing_ids_and_refer_to_nothing_else() -> None:
    svg = everything()
    ids = re.findall(r'\bid="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
    referred = re.findall(r'(?:url\(#|href="#)([^")]+)', svg)
    assert set(referred) <= set(ids)
    assert not re.search(r'(?:href="|url\()(?!#)(?!data:image/png)', svg)


def test_figures_take_the_text_colour_of_their_page_and_lay_nothing_over_its_background() -> None:
    svg = everything()
    assert "currentColor" in svg
    assert "#1c2129" not in svg
    assert "#ffffff" not in svg


def test_an_image_is_a_png() -> None:
    assert to_png(draw_panels([panel()])).startswith(b"\x89PNG\r\n\x1a\n")
