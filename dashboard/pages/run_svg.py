"""Scores of a run as SVG: what is seen before a script draws the plot, and where there is none."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from dashboard.reading.curves import Metrics
from dashboard.results.arrows import AdoptionArrow
from reporting.lines import score
from reporting.page import Markup, escaped

WIDE: Final = 1000
TALL: Final = 320
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 34
MOST_DOTS: Final = 600  # beyond that, points are no places to point at
SPARK_WIDE, SPARK_TALL = 96, 22
SERIES: Final = 8  # colours
BEND: Final = 0.18
Address = Callable[..., str]


class _Plot(NamedTuple):
    """Where values lie."""

    first: float
    last: float
    low: float
    high: float

    def x(self, generation: float) -> float:
        share = (generation - self.first) / max(self.last - self.first, 1)
        return round(LEFT + share * (WIDE - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(TALL - BOTTOM - share * (TALL - TOP - BOTTOM), 1)


def scores_svg(metrics: Metrics, run: Address) -> Markup:
    """Draw validation scores, the best so far, and adoptions as arrows.

    Args:
        metrics: With the series `val` and `best`.
        run: Returns the address of a page of the run.
    """
    values = [v for agent in metrics.agents for v in agent.series["val"] if v is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = (high - low) * 0.06 or 0.05
    last = max(metrics.last, metrics.first + 1)
    plot = _Plot(metrics.first, last, low - room, high + room)
    parts = list(_axes(plot))
    for at, agent in enumerate(metrics.agents):
        best, val = agent.series["best"], agent.series["val"]
        parts += _lines(plot, metrics.xs, best, f"series-{at % SERIES} best")
        parts += _lines(plot, metrics.xs, val, f"series-{at % SERIES} val")
    parts += [_arrow(plot, arrow, metrics, run) for arrow in metrics.arrows]
    if metrics.is_exact and len(values) <= MOST_DOTS:
        for at, agent in enumerate(metrics.agents):
            for x, value in zip(metrics.xs, agent.series["val"], strict=True):
                if value is not None:
                    address = run("agents", agent.name, "generations", int(x))
                    title = f"{agent.name} gen {x:g}: val {score(value)}"
                    parts.append(_dot(plot.x(x), plot.y(value), at, address, title))
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {TALL}" class="scores" '
        f'role="group" aria-label="validation score over generations">{"".join(parts)}</svg>'
    )


def spark_svg(values: Sequence[float | None]) -> Markup:
    """Draw a small curve."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return Markup("")
    low, high = min(known), max(known)
    points = " ".join(
        f"{at * SPARK_WIDE / (len(values) - 1):.1f},"
        f"{SPARK_TALL - 2 - (value - low) / ((high - low) or 1) * (SPARK_TALL - 4):.1f}"
        for at, value in enumerate(values)
        if value is not None
    )
    return Markup(
        f'<svg class="spark series-0" viewBox="0 0 {SPARK_WIDE} {SPARK_TALL}" '
        f'width="{SPARK_WIDE}" height="{SPARK_TALL}" role="img" '
        f'aria-label="best from {low:.3f} to {high:.3f}"><polyline points="{points}"/></svg>'
    )


def _axes(plot: _Plot) -> Iterator[str]:
    for part in range(5):
        value = plot.low + (plot.high - plot.low) * part / 4
        y = plot.y(value)
        yield f'<path class="grid" d="M{LEFT} {y}H{WIDE - RIGHT}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{value:.3g}</text>'
    step = max(1, round((plot.last - plot.first) / 10))
    for generation in range(int(plot.first), int(plot.last) + 1, step):
        x = plot.x(generation)
        yield f'<text x="{x}" y="{TALL - BOTTOM + 16}" text-anchor="middle">{generation}</text>'
    yield f'<text x="{WIDE / 2}" y="{TALL - 3}" text-anchor="middle">generation</text>'


def _lines(
    plot: _Plot, xs: Sequence[float], values: Sequence[float | None], kind: str
) -> Iterator[str]:
    """One line for each piece without a gap."""
    piece: list[str] = []
    for x, value in [*zip(xs, values, strict=True), (0.0, None)]:
        if value is not None:
            piece.append(f"{plot.x(x)},{plot.y(value)}")
        elif piece:
            yield f'<polyline class="{kind}" points="{" ".join(piece)}"/>'
            piece = []


def _dot(x: float, y: float, series: int, address: str, title: str) -> str:
    return (
        f'<a href="{escaped(address)}"><circle class="series-{series % SERIES}" cx="{x}" cy="{y}" '
        f'r="4"><title>{escaped(title)}</title></circle></a>'
    )


def _arrow(plot: _Plot, arrow: AdoptionArrow, metrics: Metrics, run: Address) -> str:
    giver = _value(metrics, arrow.peer, arrow.peer_generation)
    if giver is None or arrow.after is None or not plot.first <= arrow.generation <= plot.last:
        return ""
    x1, y1 = plot.x(arrow.peer_generation), plot.y(giver)
    x2, y2 = plot.x(arrow.generation), plot.y(arrow.after)
    # Bent, so that nobody takes it for a curve or loses it below one.
    cx, cy = (x1 + x2) / 2 + (y2 - y1) * BEND, (y1 + y2) / 2 - (x2 - x1) * BEND
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
