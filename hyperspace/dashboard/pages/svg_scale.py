"""How numbers lie along an axis: its range, its ticks."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

ALIKE: Final = 0.05  # around scores that are all equal; `plots.js` has it too
_ROUND: Final = (1.0, 2.0, 2.5, 5.0, 10.0)


class AxisScale(NamedTuple):
    """Where values lie along a side of a plot.

    Attributes:
        low: The lowest value.
        high: The highest one, above the lowest.
        start_px: Where the lowest lies.
        end_px: Where the highest lies.
    """

    low: float
    high: float
    start_px: float
    end_px: float

    def labelled_ticks(self, most: int, *, whole: bool = False) -> list["AxisTick"]:
        """Return the ticks of an axis; see `ticks`."""
        return [AxisTick(self.at(each), tick_text(each)) for each in self.ticks(most, whole=whole)]

    def at(self, value: float) -> float:
        """Return where a value lies, in pixels with one digit."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start_px + share * (self.end_px - self.start_px), 1)

    def ticks(self, most: int, *, whole: bool = False) -> list[float]:
        """Return round values within the range, some of them at most.

        Args:
            most: How many.
            whole: Whether only whole numbers are meant.
        """
        least = (self.high - self.low) / max(1, most - 1)
        size = 10.0 ** math.floor(math.log10(least)) if least > 0 and math.isfinite(least) else 1.0
        step = next(size * f for f in _ROUND if size * f >= least * (1 - 1e-9) or f == 10.0)
        if whole:
            step = max(1.0, math.ceil(step))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(number * step, 12) for number in range(first, last + 1)][:most]


class PlotArea(NamedTuple):
    """Where a plot lies: a scale for each axis."""

    x: AxisScale
    y: AxisScale

    def points(self, pairs: Iterable[tuple[float, float]]) -> str:
        """Return values as the points of a line."""
        return " ".join(f"{self.x.at(x)},{self.y.at(y)}" for x, y in pairs)


class AxisTick(NamedTuple):
    """A tick: where it lies, in pixels, and what stands beside it."""

    at_px: float
    text: str


def pieces(xs: Sequence[float], ys: Sequence[float | None]) -> Iterator[list[tuple[float, float]]]:
    """Return runs of points without a gap."""
    piece: list[tuple[float, float]] = []
    for x, y in zip(xs, ys, strict=True):
        if y is not None:
            piece.append((x, y))
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def steps(points: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Return points of a line where each value holds until the next."""
    before: float | None = None
    for x, y in points:
        if before is not None:
            yield x, before
        yield x, y
        before = y


def scale_of(
    values: Iterable[float | None],
    start_px: float,
    end_px: float,
    *,
    room: float = 0.0,
    are_scores: bool = False,
) -> AxisScale:
    """Return a scale that holds values.

    Args:
        values: Those that are finite count.
        start_px: Where the lowest lies.
        end_px: Where the highest lies.
        room: Beyond them, as a share of their range.
        are_scores: Whether an axis does not leave 0 to 1 where no value does.
    """
    finite = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    least = 1e-9 * max(1.0, abs(low), abs(high))  # below that they are equal, as ticks are written
    is_within = are_scores and low >= 0 and high <= 1
    if high - low < least:
        around = ALIKE if is_within else max(0.5, least)
        low, high = low - around, high + around
    low, high = low - room * (high - low), high + room * (high - low)
    if is_within:
        low, high = max(0.0, low), min(1.0, high)
    return AxisScale(low, high, start_px, end_px)


def tick_text(value: float) -> str:
    """Return a number as it stands beside a tick."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= unit:
            return f"{value / (1000 if letter == 'k' else unit):g}{letter}"
    return f"{value:.6g}"
