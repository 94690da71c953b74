"""The best score so far over the ideas of research runs: the same number of jobs for every arm."""

from collections.abc import Sequence
from typing import Final

from hyperspace.runs.records import Run
from replication.report.records import Arm, ArmCurve
from replication.report.statistics.median import median

MOST_COLUMNS: Final = 12


def curves_of_ideas(arms: Sequence[Arm]) -> tuple[ArmCurve, ...]:
    """Return the median of the best score so far of each arm, after so many ideas.

    An idea is a job, so arms are compared at equal cost. A seed counts where its run has come so
    far; nothing is returned for runs that have no ideas.
    """
    runs = [run for arm in arms for run in arm.runs]
    if not runs or any(run.unit != "idea" for run in runs):
        return ()
    marks = _marks(runs)
    return tuple(
        ArmCurve(
            arm=arm.name,
            ideas=marks,
            runs=tuple(len(_values(arm, mark)) for mark in marks),
            best=tuple(median(vals) if (vals := _values(arm, mark)) else None for mark in marks),
        )
        for arm in arms
    )


def best_after(run: Run, ideas: int) -> float | None:
    """Return the best score of the first so many ideas, by number; None while some are to come."""
    (agent,) = run.agents
    rows = [row for row in agent.generations if row.generation <= ideas]
    if len(rows) < ideas + 1:
        return None
    return [*agent.best_so_far()][len(rows) - 1]


def _marks(runs: Sequence[Run]) -> tuple[int, ...]:
    """Return the ends of epochs of the arm that has the most, or some of very many."""
    numbers = (row.generation for run in runs for row in run.agents[0].generations)
    most = max(numbers, default=0)
    epochs = max(int(str(run.terms.get("epochs", 1))) for run in runs)
    ends = sorted({round(most * at / epochs) for at in range(epochs + 1)})
    every = -(-len(ends) // MOST_COLUMNS)
    return tuple(sorted({*ends[::-1][::every], ends[0]}))


def _values(arm: Arm, ideas: int) -> list[float]:
    bests = (best_after(run, ideas) for run in arm.runs)
    return [best for best in bests if best is not None]
