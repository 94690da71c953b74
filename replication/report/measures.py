"""What arms are compared by: the measure that was set beforehand, and the others beside it.

The generations of a team count one by one, in the order of rounds and turns. So runs in which
equally many were made are compared at equal cost, however many agents made them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from hyperspace.options.fleet import MeasureName
from hyperspace.runs.records import Generation, Run
from replication.report.records import Arm, Measure

_SET: Final[dict[MeasureName, Measure]] = {
    "team_test": "test",
    "area": "area",
    "time_to": "time_to",
}
_WITH_SET: Final[tuple[Measure, ...]] = ("test", "val", "area")
_WITHOUT: Final[tuple[Measure, ...]] = ("val", "test")


class MadeGeneration(NamedTuple):
    """A generation in the order in which a team made them.

    Attributes:
        agent: Whose it is.
        generation: What was made.
        best_val: Validation score of the best one of all agents up to it; None without any.
    """

    agent: str
    generation: Generation
    best_val: float | None


def primary_of(arms: Iterable[Arm]) -> Measure | None:
    """Return the measure that every run was played with; None if one had none, or another."""
    measures = {run.measure for arm in arms for run in arm.runs}
    only = measures.pop() if len(measures) == 1 else None
    return None if only is None else _SET[only.name]


def measures_of(primary: Measure | None) -> Sequence[Measure]:
    """Return what arms are compared by, the primary measure first."""
    return _WITHOUT if primary is None else tuple(dict.fromkeys((primary, *_WITH_SET)))


def value_of(run: Run, measure: Measure) -> float | None:
    """Return a run's value by a measure; None if it is not known."""
    if measure == "val":
        return run.best_val
    if measure == "test":
        return run.test
    if measure == "area":
        return area(run)
    threshold = None if run.measure is None else run.measure.threshold
    return None if threshold is None else time_to(run, threshold)


def is_higher_better(measure: Measure, higher_is_better: bool | None) -> bool | None:
    """Return which way is up: of generations fewer are better, of scores the domain says."""
    return False if measure == "time_to" else higher_is_better


def area(run: Run) -> float | None:
    """Return the mean of the best validation score so far over the generations that agents made.

    Seeds are no part of it. None while generations are still to come, or where the first of them
    has no score.
    """
    curve = _best_so_far(run)[1:]
    scores = [val for val in curve if val is not None]
    is_known = bool(curve) and len(scores) == len(curve) and _is_complete(run)
    return round(sum(scores) / len(scores), 9) if is_known else None


def time_to(run: Run, threshold: float) -> float | None:
    """Return how many generations it took to reach a validation score; 0 where a seed has it.

    A run that never got there counts as one more than were made; None while some are to come.
    """
    if not _is_complete(run):
        return None
    curve, sign = _best_so_far(run), -1 if run.higher_is_better is False else 1
    reached = (
        made for made, val in enumerate(curve) if val is not None and sign * (val - threshold) >= 0
    )
    return float(next(reached, len(curve)))


def as_made(run: Run) -> Iterator[MadeGeneration]:
    """Return the generations of all agents in the order of rounds and turns, seeds first."""
    rows = [
        (row.generation, turn, agent.name, row)
        for turn, agent in enumerate(run.agents)
        for row in agent.generations
    ]
    best: Generation | None = None
    for _, _, name, row in sorted(rows, key=lambda at: at[:2]):
        if row.rank is not None and (best is None or row.rank > (best.rank or 0.0)):
            best = row
        yield MadeGeneration(name, row, None if best is None else best.val)


def _best_so_far(run: Run) -> list[float | None]:
    """Validation score of the best generation of all: after the seeds, then after each other."""
    seeds: float | None = None
    curve: list[float | None] = []
    for made in as_made(run):
        if made.generation.generation:
            curve.append(made.best_val)
        else:
            seeds = made.best_val
    return [seeds, *curve]


def _is_complete(run: Run) -> bool:
    """Whether every agent made as many generations as were asked for, where that is told."""
    return all(a.planned is None or len(a.evolved) >= a.planned for a in run.agents)
