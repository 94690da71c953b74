"""Scores that runs are asked to have reached: the published ones, or some that tell them apart."""

from collections.abc import Sequence
from math import floor
from typing import Final

from replication.report.records import THRESHOLDS, Arm

_PUBLISHED: Final = "imo_grading"  # tables and published folders, which name no domain, are of it
_WIDTHS: Final = tuple(round(size * 10.0**power, 2) for power in range(-2, 6) for size in (1, 2, 5))
_FEWEST: Final = 3
_MOST: Final = 7


def thresholds_for(
    domain: str, arms: Sequence[Arm], *, higher_is_better: bool | None = None
) -> tuple[float, ...]:
    """Return the thresholds of an experiment, each better than the one before.

    They are the published .50 to .70 for the published domain, and wherever three of them or more
    lie above the worst start and not above the best score. Else they are the multiples of .01, .02,
    .05, .10, .20 and so on that do, the finest of which there are at most seven.
    """
    sign = -1 if higher_is_better is False else 1
    agents = [agent for arm in arms for run in arm.runs for agent in run.agents]
    ranked = (next((row for row in a.generations if row.rank is not None), None) for a in agents)
    starts = [sign * row.val for row in ranked if row is not None and row.val is not None]
    best_rows = (agent.best for agent in agents)
    bests = [sign * row.val for row in best_rows if row is not None and row.val is not None]
    if not domain or domain.startswith(_PUBLISHED) or not starts or not bests:
        return THRESHOLDS
    low, high = min(starts), max(bests)
    if sign > 0 and sum(low < least <= high for least in THRESHOLDS) >= _FEWEST:
        return THRESHOLDS
    grids = (_multiples(low, high, width) for width in _WIDTHS)
    return next((tuple(sign * least for least in grid) for grid in grids if grid), THRESHOLDS)


def _multiples(low: float, high: float, width: float) -> tuple[float, ...]:
    """Multiples of `width` above `low` and up to `high`; none where they are too many."""
    if high - low > (_MOST + 1) * width:
        return ()
    near = range(floor(low / width), floor(high / width) + 2)
    multiples = [least for at in near if low < (least := round(at * width, 9)) <= high]
    return tuple(multiples) if len(multiples) <= _MOST else ()
