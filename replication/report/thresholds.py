"""Scores that runs are asked to have reached: the published ones, or some that tell them apart."""

from collections.abc import Sequence
from typing import Final

from replication.report.reading.records import Agent
from replication.report.records import THRESHOLDS, Arm

_PUBLISHED: Final = "imo_grading"  # tables and published folders, which name no domain, are of it
_STEPS_PER_UNIT: Final = (100, 50, 20, 10, 5)  # steps of .01 to .20
_FEWEST: Final = 3
_MOST: Final = 7


def thresholds_for(domain: str, arms: Sequence[Arm]) -> tuple[float, ...]:
    """Return the thresholds of an experiment.

    They are the published .50 to .70 for the published domain, and wherever three of them or more
    lie above the lowest start and not above the highest best. Else they are the multiples of .01,
    .02, .05, .10 or .20 that do, the finest of which there are at most seven.
    """
    agents = [agent for arm in arms for run in arm.runs for agent in run.agents]
    starts = [start for agent in agents if (start := _start(agent)) is not None]
    bests = [agent.best.rank or 0.0 for agent in agents if agent.best is not None]
    if not domain or domain.startswith(_PUBLISHED) or not starts or not bests:
        return THRESHOLDS
    low, high = min(starts), max(bests)
    if sum(low < least <= high for least in THRESHOLDS) >= _FEWEST:
        return THRESHOLDS
    grids = (_multiples(low, high, steps) for steps in _STEPS_PER_UNIT)
    return next(filter(None, grids), THRESHOLDS)


def _start(agent: Agent) -> float | None:
    return next((found.rank for found in agent.generations if found.rank is not None), None)


def _multiples(low: float, high: float, steps: int) -> tuple[float, ...]:
    """Multiples of 1/steps above `low` and up to `high`; none where they are too many."""
    found = [at / steps for at in range(steps + 1) if low < at / steps <= high]
    return tuple(found) if len(found) <= _MOST else ()
