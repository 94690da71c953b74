"""Answers a question with the sentences of the page that share most with it."""

import re
from typing import Any

STOP_WORDS = ["a", "and", "at", "for", "is", "it", "me", "of", "on", "the", "to", "what", "you"]
# A word of a question, a word of a sentence, and the points of a sentence if both are there.
CUES = [
    ("price", "dollars", 0),
    ("cost", "dollars", 0),
    ("fee", "hours", 1),
    ("fee", "dollars", 0),
    ("weight", "grams", 0),
    ("mass", "recordings", 1),
    ("mass", "grams", 0),
    ("burden", "charge", 1),
    ("battery", "hours", 0),
    ("battery", "charge", 1),
    ("runtime", "hours", 0),
    ("endurance", "months", 1),
    ("warranty", "months", 0),
    ("guarantee", "free", 1),
    ("guarantee", "months", 0),
    ("cover", "base", 1),
    ("range", "metres", 0),
    ("range", "room", 1),
    ("reach", "metres", 0),
    ("distance", "grams", 1),
    ("memory", "recordings", 0),
    ("storage", "room", 0),
    ("storage", "metres", 1),
    ("capacity", "recordings", 0),
]
NAME_POINTS = 1
WORD_POINTS = 1
LEAST_SHARE = 0.7  # of the best sentence's points
MOST_SENTENCES = 1


def words_of(text: str) -> set[str]:
    """Return the words of a text in lower case."""
    return {word.lower() for word in re.findall(r"[A-Za-z]+", text)}


def names_of(text: str) -> set[str]:
    """Return what looks like the name of a product: a capital letter and at least five more."""
    return set(re.findall(r"\b[A-Z][a-z]{5,}\b", text))


def points(asked: set[str], names: set[str], sentence: str) -> float:
    """Count what a sentence has in common with the words and names of a question."""
    told = words_of(sentence)
    shared = sum(WORD_POINTS for word in asked & told if word not in STOP_WORDS)
    cued = sum(value for word, cue, value in CUES if word in asked and cue in told)
    return shared + cued + NAME_POINTS * len(names & names_of(sentence))


def answer(text: str, question: str) -> str:
    """Return the best sentences, best first; of equal ones the earlier."""
    asked, names = words_of(question), names_of(question)
    sentences = re.split(r"(?<=\.) ", text)
    rated = [(points(asked, names, sentence), sentence) for sentence in sentences]
    rated.sort(key=lambda pair: -pair[0])
    kept = [sentence for rating, sentence in rated if rating >= LEAST_SHARE * rated[0][0]]
    return " ".join(kept[:MOST_SENTENCES])


class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the answer and the (empty) conversation."""
        return answer(inputs["text"], inputs["question"]), []
