"""Scores an answer: which of the facts asked for it states, beside the name of their product.

`EXPECTED` has the facts of the train questions where this file is laid out for agents.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

WORDS = 12  # an answer may have, beside those of each fact
WORDS_A_FACT = 18
FOREIGN = 0.5  # what a number costs that was not asked for
NO_ANSWER = ("not know", "unknown", "not stated", "no information", "not mentioned", "not listed")
Expected = dict[str, list[Any]]
EXPECTED: dict[str, Expected] = {}
_NUMBER = re.compile(r"\d+")
_SENTENCE_END = re.compile(r"[.;!?](?:\s|$)|\n")


class Grade(NamedTuple):
    """What came of an answer.

    Attributes:
        score: In [0, 1].
        right: Facts stated with their product's name.
        nameless: Facts stated without any name in their sentence; each is half right.
        foreign: Distinct numbers that were not asked for, or that stand beside a wrong name.
        words: Length of the answer.
    """

    score: float
    right: int = 0
    nameless: int = 0
    foreign: int = 0
    words: int = 0


def grade(expected: Expected, answer: str) -> Grade:
    """Grade an answer.

    Args:
        expected: `products`, all names of the page, and `facts`, pairs of a product and a value;
            no facts if the page does not say, which is then the right answer.
        answer: Any text.
    """
    words = len(answer.split())
    stated = set(_claims(expected["products"], answer))
    facts = {(product, str(value)) for product, value in expected["facts"]}
    if not facts:
        is_right = not stated and any(phrase in answer.lower() for phrase in NO_ANSWER)
        return Grade(is_right * min(1.0, WORDS / max(1, words)), words=words)
    right = facts & stated
    nameless = {fact for fact in facts - right if ("", fact[1]) in stated}
    asked = {value for _, value in facts}
    foreign = len({v for _, v in stated if v not in asked})
    foreign += len({v for name, v in stated - facts if name and v in asked})
    points = max(0.0, len(right) + len(nameless) / 2 - FOREIGN * foreign) / len(facts)
    brevity = min(1.0, (WORDS + WORDS_A_FACT * len(facts)) / max(1, words))
    return Grade(points * brevity, len(right), len(nameless), foreign, words)


def score(inputs: dict[str, Any], prediction: str) -> float:
    """Score an answer to a train question.

    Raises:
        KeyError: The inputs are none of train.
    """
    return grade(EXPECTED[digest(inputs)], prediction).score


def digest(inputs: dict[str, Any]) -> str:
    """Return what a question and its page are known by in `EXPECTED`."""
    text = f"{inputs['question']}\n{inputs['text']}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _claims(products: list[str], answer: str) -> list[tuple[str, str]]:
    """Pair each number of an answer with the product that its sentence names for it.

    That is the last name before the number, else the first one behind it, else "".
    """
    claims: list[tuple[str, str]] = []
    for sentence in _SENTENCE_END.split(answer):
        # No pattern of the names: each page has others, and to compile one takes longer than this.
        tokens = [(found.start(), found.group()) for found in _NUMBER.finditer(sentence)]
        tokens += [place for name in products for place in _places(name, sentence)]
        texts = [text for _, text in sorted(tokens)]
        last = next((text for text in texts if not text[0].isdecimal()), "")
        for text in texts:
            if text[0].isdecimal():
                claims.append((last, text.lstrip("0") or "0"))
            else:
                last = text
    return claims


def _places(name: str, sentence: str) -> Iterator[tuple[int, str]]:
    """Where a name stands in a sentence; none of a page is part of another one."""
    start = sentence.find(name)
    while start >= 0:
        yield start, name
        start = sentence.find(name, start + len(name))
