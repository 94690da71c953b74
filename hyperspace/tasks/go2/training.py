"""The cross-entropy method: gaits are drawn, and the next draw is around those of most reward."""

import random
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Literal, NamedTuple

from hyperspace.tasks.go2.rhythm import SPREAD, START

Gait = Sequence[float]
_ELITE = 0.25  # as a share of a round: the best so far, which the next one is drawn around
_FIRST = 3  # times as many gaits in the first round: most from there on lead to the same walk
_LEAST_SPREAD = (0.25, 0.08)  # of the first round's, at first and at last: it never stops looking

Scale = Literal["small", "full"]


class Effort(NamedTuple):
    """How much a training costs.

    Attributes:
        candidates: Gaits a round; in the first three times as many.
        rounds: How many rounds.
        steps: Control steps a run.
    """

    candidates: int
    rounds: int
    steps: int


EFFORTS: dict[Scale, Effort] = {"small": Effort(24, 10, 150), "full": Effort(24, 14, 200)}
COMMANDS = (0.2, 0.5, 0.8)
"""Speeds that a gait is trained for, in m/s."""


def train(
    values: Callable[[Sequence[Gait]], Sequence[float]], effort: Effort, rng: random.Random
) -> list[float]:
    """Return the mean of the best gaits of all rounds, or the best one.

    Gaits that walk in different ways have a mean that does not walk: one that is worth less than
    each of them is not taken.

    Args:
        values: What each of some gaits is worth.
        effort: How much to try.
        rng: Where candidates come from.
    """
    mean, spread = list(START), list(SPREAD)
    elite: list[tuple[float, Gait]] = []
    for number in range(effort.rounds):
        gaits = [mean]
        gaits += [
            [rng.gauss(middle, width) for middle, width in zip(mean, spread, strict=True)]
            for _ in range(effort.candidates * (1 if number else _FIRST) - 1)
        ]
        valued = [*elite, *zip(values(gaits), gaits, strict=True)]
        valued.sort(key=lambda pair: pair[0], reverse=True)
        elite = valued[: int(_ELITE * effort.candidates)]
        columns = list(zip(*(gait for _, gait in elite), strict=True))
        mean = [sum(column) / len(column) for column in columns]
        wide, narrow = _LEAST_SPREAD
        least = wide + (narrow - wide) * number / max(1, effort.rounds - 1)
        spread = [
            max(_deviation(column, middle), least * first)
            for column, middle, first in zip(columns, mean, SPREAD, strict=True)
        ]
    (worth,) = values([mean])
    best, worst = elite[0], elite[-1]
    return mean if worth >= worst[0] else [*best[1]]


def _deviation(values: Sequence[float], mean: float) -> float:
    return sqrt(sum((value - mean) ** 2 for value in values) / len(values))
