"""Chooses the better of two answers: a weighted sum of what can be counted in each."""

import re
from typing import Any

# Tenths of a point for each one that an answer has more than the other.
WEIGHTS = {
    "tens of words": 5,
    "citations": 2,
    "hedges": 3,
    "repeats": 2,
    "wrong figures": 4,
}
HEDGES = ["perhaps", "maybe", "possibly", "probably"]
LEAST_TENTHS = 0


def features(conversation: str) -> dict[str, int]:
    """Count what the weights are about."""
    question, _, answer = conversation.partition("\nAssistant: ")
    words = answer.split()
    sentences = [part.strip() for part in answer.split(".") if part.strip()]
    known = re.findall(r"\d+", question)
    stated = re.findall(r"\d+", re.sub(r"\[\d+\]", "", answer))
    return {
        "tens of words": len(words) // 10,
        "citations": len(re.findall(r"\[\d+\]", answer)),
        "hedges": sum(word.strip(",.").lower() in HEDGES for word in words),
        "repeats": len(sentences) - len(set(sentences)),
        "wrong figures": len({figure for figure in stated if figure not in known}),
    }


def value(conversation: str) -> int:
    """Weighted sum of the features of an answer."""
    return sum(WEIGHTS[name] * count for name, count in features(conversation).items())


class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the prediction, "model_a" or "model_b", and the (empty) conversation."""
        lead = value(inputs["messages_a"]) - value(inputs["messages_b"])
        prediction = "model_a" if lead > LEAST_TENTHS else "model_b"
        return prediction, []
