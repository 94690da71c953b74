"""Decides whether a repository is accepted, by a record of weights, a threshold and a style."""

from typing import Any

RECORD: dict[str, Any] = {
    "agent_id": "agent-000",
    "parent_id": "",
    "generation": 0,
    "task_policy": {
        "weights": {
            "maintainability": 0.9,
            "security": 0.85,
            "test_coverage": 0.88,
            "documentation": 0.72,
            "simplicity": 0.78,
        },
        "threshold": 3.05,
        "review_style": "balanced",
    },
    "meta_policy": {
        "focus_metric": "security",
        "weight_step": 0.12,
        "threshold_step": 0.07,
        "exploration_scale": 0.18,
    },
    "memory": [],
}
BOUNDS = {
    "weights": (0.25, 1.8),
    "threshold": (2.4, 4.2),
    "weight_step": (0.04, 0.22),
    "threshold_step": (0.03, 0.14),
    "exploration_scale": (0.05, 0.45),
}
STYLES = {"balanced": 0.0, "strict": 0.09, "lenient": -0.09}
LABELS = ("reject", "accept")


def bounded(value: float, name: str) -> float:
    """The nearest value that the record may hold, with 3 decimals."""
    low, high = BOUNDS[name]
    return round(min(high, max(low, value)), 3)


def quality(inputs: dict[str, Any], weights: dict[str, float]) -> float:
    """Weighted sum of the five figures, with a malus for weak spots and a bonus for strong ones."""
    total = sum(bounded(weight, "weights") * inputs[name] for name, weight in weights.items())
    if inputs["security"] < 0.35:
        total -= 0.15
    if inputs["test_coverage"] < 0.30:
        total -= 0.08
    if inputs["maintainability"] > 0.78 and inputs["security"] > 0.78:
        total += 0.08
    return total


class TaskAgent:
    """Answers one item at a time by its record, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the prediction, "accept" or "reject", and the (empty) conversation."""
        policy = RECORD["task_policy"]
        needed = bounded(policy["threshold"], "threshold") + STYLES.get(policy["review_style"], 0)
        return LABELS[quality(inputs, policy["weights"]) >= needed], []
