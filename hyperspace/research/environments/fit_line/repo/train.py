"""Fit a line by gradient descent, and leave it in weights.json."""

import json

from data import batches
from settings import UPDATES

LEARNING_RATE = 0.02
DECAY = 0.98  # of the learning rate, with each update
MOMENTUM = 0.0
WEIGHT_DECAY = 0.05
CLIP = 50.0  # largest error that counts in full


def clipped(error: float) -> float:
    """Return an error that is bounded."""
    return max(-CLIP, min(CLIP, error))


def train() -> dict[str, float]:
    """Return slope and intercept after all updates."""
    slope, intercept = 0.0, 0.0
    slope_step, intercept_step = 0.0, 0.0
    rate = LEARNING_RATE
    for number, batch in enumerate(batches(UPDATES)):
        errors = [(x, clipped(slope * x + intercept - y)) for x, y in batch]
        slope_gradient = sum(2 * error * x for x, error in errors) / len(batch)
        intercept_gradient = sum(2 * error for _, error in errors) / len(batch)
        slope_gradient += WEIGHT_DECAY * slope
        intercept_gradient += WEIGHT_DECAY * intercept
        slope_step = MOMENTUM * slope_step + slope_gradient
        intercept_step = MOMENTUM * intercept_step + intercept_gradient
        slope -= rate * slope_step
        intercept -= rate * intercept_step
        rate *= DECAY
        if number % 100 == 0:
            loss = sum(error * error for _, error in errors) / len(batch)
            print(f"update {number}: loss {loss:.4f}")
    return {"slope": slope, "intercept": intercept}


if __name__ == "__main__":
    with open("weights.json", "w") as file:
        json.dump(train(), file)
