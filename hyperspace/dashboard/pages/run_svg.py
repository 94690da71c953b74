"""Scores of a run as SVG: what is seen before a script draws the plot, and where there is none."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from hyperspace.dashboard.pages.drawing import drawn
from hyperspace.dashboard.pages.svg_scale import AxisScale, PlotArea, pieces, scale_of, steps
from hyperspace.dashboard.reading.curves import Metrics
from hyperspace.dashboard.results.arrows import AdoptionArrow
from hyperspace.reporting.lines import score

WIDE: Final = 1000
TALL: Final = 340
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 32, 34  # arrows between the best bend above them
MOST_DOTS: Final = 600  # beyond that, points are no places to point at
SPARK_WIDE, SPARK_TALL = 96, 22
SERIES: Final = 8  # colours
BEND: Final = 0.18
MOST_BENT_PX: Final = 56
Address = Callable[..., str]


class ScoreDot(NamedTuple):
    """A score that can be pointed at: where it lies, of which series, where it leads."""

    x: float
    y: float
    series: int
    address: str
    told: str


class ScoreArrow(NamedTuple):
    """An adoption: its line, where its head lies and how that is turned, where it leads."""

    path: str
    x: float
    y: float
    angle: float
    address: str
    told: str


class SparkCurve(NamedTuple):
    """A small curve: its points, and the lowest and the highest value."""

    points: str
    low: float
    high: float


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
    lines: list[tuple[str, str]] = []
    for at, agent in enumerate(metrics.agents):
        kind, best, val = f"series-{at % SERIES}", agent.series["best"], agent.series["val"]
        lines += ((f"{kind} best", plot.points(steps(p))) for p in pieces(metrics.xs, best))
        lines += ((f"{kind} val", plot.points(p)) for p in pieces(metrics.xs, val))
    is_exact = metrics.is_exact and len(values) <= MOST_DOTS
    return drawn(
        "scores_svg.html",
        wide=WIDE,
        tall=TALL,
        left=LEFT,
        right=WIDE - RIGHT,
        unit=unit,
        y_ticks=plot.y.labelled_ticks(6),
        x_ticks=plot.x.labelled_ticks(11, whole=True),
        lines=lines,
        arrows=[*filter(None, (_arrow(plot, each, metrics, run) for each in metrics.arrows))],
        dots=[*_dots(plot, metrics, run, unit)] if is_exact else (),
        # Where there are many points, the best so far stands out, and no longer every score.
        is_crowded=len(metrics.xs) * len(metrics.agents) > MOST_DOTS,
    )


def spark(values: Sequence[float | None]) -> SparkCurve | None:
    """Return a small curve; None of fewer than two values."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    low, high = min(known), max(known)
    across = AxisScale(0, len(values) - 1, 0, SPARK_WIDE)
    up = AxisScale(low, high if high > low else low + 1, SPARK_TALL - 2, 2)
    points = PlotArea(across, up).points(
        (at, value) for at, value in enumerate(values) if value is not None
    )
    return SparkCurve(points, low, high)


def _dots(plot: PlotArea, metrics: Metrics, run: Address, unit: str) -> Iterator[ScoreDot]:
    for at, agent in enumerate(metrics.agents):
        for x, value in zip(metrics.xs, agent.series["val"], strict=True):
            if value is not None:
                address = run("agents", agent.name, "generations", int(x))
                told = f"{agent.name} gen {x:g}: val {score(value)}"
                told = told if unit == "generation" else f"{unit} {x:g}: {score(value)}"
                yield ScoreDot(plot.x.at(x), plot.y.at(value), at % SERIES, address, told)


def _arrow(
    plot: PlotArea, arrow: AdoptionArrow, metrics: Metrics, run: Address
) -> ScoreArrow | None:
    giver = _value(metrics, arrow.peer, arrow.peer_generation)
    if giver is None or arrow.after is None or not plot.x.low <= arrow.generation <= plot.x.high:
        return None
    x1, y1 = plot.x.at(arrow.peer_generation), plot.y.at(giver)
    x2, y2 = plot.x.at(arrow.generation), plot.y.at(arrow.after)
    # Bent, so that nobody takes it for a curve or loses it below one.
    bend = min(BEND, MOST_BENT_PX / max(1.0, math.hypot(x2 - x1, y2 - y1)))
    cx, cy = (x1 + x2) / 2 + (y2 - y1) * bend, (y1 + y2) / 2 - (x2 - x1) * bend
    angle = round(math.degrees(math.atan2(y2 - cy, x2 - cx)), 1)
    path = f"M{x1} {y1}Q{cx:.1f} {cy:.1f} {x2} {y2}"
    return ScoreArrow(path, x2, y2, angle, f"{run('adoptions')}#{arrow.id}", arrow.told)


def _value(metrics: Metrics, agent: str, generation: int) -> float | None:
    """Return a score at a generation, or near it where several share a column."""
    series = next((each.series["val"] for each in metrics.agents if each.name == agent), None)
    if series is None or not metrics.first <= generation <= metrics.last:
        return None
    span = metrics.last - metrics.first + 1
    at = generation - metrics.first
    return series[at if metrics.is_exact else min(at * len(series) // span, len(series) - 1)]
