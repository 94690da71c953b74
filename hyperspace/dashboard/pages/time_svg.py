"""A curve over time as SVG, with a limit as a line."""

from collections.abc import Sequence
from datetime import UTC, datetime

from hyperspace.dashboard.pages.run_svg import BOTTOM, LEFT, RIGHT, WIDE
from hyperspace.dashboard.pages.svg_scale import AxisScale, PlotArea, numbers_of, tick_text
from hyperspace.reporting.page import Markup

TALL, TOP = 200, 12


def time_svg(times_s: Sequence[float], values: Sequence[float], limit: float | None) -> Markup:
    """Draw a sum that grows over time.

    Args:
        times_s: Seconds since 1970, ascending; two at least.
        values: As many.
        limit: Drawn where it is not far above the highest value; None for none.
    """
    first, last = times_s[0], max(times_s[-1], times_s[0] + 1)
    top = max(*values, 1e-9)
    is_near = limit is not None and limit < 4 * top
    top = max(top, limit or 0) if is_near else top
    left, right = LEFT + 30, WIDE - RIGHT
    plot = PlotArea(
        AxisScale(first, last, left, right), AxisScale(0.0, top * 1.05, TALL - BOTTOM, TOP)
    )
    form = "%H:%M:%S" if last - first < 3600 else "%Y-%m-%d %H:%M"
    line = plot.points(zip(times_s, values, strict=True))
    parts = [f'<polyline class="series-0" points="{line}"/>']
    for value in plot.y.ticks(4):
        y = plot.y.at(value)
        parts += (
            f'<path class="grid" d="M{left} {y}H{right}"/>',
            f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{tick_text(value)}</text>',
        )
    for at, anchor in ((first, "start"), ((first + last) / 2, "middle"), (last, "end")):
        clock = datetime.fromtimestamp(at, UTC).strftime(form)
        x = plot.x.at(at)
        parts.append(
            f'<text x="{x}" y="{TALL - BOTTOM + 18}" text-anchor="{anchor}">{clock}</text>'
        )
    if limit is not None and is_near:
        parts.append(f'<path class="limit" d="M{left} {plot.y.at(limit)}H{right}"/>')
        parts.append(
            f'<text class="limit" x="{right}" y="{plot.y.at(limit) - 4}" '
            'text-anchor="end">limit</text>'
        )
    clocks = (datetime.fromtimestamp(at, UTC).isoformat() for at in times_s)
    numbers = numbers_of(("time", "sum"), [*zip(clocks, values, strict=True)])
    head = f'<svg viewBox="0 0 {WIDE} {TALL}" class="scores"{numbers}>'
    return Markup(f"{head}{''.join(parts)}</svg>")
