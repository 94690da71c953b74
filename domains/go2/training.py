"""The cross-entropy method: gaits are drawn, and the next draw is around those of most reward."""

import random
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Literal, NamedTuple

from domains.go2.rhythm import SPREAD, START

Gait = Sequence[float]
_ELITE = 0.25  # share of a round that the next one is drawn around
_LEAST_SPREAD = 0.25  # of the first round's: it never stops looking

Scale = Literal["small", "full"]


class Effort(NamedTuple):
    """How much a training costs.

    Attributes:
        candidates: Gaits a round.
        rounds: How many rounds.
        steps: Control steps a run.
    """

    candidates: int
    rounds: int
    steps: int


EFFORTS: dict[Scale, Effort] = {"small": Effort(24, 9, 150), "full": Effort(24, 14, 200)}
COMMANDS = (0.2, 0.5, 0.8)
"""Speeds that a gait is trained for, in m/s."""


def train(value: Callable[[Gait], float], effort: Effort, rng: random.Random) -> list[float]:
    """Return the mean of the last round's best gaits.

    Args:
        value: What a gait is worth.
        effort: How much to try.
        rng: Where candidates come from.
    """
    mean, spread = list(START), list(SPREAD)
    for _ in range(effort.rounds):
        gaits = [mean]
        gaits += [
            [rng.gauss(middle, width) for middle, width in zip(mean, spread, strict=True)]
            for _ in range(effort.candidates - 1)
        ]
        best = sorted(gaits, key=value, reverse=True)[: int(_ELITE * effort.candidates)]
        columns = list(zip(*best, strict=True))
        mean = [sum(column) / len(column) for column in columns]
        spread = [
            max(_deviation(column, middle), _LEAST_SPREAD * first)
            for column, middle, first in zip(columns, mean, SPREAD, strict=True)
        ]
    return mean


def _deviation(values: Sequence[float], mean: float) -> float:
    return sqrt(sum((value - mean) ** 2 for value in values) / len(values))
