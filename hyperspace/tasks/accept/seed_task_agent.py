"""Accepts or rejects an abstract: a weighted sum of the flaws that are seen in it."""

import re
from typing import Any

# Tenths of a point for each flaw.
WEIGHTS = {
    "no baseline": 1,
    "few participants": 8,
    "chance": 2,
    "boasts": 6,
    "leak": 1,
    "mismatch": 1,
    "no limits": 9,
}
MOST_TENTHS = 8
FEWEST_PARTICIPANTS = 12
MOST_CHANCE = 0.25
BOASTS = ["proves", "always", "solved"]


def numbers(pattern: str, text: str) -> list[float]:
    """Return the numbers that a pattern picks out of a text."""
    return [float(number) for number in re.findall(pattern, text)]


def flaws(text: str) -> dict[str, int]:
    """Count the flaws that the weights are about."""
    words = re.findall(r"[a-z]+", text.lower())
    gains = numbers(r"(\d+) percent", text)
    return {
        "no baseline": int("baseline" not in words and "control" not in words),
        "few participants": sum(
            count < FEWEST_PARTICIPANTS for count in numbers(r"(\d+) participants", text)
        ),
        "chance": sum(chance > MOST_CHANCE for chance in numbers(r"p = (0\.\d+)", text)),
        "boasts": sum(word in BOASTS for word in words),
        "leak": int("test set" in text),
        "mismatch": len(set(gains)) - 1,
        "no limits": int("limits" not in words),
    }


def badness(text: str) -> int:
    """Weighted sum of the flaws of an abstract."""
    return sum(WEIGHTS[name] * count for name, count in flaws(text).items())


class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the prediction, "accept" or "reject", and the (empty) conversation."""
        prediction = "reject" if badness(inputs["paper_text"]) > MOST_TENTHS else "accept"
        return prediction, []
