"""Plots as SVG that need no library and no script: lines, steps, dots, bands, intervals, a legend.

They draw the records that `hyperspace.reporting.figures` draws with matplotlib, in the same
colours. Colours are attributes, so that a plot that is saved is whole; ink is the
colour of the page's text.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from hyperspace.dashboard.pages.drawing import drawn, numbers_of
from hyperspace.dashboard.pages.svg_scale import (
    AxisScale,
    AxisTick,
    PlotArea,
    pieces,
    scale_of,
    steps,
)
from hyperspace.reporting.figures import GENERATION, Curve, Estimate, Panel, colour
from hyperspace.reporting.rendering import shortened

WIDE_PX: Final = 720
TALL_PX: Final = 300
MOST_POINTS: Final = 1_500  # of one curve: about two for each pixel
MOST_TITLES: Final = 500  # points of a plot that tell their value on hover
LEGEND_LETTERS: Final = 40
_LEFT, _RIGHT, _TOP, _AXIS, _ROW = 62.0, 14.0, 12.0, 42.0, 18.0
_LETTER_PX: Final = 6.6
_DASHES: Final = ("", "7 3", "2 2", "7 3 2 3")  # of a series, as `figures.DASHES`


class PlotBand(NamedTuple):
    """A range of values along the horizontal axis, drawn behind the curves.

    Attributes:
        xs: Positions, ascending.
        lows: The lower end at each; holds until the next one.
        highs: The upper end at each.
        series: Number of its colour.
    """

    xs: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    series: int


class DrawnCurve(NamedTuple):
    """A curve: its lines, and dots of a radius where there is no line."""

    colour: str
    dash: str
    lines: list[str]
    dots: list[tuple[float, float]]
    radius: float


class LegendEntry(NamedTuple):
    """A curve's name, and where it stands."""

    x: float
    y: float
    label: str
    colour: str
    dash: str


class DrawnEstimate(NamedTuple):
    """A row: where its value lies, the ends of its interval, single values with what they tell."""

    y: float
    label: str
    x: float
    told: str
    interval: tuple[float, float] | None
    values: list[tuple[float, str]]


def panel_svg(panel: Panel, bands: Sequence[PlotBand] = (), *, tall_px: int = TALL_PX) -> Markup:
    """Draw one panel; its title is for the caption of whoever shows it.

    Args:
        panel: Curves; arrows are drawn straight.
        bands: Drawn behind them.
        tall_px: Height without the legend.
    """
    named = [curve for curve in panel.curves if curve.label]
    longest = max((len(shortened(curve.label, LEGEND_LETTERS)) for curve in named), default=0)
    column_px = 44 + _LETTER_PX * longest
    columns = max(1, int((WIDE_PX - _LEFT) // column_px))  # of the legend: as many as fit
    xs = [x for curve in panel.curves for x in curve.xs]
    ys = [y for curve in panel.curves for y in curve.ys]
    ys += [y for band in bands for y in (*band.lows, *band.highs)]
    bottom = tall_px - _AXIS
    y = scale_of(ys, bottom, _TOP, room=0.05, are_scores=True)
    if panel.y_range is not None:
        y = AxisScale(*panel.y_range, bottom, _TOP)
    area = PlotArea(scale_of(xs, _LEFT, WIDE_PX - _RIGHT, room=0.01), y)
    legend = (
        LegendEntry(
            round(_LEFT + column_px * (at % columns), 1),
            tall_px + _ROW * (at // columns) + 8,
            shortened(curve.label, LEGEND_LETTERS),
            colour(curve.series),
            _dash(curve.series),
        )
        for at, curve in enumerate(named)
    )
    return drawn(
        "plot_svg.html",
        wide=WIDE_PX,
        tall=tall_px + -(-len(named) // columns) * _ROW,
        rows=_numbers(panel, bands),
        area=area,
        panel=panel,
        x_ticks=_across(area, panel.x),
        y_ticks=y.labelled_ticks(6),
        middle=(bottom + _TOP) / 2,
        bands=[(_outline(area, band), colour(band.series)) for band in bands],
        curves=[_curve(area, curve) for curve in panel.curves],
        hovers=_hovers(area, panel),
        legend=legend,
    )


def estimates_svg(estimates: Sequence[Estimate], x: str) -> Markup:
    """Draw named values with their intervals, one row each; small dots are single values."""
    step, tall_px = 30.0, round(_TOP + 30.0 * len(estimates) + _AXIS)
    longest = max((len(shortened(each.label, 28)) for each in estimates), default=0)
    left = round(16 + _LETTER_PX * longest, 1)
    values = [v for each in estimates for v in (*each.values, each.value, each.low, each.high)]
    scale = scale_of(values, left, WIDE_PX - _RIGHT, room=0.04, are_scores=True)
    area = PlotArea(scale, AxisScale(0.0, 1.0, tall_px - _AXIS, _TOP))
    shown: list[DrawnEstimate] = []
    for at, each in enumerate(estimates):
        told, interval = f"{each.label}: {each.value:.3f}", None
        if each.low is not None and each.high is not None:
            interval = scale.at(each.low), scale.at(each.high)
            told += f" ({each.low:.3f} to {each.high:.3f})"
        dots = [(scale.at(value), f"{each.label}: {value:.3f}") for value in each.values]
        y, at_px = _TOP + step * (at + 0.5), scale.at(each.value)
        label = shortened(each.label, 28)
        shown.append(DrawnEstimate(y, label, at_px, told, interval, dots))
    rows = [
        (each.label, each.value, each.low, each.high, " ".join(f"{v:g}" for v in each.values))
        for each in estimates
    ]
    return drawn(
        "estimates_svg.html",
        wide=WIDE_PX,
        tall=tall_px,
        rows=numbers_of(("", x, "low", "high", "single values"), rows),
        area=area,
        x=x,
        x_ticks=_across(area, x),
        colour=colour(0),
        estimates=shown,
    )


def _numbers(panel: Panel, bands: Sequence[PlotBand]) -> str:
    names = {curve.series: curve.label for curve in panel.curves}
    rows = [
        (curve.label, x, y)
        for curve in panel.curves
        for x, y in zip(curve.xs, curve.ys, strict=True)
    ]
    for band in bands:
        for end, ys in (("lowest", band.lows), ("highest", band.highs)):
            name = f"{names.get(band.series, '')}, {end}"
            rows += [(name, x, y) for x, y in zip(band.xs, ys, strict=True)]
    return numbers_of(("curve", panel.x, panel.y), rows)


def _across(area: PlotArea, name: str) -> list[AxisTick]:
    return area.x.labelled_ticks(9, whole=name.startswith(GENERATION))


def _outline(area: PlotArea, band: PlotBand) -> str:
    above = list(steps(zip(band.xs, band.highs, strict=True)))
    below = list(steps(zip(band.xs, band.lows, strict=True)))
    return area.points([*above, *reversed(below)])


def _curve(area: PlotArea, curve: Curve) -> DrawnCurve:
    every = max(1, -(-len(curve.xs) // MOST_POINTS))
    parts = list(pieces(curve.xs[::every], curve.ys[::every]))
    if curve.kind == "dots":
        dots = [(area.x.at(x), area.y.at(y)) for part in parts for x, y in part]
        return DrawnCurve(colour(curve.series), "", [], dots, 2)
    lines = [area.points(steps(part) if curve.kind == "steps" else part) for part in parts]
    # A line of one point is none.
    alone = [(area.x.at(x), area.y.at(y)) for part in parts if len(part) == 1 for x, y in part]
    return DrawnCurve(colour(curve.series), _dash(curve.series), lines, alone, 2.5)


def _hovers(area: PlotArea, panel: Panel) -> Iterator[tuple[float, float, str]]:
    total = sum(len(curve.xs) for curve in panel.curves)
    every = max(1, -(-total // MOST_TITLES))
    for curve in panel.curves:
        for x, y in zip(curve.xs[::every], curve.ys[::every], strict=True):
            if y is not None:
                told = f"{curve.label or panel.y}: {y:.4g} at {panel.x} {x:g}"
                yield area.x.at(x), area.y.at(y), told


def _dash(series: int) -> str:
    return _DASHES[series % len(_DASHES)]
