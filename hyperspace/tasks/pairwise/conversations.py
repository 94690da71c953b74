"""Pairs of generated conversations, and the planted preference between them.

Both answer one question from one source. An answer is better for citations and for some length,
worse for hedges, repeated sentences and a figure that is not the source's.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from hyperspace.tasks.planted import Example

WEIGHTS = {"words": 0.02, "citations": 0.8, "hedges": -0.7, "repeats": -1.0, "wrong figures": -2.0}
MARGIN = 0.4
_STARTS = ("Har", "Wes", "Tol", "Bran", "Kest", "Mor", "Ald", "Pen", "Ros", "Vel")
_ENDS = ("low", "field", "bury", "ford", "wick", "stead", "mere", "ton")
_THINGS = (
    ("bridge", "metres long"), ("tower", "metres high"), ("canal", "kilometres long"),
    ("museum", "rooms large"), ("theatre", "seats large"), ("lake", "metres deep"),
)  # fmt: skip
_TEST_THINGS = (
    ("harbour", "berths large"), ("tunnel", "metres long"), ("library", "shelves large"),
)  # fmt: skip
_HEDGES = ("perhaps", "maybe", "possibly", "probably", "apparently", "presumably")
_TEST_HEDGES = (*_HEDGES, "arguably", "supposedly")
_SENTENCES = (
    "It was built in stages and opened to everybody in spring",
    "Visitors come from all over the region to see it",
    "The town has taken care of it for many years",
    "A short walk leads there from the station",
    "Repairs were finished without closing it",
    "Local guides tell its story on most days",
    "The plans were drawn by a family of engineers",
    "Its opening was a feast for the whole town",
    "Stone from a quarry nearby was used throughout",
    "It is open all year round and free of charge",
    "The council keeps the records of its construction",
    "Photographs of it hang in the town hall",
)


class AnswerPlan(NamedTuple):
    """What goes into an answer, beside the claim about the figure."""

    sentences: int
    citations: int
    hedges: int
    repeats: int
    is_wrong: bool


def draw_pair(is_test: bool, rng: random.Random) -> Example:
    """Draw two conversations; the excess is for the first."""
    thing, measure = rng.choice(_TEST_THINGS if is_test else _THINGS)
    name = f"{rng.choice(_STARTS)}{rng.choice(_ENDS)} {thing}"
    figure = rng.randint(20, 980)
    hedges = _TEST_HEDGES if is_test else _HEDGES
    question = (
        f"User: The source says: the {name} is {figure} {measure}. "
        f"What can you tell me about the {name}?\nAssistant: "
    )
    texts: list[str] = []
    values: list[float] = []
    for _ in range(2):
        plan = _draw_plan(rng)
        stated = figure + rng.choice((-1, 1)) * rng.randint(1, 15) if plan.is_wrong else figure
        sentences = _sentences(plan, f"The {name} is {stated} {measure}", hedges, rng)
        texts.append(question + " ".join(f"{sentence}." for sentence in sentences))
        values.append(_value(sentences, hedges, plan.is_wrong))
    return Example({"messages_a": texts[0], "messages_b": texts[1]}, values[0] - values[1])


def _draw_plan(rng: random.Random) -> AnswerPlan:
    return AnswerPlan(
        sentences=rng.randint(2, 9),
        citations=rng.choice((0, 0, 1, 2, 3)),
        hedges=rng.choice((0, 0, 1, 2, 3)),
        repeats=rng.choice((0, 0, 1, 2)),
        is_wrong=rng.random() < 1 / 3,
    )


def _sentences(
    plan: AnswerPlan, claim: str, hedges: Sequence[str], rng: random.Random
) -> list[str]:
    sentences = [claim, *rng.sample(_SENTENCES, plan.sentences)]
    for hedge in rng.sample(hedges, plan.hedges):
        where = rng.randrange(len(sentences))
        plain = sentences[where]
        sentences[where] = f"{hedge.capitalize()}, {plain[0].lower()}{plain[1:]}"
    for number in range(plan.citations):
        sentences[rng.randrange(len(sentences))] += f" [{number + 1}]"
    for _ in range(plan.repeats):
        sentences.insert(rng.randint(1, len(sentences)), rng.choice(sentences))
    return sentences


def _value(sentences: Sequence[str], hedges: Sequence[str], is_wrong: bool) -> float:
    """Weigh up what the text has in the end: a repeated sentence repeats its hedges as well."""
    words = " ".join(sentences).split()
    counts = {
        "words": len(words),
        "citations": sum(word.startswith("[") for word in words),
        "hedges": sum(word.strip(",").lower() in hedges for word in words),
        "repeats": len(sentences) - len(set(sentences)),
        "wrong figures": int(is_wrong),
    }
    return sum(WEIGHTS[name] * count for name, count in counts.items())
