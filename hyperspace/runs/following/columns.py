"""Columns of numbers made as short as a screen is wide, with what stands out still in them."""

import math
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from hyperspace.runs.files import TASK

Keep = Literal["ends", "last", "sum"]
"""What is kept of the numbers in one column of pixels: the lowest and the highest in the order in
which they came; the last one; or their sum."""


class Grid(NamedTuple):
    """Which generations stand at which place of a plot.

    Attributes:
        first: The first one shown.
        last: The last one shown.
        width: How many share one column of pixels; 1 if each has its own.
    """

    first: int
    last: int
    width: int

    @property
    def is_exact(self) -> bool:
        """True if every generation has a place of its own."""
        return self.width == 1

    @property
    def xs(self) -> list[float]:
        """The places: generations, or two in each column of pixels."""
        if self.is_exact:
            return [float(at) for at in range(self.first, self.last + 1)]
        half = self.width / 2
        starts = range(self.first, self.last + 1, self.width)
        return [start + shift for start in starts for shift in (0.0, half)]


def grid(first: int, last: int, columns: int) -> Grid:
    """Return the places of generations on a screen of so many columns."""
    count = last - first + 1
    return Grid(first, last, 1 if count <= 2 * columns else math.ceil(count / max(columns, 1)))


def thinned(values: Sequence[float], on: Grid, keep: Keep) -> list[float | None]:
    """Return a number for each place of a grid; None where there is none.

    Args:
        values: By generation; NaN where there is none, and shorter where none are left.
        on: The grid.
        keep: What is kept where several generations share a column.
    """
    if on.is_exact:
        return [
            values[at] if at < len(values) and not math.isnan(values[at]) else None
            for at in _range(on)
        ]
    result: list[float | None] = []
    for start in range(on.first, on.last + 1, on.width):
        shared = values[start : min(start + on.width, on.last + 1)]
        result += _pair([value for value in shared if not math.isnan(value)], keep)
    return result


def _range(on: Grid) -> Iterable[int]:
    return range(on.first, on.last + 1)


def _pair(values: list[float], keep: Keep) -> tuple[float | None, float | None]:
    if not values:
        return None, None
    if keep == "last":
        return values[-1], values[-1]
    if keep == "sum":
        return sum(values), None
    low, high = min(values), max(values)
    return (low, high) if values.index(low) <= values.index(high) else (high, low)


def code_sizes(agent: Path, on: Grid) -> list[float | None]:
    """Return the size in bytes of task_agent.py at each place; of columns, of their first one.

    Args:
        agent: The agent's folder.
        on: The grid.
    """
    if on.is_exact:
        return [_size(agent, at) for at in _range(on)]
    starts = range(on.first, on.last + 1, on.width)
    return [size for start in starts for size in (_size(agent, start), None)]


def _size(agent: Path, generation: int) -> float | None:
    try:
        status = os.lstat(agent / f"gen_{generation}" / "repo" / TASK)
    except OSError:
        return None
    return float(status.st_size) if stat.S_ISREG(status.st_mode) else None
