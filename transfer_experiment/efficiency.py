"""Efficiency: how soon, and for how many model calls.

- *Reached*: for each of .50 .55 .60 .65 .70 the first generation whose validation score is at
  least that (so is then the best so far); at most that where lower is better.
- *Per generation*: best score / the first generation that reached it; none for generation 0.
- *Calls per 0.01*: model calls of all generations / (100 * best score); none where a trace is
  missing or the best score is 0.

Where lower is better, the last two say nothing and are none. Source: docs/reference/analysis.md.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from hyperspace.runs.records import Run, RunAgent

THRESHOLDS: Final = (0.50, 0.55, 0.60, 0.65, 0.70)


class Efficiency(msgspec.Struct, frozen=True):
    """How soon an agent got how far.

    Attributes:
        agent: Whose.
        generations: How many it has, generation 0 included.
        best_val: Best validation score; None if nothing was scored.
        best_generation: The first generation with that score.
        reached: Threshold, as text with two digits, to the first generation at least as good.
        per_generation: Best score / best generation.
        calls: Model calls of all generations; None if not every trace can be read.
        calls_per_point: Calls for each 0.01 of the best score.
    """

    agent: str
    generations: int
    best_val: float | None
    best_generation: int | None
    reached: dict[str, int | None]
    per_generation: float | None
    calls: int | None
    calls_per_point: float | None


def efficiency_of(run: Run, agent: RunAgent, calls: Sequence[int | None]) -> Efficiency:
    """Measure an agent.

    Args:
        run: Its run.
        agent: The agent.
        calls: Model calls of each generation in order; None where that is not known.
    """
    best, higher = agent.best, run.higher_is_better
    score = gained = None if best is None else best.val
    if higher is False:
        gained = None
    made = [count for count in calls if count is not None]
    total = sum(made) if len(made) == len(calls) else None
    return Efficiency(
        agent=agent.name,
        generations=len(agent.generations),
        best_val=score,
        best_generation=None if best is None else best.generation,
        reached={
            f"{threshold:.2f}": agent.first_reaching(threshold, higher_is_better=higher)
            for threshold in THRESHOLDS
        },
        per_generation=gained / best.generation if best and gained and best.generation else None,
        calls=total,
        calls_per_point=total / (100 * gained) if total is not None and gained else None,
    )
