"""Chooses which generation the next one is forked from.

Called once before each generation, with the code of the latest valid one. An answer that is no
valid generation, an error, or no answer in time: the standard rule chooses in its place.
"""

import math
import random
from typing import Any

STEEPNESS = 10.0
CHILDREN = 8.0


def select_next_parent(archive: list[dict[str, Any]], seed: int) -> int:
    """Draw a valid generation: good ones, and ones with few children, are more likely.

    Args:
        archive: One entry a generation: `generation`, `parent`, `valid`, `children`, and as far as
            they may be seen `train_score`, `val_score` and `fitness` (from 0 to 1).
        seed: A number for this generation, to draw with.

    Returns:
        The number of a generation whose `valid` is true.
    """
    valid = [entry for entry in archive if entry["valid"]]
    fitnesses = sorted((entry.get("fitness", 0.0) for entry in valid), reverse=True)
    best = fitnesses[:3]
    midpoint = sum(best) / len(best)
    weights = [weight(entry, midpoint) for entry in valid]
    if not sum(weights):
        weights = [1.0] * len(valid)
    return random.Random(seed).choices([entry["generation"] for entry in valid], weights)[0]


def weight(entry: dict[str, Any], midpoint: float) -> float:
    """How likely a generation is, before all are made to sum to 1."""
    score = 1 / (1 + math.exp(-STEEPNESS * (entry.get("fitness", 0.0) - midpoint)))
    return score * math.exp(-((entry["children"] / CHILDREN) ** 3))
