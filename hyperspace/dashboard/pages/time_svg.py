"""A curve over time as SVG, with a limit as a line."""

from collections.abc import Sequence
from datetime import UTC, datetime

from markupsafe import Markup

from hyperspace.dashboard.pages.drawing import drawn, numbers_of
from hyperspace.dashboard.pages.run_svg import BOTTOM, LEFT, RIGHT, WIDE
from hyperspace.dashboard.pages.svg_scale import AxisScale, PlotArea

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
    clocks = (
        (plot.x.at(at), anchor, datetime.fromtimestamp(at, UTC).strftime(form))
        for at, anchor in ((first, "start"), ((first + last) / 2, "middle"), (last, "end"))
    )
    moments = (datetime.fromtimestamp(at, UTC).isoformat() for at in times_s)
    return drawn(
        "time_svg.html",
        wide=WIDE,
        tall=TALL,
        left=left,
        right=right,
        rows=numbers_of(("time", "sum"), [*zip(moments, values, strict=True)]),
        points=plot.points(zip(times_s, values, strict=True)),
        ticks=plot.y.labelled_ticks(4),
        clocks=clocks,
        limit_at=plot.y.at(limit) if limit is not None and is_near else None,
    )
