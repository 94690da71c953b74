"""How the figure that a benchmark prints is read, and what it is worth.

Standard library alone: the same text is the head of the `score.py` that agents get.
"""

import math
import re

NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
HIGHEST = 1e9  # so that what is far beyond the perfect figure is a finite score


def read_value(printed: str, metric: str) -> float | None:
    """Return the figure of the last line `metric:value`; None if there is no finite one."""
    name = re.compile(rf"\s*{re.escape(metric)}\s*:")
    lines = [line[match.end() :] for line in printed.splitlines() if (match := name.match(line))]
    if not lines or not NUMBER.fullmatch(lines[-1].strip()):
        return None
    value = float(lines[-1])
    return value if math.isfinite(value) else None


def worth(value: float, perfect: float | None, higher_is_better: bool) -> float:
    """Return the score of a figure: 0 or more, the higher the better, 1 for the perfect one.

    Where higher is better and the perfect figure is positive, the share of it; otherwise 1 / (1 +
    g), g being what lacks to the perfect figure in units of it. Without a perfect figure, a place
    between 0 and 1 that rises with it.
    """
    if perfect is None:
        good = value if higher_is_better else -value
        return 0.5 + 0.5 * good / (1 + abs(good))
    if higher_is_better and perfect > 0:
        return min(HIGHEST, max(0.0, value) / perfect)
    gap = (perfect - value if higher_is_better else value - perfect) / (abs(perfect) or 1.0)
    return 1 / (1 + gap) if gap >= 0 else min(HIGHEST, 1 - gap)
