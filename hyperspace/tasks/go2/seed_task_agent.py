"""Writes the reward that a four-legged robot is trained by: a sum of terms."""

from typing import Any

WEIGHTS = {
    "exp(-0.25 * yaw_rate ** 2)": 0.2,  # keep the heading
    "(height - 0.1) ** 2": -0.1,  # stay low
    "exp(-4 * (v_cmd - v_x) ** 2)": 0.0,  # keep the speed
    "v_z ** 2": 0.0,  # bob
    "pose": 0.0,  # bend the joints
    "up": 0.0,  # stay level
}
"""Terms and their weights; one of weight 0 is left out."""


class TaskAgent:
    """Answers with an expression, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the reward of a step and the (empty) conversation."""
        return self.reward(inputs["task"]), []

    def reward(self, task: str) -> str:
        """Return the weighted sum of the terms; the same for every task."""
        terms = [f"{weight} * {term}" for term, weight in WEIGHTS.items() if weight]
        return " + ".join(f"({term})" for term in terms) or "0"
