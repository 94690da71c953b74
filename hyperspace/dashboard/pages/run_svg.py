"""Scores of a run as SVG: what is seen before a script draws the plot, and where there is none."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from hyperspace.dashboard.pages.svg_scale import (
    AxisScale,
    PlotArea,
    pieces,
    scale_of,
    steps,
    tick_text,
)
from hyperspace.dashboard.reading.curves import Metrics
from hyperspace.dashboard.results.arrows import AdoptionArrow
from hyperspace.reporting.lines import score
from hyperspace.reporting.page import Markup, escaped

WIDE: Final = 1000
TALL: Final = 340
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 32, 34  # arrows between the best bend above them
MOST_DOTS: Final = 600  # beyond that, points are no places to point at
SPARK_WIDE, SPARK_TALL = 96, 22
SERIES: Final = 8  # colours
BEND: Final = 0.18
MOST_BENT_PX: Final = 56
Address = Callable[..., str]


def scores_svg(metrics: Metrics, run: Address, unit: str = "generation") -> Markup:
    """Draw validation scores, the best so far, and adoptions as arrows.

    Args:
        metrics: With the series `val` and `best`.
        run: Returns the address of a page of the run.
        unit: What is counted along the axis.
    """
    values = [v for agent in metrics.agents for v in agent.series["val"] if v is not None]
    last = max(metrics.last, metrics.first + 1)
    plot = PlotArea(
        AxisScale(metrics.first, last, LEFT, WIDE - RIGHT),
        scale_of(values, TALL - BOTTOM, TOP, room=0.06, are_scores=True),
    )
    parts = list(_axes(plot, unit))
    for at, agent in enumerate(metrics.agents):
        best, val = agent.series["best"], agent.series["val"]
        parts += _lines(plot, metrics.xs, best, f"series-{at % SERIES} best", is_stepped=True)
        parts += _lines(plot, metrics.xs, val, f"series-{at % SERIES} val")
    parts += [_arrow(plot, arrow, metrics, run) for arrow in metrics.arrows]
    if metrics.is_exact and len(values) <= MOST_DOTS:
        for at, agent in enumerate(metrics.agents):
            for x, value in zip(metrics.xs, agent.series["val"], strict=True):
                if value is not None:
                    address = run("agents", agent.name, "generations", int(x))
                    title = f"{agent.name} gen {x:g}: val {score(value)}"
                    title = title if unit == "generation" else f"{unit} {x:g}: {score(value)}"
                    parts.append(_dot(plot.x.at(x), plot.y.at(value), at, address, title))
    # Where there are many points, the best so far stands out, and no longer every score.
    is_crowded = len(metrics.xs) * len(metrics.agents) > MOST_DOTS
    label = "validation score over generations" if unit == "generation" else f"score of each {unit}"
    kind = "scores crowded" if is_crowded else "scores"
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {TALL}" class="{kind}" '
        f'role="group" aria-label="{label}">{"".join(parts)}</svg>'
    )


def spark_svg(values: Sequence[float | None]) -> Markup:
    """Draw a small curve."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return Markup("")
    low, high = min(known), max(known)
    across = AxisScale(0, len(values) - 1, 0, SPARK_WIDE)
    up = AxisScale(low, high if high > low else low + 1, SPARK_TALL - 2, 2)
    points = PlotArea(across, up).points(
        (at, value) for at, value in enumerate(values) if value is not None
    )
    return Markup(
        f'<svg class="spark series-0" viewBox="0 0 {SPARK_WIDE} {SPARK_TALL}" '
        f'width="{SPARK_WIDE}" height="{SPARK_TALL}" role="img" '
        f'aria-label="best from {low:.3f} to {high:.3f}"><polyline points="{points}"/></svg>'
    )


def _axes(plot: PlotArea, unit: str) -> Iterator[str]:
    for value in plot.y.ticks(6):
        y = plot.y.at(value)
        yield f'<path class="grid" d="M{LEFT} {y}H{WIDE - RIGHT}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{tick_text(value)}</text>'
    for value in plot.x.ticks(11, whole=True):
        x, told = plot.x.at(value), tick_text(value)
        yield f'<text x="{x}" y="{TALL - BOTTOM + 16}" text-anchor="middle">{told}</text>'
    yield f'<text x="{WIDE / 2}" y="{TALL - 3}" text-anchor="middle">{unit}</text>'


def _lines(
    plot: PlotArea,
    xs: Sequence[float],
    values: Sequence[float | None],
    kind: str,
    *,
    is_stepped: bool = False,
) -> Iterator[str]:
    """One line for each piece without a gap."""
    for piece in pieces(xs, values):
        points = plot.points(steps(piece) if is_stepped else piece)
        yield f'<polyline class="{kind}" points="{points}"/>'


def _dot(x: float, y: float, series: int, address: str, title: str) -> str:
    return (
        f'<a href="{escaped(address)}"><circle class="series-{series % SERIES}" cx="{x}" cy="{y}" '
        f'r="4"><title>{escaped(title)}</title></circle></a>'
    )


def _arrow(plot: PlotArea, arrow: AdoptionArrow, metrics: Metrics, run: Address) -> str:
    giver = _value(metrics, arrow.peer, arrow.peer_generation)
    if giver is None or arrow.after is None or not plot.x.low <= arrow.generation <= plot.x.high:
        return ""
    x1, y1 = plot.x.at(arrow.peer_generation), plot.y.at(giver)
    x2, y2 = plot.x.at(arrow.generation), plot.y.at(arrow.after)
    # Bent, so that nobody takes it for a curve or loses it below one.
    bend = min(BEND, MOST_BENT_PX / max(1.0, math.hypot(x2 - x1, y2 - y1)))
    cx, cy = (x1 + x2) / 2 + (y2 - y1) * bend, (y1 + y2) / 2 - (x2 - x1) * bend
    angle = round(math.degrees(math.atan2(y2 - cy, x2 - cx)), 1)
    return (
        f'<a class="arrow" href="{escaped(run("adoptions"))}#{escaped(arrow.id)}">'
        f'<path d="M{x1} {y1}Q{cx:.1f} {cy:.1f} {x2} {y2}"/>'
        f'<path class="head" d="M0 0L-9 4L-9 -4Z" '
        f'transform="translate({x2} {y2}) rotate({angle})"/>'
        f"<title>{escaped(arrow.told)}</title></a>"
    )


def _value(metrics: Metrics, agent: str, generation: int) -> float | None:
    """Return a score at a generation, or near it where several share a column."""
    series = next((each.series["val"] for each in metrics.agents if each.name == agent), None)
    if series is None or not metrics.first <= generation <= metrics.last:
        return None
    span = metrics.last - metrics.first + 1
    at = generation - metrics.first
    return series[at if metrics.is_exact else min(at * len(series) // span, len(series) - 1)]
