"""Finds a policy for packing bins online: a curve of scores, then small changes on a sample."""

import json
import random
from typing import Any

# The score of leaving a gap: of none, of a twentieth of the capacity, and so on to all of it. Of
# equal scores the smaller gap wins.
SCORES = [3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1]
NEW = 0  # score of opening a bin

EVALUATIONS = 5  # changes that are tried
INSTANCES = 1  # that each is tried on
ITEMS = 100  # of an instance, drawn from the sample
STEP = 0.1  # how far a score is moved
REACH = 2  # gaps on each side of a change that move with it
SEED = 1


def curve(share: float) -> float:
    """Score of leaving a share of the capacity: between two scores of the table, by a line."""
    place = share * (len(SCORES) - 1)
    before = min(int(place), len(SCORES) - 2)
    low, high = SCORES[before : before + 2]
    return low + (high - low) * (place - before)


def bins_used(scores: list[float], new: float, capacity: int, sizes: list[int]) -> int:
    """Play the scores on items as they come; the number of bins at the end."""
    gaps = [gap for gap in range(capacity + 1) if scores[gap] >= new]
    wanted = sorted(gaps, key=lambda gap: -scores[gap])
    bins = 0
    open_bins = [0] * (2 * capacity + 1)  # how many have so much space left
    for size in sizes:
        for gap in wanted:
            if open_bins[size + gap]:
                open_bins[size + gap] -= 1
                open_bins[gap] += 1
                break
        else:
            bins += 1
            open_bins[capacity - size] += 1
    return bins


def changed(scores: list[float], rng: random.Random) -> list[float]:
    """Move the scores of a gap and its neighbours, up or down."""
    centre = rng.randrange(len(scores))
    reach = rng.randint(0, REACH)
    by = rng.gauss(0, STEP)
    return [score + by * (abs(gap - centre) <= reach) for gap, score in enumerate(scores)]


def climb(scores: list[float], capacity: int, sample: list[int]) -> list[float]:
    """Try changes; keep those that use no more bins on instances drawn from the sample."""
    rng = random.Random(SEED)
    instances = [rng.choices(sample, k=ITEMS) for _ in range(INSTANCES)]

    def cost(scores: list[float]) -> int:
        return sum(bins_used(scores, NEW, capacity, sizes) for sizes in instances)

    least = cost(scores)
    for _ in range(EVALUATIONS):
        other = changed(scores, rng)
        bins = cost(other)
        if bins <= least:
            scores, least = other, bins
    return scores


class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the policy as JSON, and the (empty) conversation."""
        capacity = inputs["capacity"]
        scores = [curve(gap / capacity) for gap in range(capacity + 1)]
        scores = climb(scores, capacity, inputs["sample"])
        answer = {"gap": [round(score, 6) for score in scores], "new": NEW}
        return json.dumps(answer), []
