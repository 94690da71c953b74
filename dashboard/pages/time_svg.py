"""A curve over time as SVG, with a limit as a line."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from dashboard.pages.run_svg import BOTTOM, LEFT, RIGHT, TOP, WIDE
from dashboard.pages.svg_scale import numbers_of
from reporting.page import Markup

TALL: Final = 200


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

    def x(time_s: float) -> float:
        return round(LEFT + 30 + (time_s - first) / (last - first) * (WIDE - LEFT - 30 - RIGHT), 1)

    def y(value: float) -> float:
        return round(TALL - BOTTOM - value / (top * 1.05) * (TALL - TOP - BOTTOM), 1)

    form = "%H:%M:%S" if last - first < 3600 else "%Y-%m-%d %H:%M"
    points = " ".join(f"{x(at)},{y(v)}" for at, v in zip(times_s, values, strict=True))
    parts = [f'<polyline class="series-0" points="{points}"/>']
    for share in (0.0, 0.5, 1.0):
        at, value = first + (last - first) * share, top * share
        anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[share]
        clock = datetime.fromtimestamp(at, UTC).strftime(form)
        parts += (
            f'<path class="grid" d="M{LEFT + 30} {y(value)}H{WIDE - RIGHT}"/>',
            f'<text x="{LEFT + 24}" y="{y(value) + 4}" text-anchor="end">{_rounded(value)}</text>',
            f'<text x="{x(at)}" y="{TALL - BOTTOM + 18}" text-anchor="{anchor}">{clock}</text>',
        )
    if limit is not None and is_near:
        parts.append(f'<path class="limit" d="M{LEFT + 30} {y(limit)}H{WIDE - RIGHT}"/>')
        parts.append(
            f'<text class="limit" x="{WIDE - RIGHT}" y="{y(limit) - 4}" '
            'text-anchor="end">limit</text>'
        )
    clocks = (datetime.fromtimestamp(at, UTC).isoformat() for at in times_s)
    numbers = numbers_of(("time", "sum"), [*zip(clocks, values, strict=True)])
    head = f'<svg viewBox="0 0 {WIDE} {TALL}" class="scores"{numbers}>'
    return Markup(f"{head}{''.join(parts)}</svg>")


def _rounded(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
