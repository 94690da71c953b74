"""Plots as SVG that need no library and no script: lines, steps, dots, bands, intervals, a legend.

They draw the records that `hyperspace.reporting.figures` draws with matplotlib, in the same
colours. Colours are attributes, so that a plot that is saved is whole; ink is the
colour of the page's text.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from hyperspace.dashboard.pages.parts import shortened
from hyperspace.dashboard.pages.svg_scale import (
    AxisScale,
    PlotArea,
    numbers_of,
    pieces,
    scale_of,
    steps,
    tick_text,
)
from hyperspace.reporting.figures import GENERATION, Curve, Estimate, Panel, colour
from hyperspace.reporting.page import Markup, escaped, joined

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


def panel_svg(panel: Panel, bands: Sequence[PlotBand] = (), *, tall_px: int = TALL_PX) -> Markup:
    """Draw one panel; its title is for the caption of whoever shows it.

    Args:
        panel: Curves; arrows are drawn straight.
        bands: Drawn behind them.
        tall_px: Height without the legend.
    """
    named = [curve for curve in panel.curves if curve.label]
    legend, rows = _legend(named, tall_px)
    xs = [x for curve in panel.curves for x in curve.xs]
    ys = [y for curve in panel.curves for y in curve.ys]
    ys += [y for band in bands for y in (*band.lows, *band.highs)]
    bottom = tall_px - _AXIS
    y = scale_of(ys, bottom, _TOP, room=0.05, are_scores=True)
    if panel.y_range is not None:
        y = AxisScale(*panel.y_range, bottom, _TOP)
    area = PlotArea(scale_of(xs, _LEFT, WIDE_PX - _RIGHT, room=0.01), y)
    parts = [
        *_axes(area, panel.x, panel.y, tall_px),
        *(_band(area, band) for band in bands),
        *(part for curve in panel.curves for part in _curve(area, curve)),
        *(
            _line(area.x.at(a.from_x), y.at(a.from_y), area.x.at(a.to_x), y.at(a.to_y))
            for a in panel.arrows
        ),
        *_titles(area, panel),
        legend,
    ]
    return _svg(parts, tall_px + rows * _ROW, _numbers(panel, bands))


def estimates_svg(estimates: Sequence[Estimate], x: str) -> Markup:
    """Draw named values with their intervals, one row each; small dots are single values."""
    step, tall_px = 30.0, round(_TOP + 30.0 * len(estimates) + _AXIS)
    longest = max((len(shortened(each.label, 28)) for each in estimates), default=0)
    left = 16 + _LETTER_PX * longest
    values = [v for each in estimates for v in (*each.values, each.value, each.low, each.high)]
    scale = scale_of(values, left, WIDE_PX - _RIGHT, room=0.04, are_scores=True)
    area = PlotArea(scale, AxisScale(0.0, 1.0, tall_px - _AXIS, _TOP))
    parts = [*_horizontal(area, x, tall_px)]
    for at, each in enumerate(estimates):
        y = _TOP + step * (at + 0.5)
        parts.append(_text(left - 8, y + 4, shortened(each.label, 28), anchor="end"))
        if each.low is not None and each.high is not None:
            ends = (scale.at(each.low), y, scale.at(each.high), y)
            parts.append(_line(*ends, stroke=colour(0), width=3))
        parts += (
            _circle(scale.at(value), y - 7, 2, "currentColor", f"{each.label}: {value:.3f}")
            for value in each.values
        )
        told = f"{each.label}: {each.value:.3f}"
        if each.low is not None:
            told += f" ({each.low:.3f} to {each.high:.3f})"
        parts.append(_circle(scale.at(each.value), y, 5, colour(0), told))
    rows = [
        (each.label, each.value, each.low, each.high, " ".join(f"{v:g}" for v in each.values))
        for each in estimates
    ]
    headings = ("", x, "low", "high", "single values")
    return _svg(parts, tall_px, numbers_of(headings, rows))


def _numbers(panel: Panel, bands: Sequence[PlotBand]) -> Markup:
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


def _svg(parts: Iterable[Markup], tall_px: float, numbers: Markup) -> Markup:
    size = f'width="{WIDE_PX}" height="{tall_px:g}" viewBox="0 0 {WIDE_PX} {tall_px:g}"'
    fonts = 'font-family="system-ui, sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" {size} {fonts}{numbers}>'
    return Markup(f"{head}{joined(parts)}</svg>")


def _axes(area: PlotArea, x: str, y: str, tall_px: int) -> Iterator[Markup]:
    for value in area.y.ticks(6):
        at = area.y.at(value)
        yield _line(area.x.start_px, at, area.x.end_px, at, faint=True)
        yield _text(_LEFT - 6, at + 4, tick_text(value), anchor="end")
    middle = (area.y.start_px + area.y.end_px) / 2
    yield Markup(
        f'<text x="14" y="{middle:g}" fill="currentColor" text-anchor="middle" '
        f'transform="rotate(-90 14 {middle:g})">{escaped(y)}</text>'
    )
    yield from _horizontal(area, x, tall_px)


def _horizontal(area: PlotArea, name: str, tall_px: float) -> Iterator[Markup]:
    bottom = area.y.start_px
    yield _line(area.x.start_px, bottom, area.x.end_px, bottom)
    for value in area.x.ticks(9, whole=name.startswith(GENERATION)):
        at = area.x.at(value)
        yield _line(at, bottom, at, bottom + 4)
        yield _text(at, bottom + 17, tick_text(value))
    yield _text((area.x.start_px + area.x.end_px) / 2, tall_px - 6, name)


def _band(area: PlotArea, band: PlotBand) -> Markup:
    above = list(steps(zip(band.xs, band.highs, strict=True)))
    below = list(steps(zip(band.xs, band.lows, strict=True)))
    points = area.points([*above, *reversed(below)])
    return Markup(f'<polygon points="{points}" fill="{colour(band.series)}" opacity="0.18"/>')


def _curve(area: PlotArea, curve: Curve) -> Iterator[Markup]:
    paint = colour(curve.series)
    every = max(1, -(-len(curve.xs) // MOST_POINTS))
    xs, ys = curve.xs[::every], curve.ys[::every]
    if curve.kind == "dots":
        pairs = zip(xs, ys, strict=True)
        yield from (
            _circle(area.x.at(x), area.y.at(y), 2, paint) for x, y in pairs if y is not None
        )
        return
    for piece in pieces(xs, ys):
        path = area.points(steps(piece) if curve.kind == "steps" else piece)
        yield Markup(
            f'<polyline points="{path}" fill="none" stroke="{paint}" stroke-width="1.8"'
            f"{_dash(curve.series)}/>"
        )
        if len(piece) == 1:  # a line of one point is none
            yield _circle(area.x.at(piece[0][0]), area.y.at(piece[0][1]), 2.5, paint)


def _titles(area: PlotArea, panel: Panel) -> Iterator[Markup]:
    """Points that nobody sees and that tell their value where a pointer is above them."""
    total = sum(len(curve.xs) for curve in panel.curves)
    every = max(1, -(-total // MOST_TITLES))
    for curve in panel.curves:
        for x, y in zip(curve.xs[::every], curve.ys[::every], strict=True):
            if y is not None:
                told = f"{curve.label or panel.y}: {y:.4g} at {panel.x} {x:g}"
                yield _circle(area.x.at(x), area.y.at(y), 6, "transparent", told)


def _legend(named: Sequence[Curve], top_px: float) -> tuple[Markup, int]:
    """Names of curves below the axis, as many in a row as fit; and how many rows."""
    longest = max((len(shortened(curve.label, LEGEND_LETTERS)) for curve in named), default=0)
    column_px = 44 + _LETTER_PX * longest
    columns = max(1, int((WIDE_PX - _LEFT) // column_px))
    parts: list[Markup] = []
    for at, curve in enumerate(named):
        x, y = _LEFT + column_px * (at % columns), top_px + _ROW * (at // columns) + 8
        parts.append(_line(x, y, x + 26, y, stroke=colour(curve.series), series=curve.series))
        label = shortened(curve.label, LEGEND_LETTERS)
        parts.append(_text(x + 32, y + 4, label, anchor="start"))
    return joined(parts), -(-len(named) // columns)


def _line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    *,
    stroke: str = "currentColor",
    width: float = 1,
    faint: bool = False,
    series: int | None = None,
) -> Markup:
    look = ' opacity="0.15"' if faint else ""
    if series is not None:
        look, width = _dash(series), 2
    return Markup(
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" '
        f'stroke-width="{width:g}"{look}/>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "middle") -> Markup:
    return Markup(
        f'<text x="{x:g}" y="{y:g}" fill="currentColor" text-anchor="{anchor}">'
        f"{escaped(text)}</text>"
    )


def _circle(x: float, y: float, radius: float, fill: str, told: str = "") -> Markup:
    title = f"<title>{escaped(told)}</title>" if told else ""
    at = f'cx="{x:g}" cy="{y:g}" r="{radius:g}"'
    return Markup(f'<circle {at} fill="{fill}" pointer-events="all">{title}</circle>')


def _dash(series: int) -> str:
    dashes = _DASHES[series % len(_DASHES)]
    return f' stroke-dasharray="{dashes}"' if dashes else ""
