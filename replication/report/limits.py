"""The best score that there can be: seeds of which both arms reach it tie, and show nothing."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hyperspace.runs.records import Generation
from replication.report.measures import value_of
from replication.report.records import Arm, Measure
from replication.report.statistics.paired import differences

_MOST: Final = 1.0  # of a fitness (`hyperspace.tasks.base.Domain.fitness`), and so of a share
# Scored by accuracy; tables and published folders, which name no domain, are of the first.
_BY_ACCURACY: Final = ("imo_grading", "repo_quality")


class Constant(NamedTuple):
    """The one score that all runs have: a measure that does not move is no evidence.

    Attributes:
        score: That score.
        runs: How many runs have it, at least two.
        unfinished: How many of these are not finished yet.
    """

    score: float
    runs: int
    unfinished: int


def scores_of(arm: Arm, measure: Measure) -> dict[int, float]:
    """Return the known scores of an arm by seed."""
    scores = {run.seed: value_of(run, measure) for run in arm.runs}
    return {seed: score for seed, score in scores.items() if score is not None}


def constant_of(arms: Sequence[Arm], measure: Measure) -> Constant | None:
    """Return the score of every run of every arm; None if scores differ, or there is only one."""
    scores = [score for arm in arms for score in scores_of(arm, measure).values()]
    if len(scores) < 2 or any(differences(scores, scores[:1] * len(scores))):
        return None
    under_way = (run for arm in arms for run in arm.runs if run.finished is False)
    unfinished = sum(value_of(run, measure) is not None for run in under_way)
    return Constant(scores[0], len(scores), unfinished)


def limit_of(
    domain: str, arms: Sequence[Arm], *, higher_is_better: bool | None = None
) -> float | None:
    """Return the best score that a domain can give; None where the source does not tell.

    No run states the range of its scores, but that of a fitness is [0, 1]. So the limit is the only
    score on record with a fitness of 1, such as an error of 0, or 1 where each fitness on record is
    the score itself. Without a fitness it is 1 for our own domains, which score by accuracy.
    """
    ranked = set(_ranked(arms))
    if not ranked:
        limit = _MOST if not domain or domain.startswith(_BY_ACCURACY) else None
    elif all(score == fitness for score, fitness in ranked) and max(ranked)[0] > 0:
        limit = _MOST
    else:
        perfect = {score for score, fitness in ranked if fitness == _MOST}
        limit = perfect.pop() if len(perfect) == 1 else None
    sign = -1 if higher_is_better is False else 1
    if limit is None or any(sign * score > sign * limit for score in _scores(arms)):
        return None
    return limit


def _ranked(arms: Sequence[Arm]) -> Iterator[tuple[float, float]]:
    """Scores with their fitness; where it is of an ensemble too, it is of another score."""
    for row in _generations(arms):
        is_own = row.valid and row.ensemble is None
        if is_own and row.val is not None and row.fitness is not None:
            yield row.val, row.fitness


def _scores(arms: Sequence[Arm]) -> Iterator[float]:
    yield from (row.val for row in _generations(arms) if row.val is not None)
    yield from (score for arm in arms for score in scores_of(arm, "test").values())


def _generations(arms: Sequence[Arm]) -> Iterator[Generation]:
    agents = (agent for arm in arms for run in arm.runs for agent in run.agents)
    return (row for agent in agents for row in agent.generations)
