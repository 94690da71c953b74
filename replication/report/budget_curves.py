"""How far each arm had got for what it had spent: medians over seeds, with the range of the seeds.

The best validation score of a team so far, over its generations, calls, tokens or money. Where the
seed that took least ends, the curve of its arm ends: nothing is said of what was not played.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final, Literal

import msgspec

from hyperspace.runs.records import Run
from hyperspace.runs.spent import Spent, spent_by_generation
from replication.report.measures import as_made
from replication.report.records import Arm
from replication.report.statistics.median import median

Budget = Literal["generations", "calls", "tokens", "usd"]
BUDGETS: Final[dict[Budget, str]] = {
    "generations": "generations of all agents",
    "calls": "model calls",
    "tokens": "tokens sent and received",
    "usd": "US dollars",
}
MOST_STEPS: Final = 400  # of one arm's curve: what a screen can show


class BudgetCurve(msgspec.Struct, frozen=True, kw_only=True):
    """The best validation score so far of an arm, over what was spent.

    Attributes:
        arm: Its name.
        control: What kind of control it is; empty for an arm of interest.
        seeds: The runs that it sums up; those of which the spending is not known are none.
        spent: Ascending, from what it took until the first score of the last seed to have one.
        median: Median over the seeds at each.
        low: The lowest of the seeds at each.
        high: The highest.
    """

    arm: str
    control: str
    seeds: tuple[int, ...]
    spent: tuple[float, ...] = ()
    median: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


class _SeedCurve(msgspec.Struct):
    spent: list[float]
    best: list[float]
    until: float


def budget_curves(arms: Sequence[Arm], budget: Budget) -> tuple[BudgetCurve, ...]:
    """Return the curve of each arm; an arm of which nothing is known has an empty one.

    Args:
        arms: Their runs' ledgers are read, but for generations.
        budget: What lies along the axis.
    """
    return tuple(_curve(arm, budget) for arm in arms)


def _curve(arm: Arm, budget: Budget) -> BudgetCurve:
    curves = {run.seed: curve for run in arm.runs if (curve := _seed_curve(run, budget))}
    empty = BudgetCurve(arm=arm.name, control=arm.control, seeds=tuple(curves))
    if not curves:
        return empty
    first = max(curve.spent[0] for curve in curves.values())
    last = min(curve.until for curve in curves.values())
    if last < first:
        return empty
    steps = {at for curve in curves.values() for at in curve.spent if first <= at <= last}
    at = _thinned(sorted(steps | {first, last}))
    values = [[_value(curve, spent) for curve in curves.values()] for spent in at]
    return msgspec.structs.replace(
        empty,
        spent=tuple(at),
        median=tuple(map(median, values)),
        low=tuple(map(min, values)),
        high=tuple(map(max, values)),
    )


def _seed_curve(run: Run, budget: Budget) -> _SeedCurve | None:
    """Return a run's curve; None where it has no score, or where its spending is not known."""
    made = list(as_made(run))
    each = _spent(run, budget, [(row.agent, row.generation.generation) for row in made])
    if each is None:
        return None
    curve = _SeedCurve([], [], 0.0)
    for row, spent in zip(made, accumulate(each), strict=True):
        curve.until = spent
        if row.best_val is not None:
            if curve.spent and curve.spent[-1] == spent:
                curve.best[-1] = row.best_val
            elif not curve.best or curve.best[-1] != row.best_val:
                curve.spent.append(spent)
                curve.best.append(row.best_val)
    return curve if curve.spent else None


def _spent(run: Run, budget: Budget, made: Sequence[tuple[str, int]]) -> list[float] | None:
    if budget == "generations":
        return [float(number > 0) for _, number in made]
    if run.spent is None:
        return None
    by = spent_by_generation(Path(run.source))
    if not by and run.spent.calls:
        return None
    rows = [_amount(by, row, budget) for row in made]
    amounts = [row for row in rows if row is not None]
    return amounts if len(amounts) == len(rows) else None


def _amount(
    by: Mapping[tuple[str, int], Spent], row: tuple[str, int], budget: Budget
) -> float | None:
    spent = by.get(row, Spent())
    if budget == "usd":
        return spent.usd
    return float(spent.calls if budget == "calls" else spent.tokens)


def _value(curve: _SeedCurve, spent: float) -> float:
    return curve.best[bisect_right(curve.spent, spent) - 1]


def _thinned(steps: list[float]) -> list[float]:
    every = -(-len(steps) // MOST_STEPS)
    return [*steps[:-1:every], steps[-1]] if len(steps) > 1 else steps
