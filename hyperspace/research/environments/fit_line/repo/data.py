"""The training points. Frozen: no diff may touch it."""

import random

from settings import BATCH, SEED


def points() -> list[tuple[float, float]]:
    """Return all training points, (x, y)."""
    with open("points.csv") as file:
        rows = [line.split(",") for line in file]
    return [(float(x), float(y)) for x, y in rows]


def batches(updates: int) -> list[list[tuple[float, float]]]:
    """Return one batch for each update."""
    draw, pairs = random.Random(SEED), points()
    return [draw.sample(pairs, BATCH) for _ in range(updates)]
