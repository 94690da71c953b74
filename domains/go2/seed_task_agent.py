"""Writes the reward that a four-legged robot is trained by: a sum of terms."""

from typing import Any

TERMS = [
    "0.2 * exp(-0.25 * yaw_rate ** 2)",  # keep the heading
    "-0.1 * (height - 0.1) ** 2",  # stay low
]


class TaskAgent:
    """Answers with an expression, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the reward of a step and the (empty) conversation."""
        return self.reward(inputs["task"]), []

    def reward(self, task: str) -> str:
        """Return the sum of the terms; the same for every task."""
        return " + ".join(f"({term})" for term in TERMS)
