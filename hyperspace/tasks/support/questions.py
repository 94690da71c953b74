"""Draws questions about a page: one product and several attributes, or the other way round."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from hyperspace.tasks.base import Split
from hyperspace.tasks.support.score import Expected
from hyperspace.tasks.support.world import ATTRIBUTES, Attribute, World, unknown_product

_ONE_PRODUCT = (
    "What is {attributes} of {products}?",
    "For {products}, please tell me {attributes}.",
    "Could you give me {attributes} of {products}?",
)
_ONE_ATTRIBUTE = (
    "What is {attributes} of {products}?",
    "Please compare {attributes} of {products}.",
    "I would like to know {attributes} for {products}.",
)
_UNSEEN_SHARE: dict[Split, float] = {"train": 0.0, "val": 0.1, "test": 0.2}
_BEYOND_SHARE = 0.3
_MONTHS = 12  # of a year


class SupportQuestion(NamedTuple):
    """A question and what answers it."""

    text: str
    expected: Expected


def draw_question(
    world: World, split: Split, is_beyond: bool, rng: random.Random
) -> SupportQuestion:
    """Draw a question.

    Args:
        world: What it is about.
        split: Decides which paraphrases may occur.
        is_beyond: Whether some ask for more than a look-up.
        rng: Where the draws come from.
    """
    if is_beyond and rng.random() < _BEYOND_SHARE:
        return rng.choice((_yearly, _superlative, _unanswerable))(world, rng)
    if rng.random() < 0.5:
        products = rng.sample(world.products, 1)
        attributes = rng.sample(ATTRIBUTES, rng.randint(1, 3))
        form = rng.choice(_ONE_PRODUCT)
    else:
        products = rng.sample(world.products, rng.randint(1, 3))
        attributes = rng.sample(ATTRIBUTES, 1)
        form = rng.choice(_ONE_ATTRIBUTE)
    called = [f"the {_paraphrase(attribute, split, rng)}" for attribute in attributes]
    text = form.format(attributes=_joined(called), products=_joined(products))
    facts = [[p, world.values[p, a.name]] for p in products for a in attributes]
    return SupportQuestion(text, {"products": list(world.products), "facts": facts})


def _paraphrase(attribute: Attribute, split: Split, rng: random.Random) -> str:
    unseen = {"train": (), "val": attribute.fresh, "test": attribute.fresh + attribute.test}[split]
    return rng.choice(unseen if rng.random() < _UNSEEN_SHARE[split] else attribute.train)


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _yearly(world: World, rng: random.Random) -> SupportQuestion:
    product = rng.choice(world.products)
    fact = [product, _MONTHS * world.values[product, "fee"]]
    text = f"What does {product} cost in a whole year?"
    return SupportQuestion(text, {"products": list(world.products), "facts": [fact]})


def _superlative(world: World, rng: random.Random) -> SupportQuestion:
    attribute = rng.choice(ATTRIBUTES)
    product = max(world.products, key=lambda name: world.values[name, attribute.name])
    fact = [product, world.values[product, attribute.name]]
    return SupportQuestion(attribute.most, {"products": list(world.products), "facts": [fact]})


def _unanswerable(world: World, rng: random.Random) -> SupportQuestion:
    called = rng.choice(rng.choice(ATTRIBUTES).train)
    text = f"What is the {called} of {unknown_product(world, rng)}?"
    return SupportQuestion(text, {"products": list(world.products), "facts": []})
