"""Invented products: five of them with six attributes each, told in one sentence a value."""

import random
from typing import NamedTuple

PRODUCTS = 5
_STARTS = ("Bel", "Cor", "Dan", "Fen", "Gal", "Hol", "Jor", "Kel", "Lum", "Mar", "Nor", "Orb",
           "Pel")  # fmt: skip
_ENDS = ("ado", "ena", "ibo", "ika", "imo", "ola", "ora", "uno", "uvi", "yra")


class Attribute(NamedTuple):
    """What is known of each product.

    Attributes:
        name: Its name among us.
        sentences: How the page tells it: of {p} the value is {v}.
        train: What questions of every split call it.
        fresh: What questions of validation and test call it beside.
        test: What questions of test alone call it beside.
        most: A question for the product that has most of it.
    """

    name: str
    sentences: tuple[str, ...]
    train: tuple[str, ...]
    fresh: tuple[str, ...]
    test: tuple[str, ...]
    most: str


ATTRIBUTES = (
    Attribute(
        "fee",
        (
            "{p} is billed at {v} dollars a month.",
            "Using {p} sets you back {v} dollars each month.",
            "The price to pay every month for {p} is {v} dollars.",
        ),
        ("price", "fee", "cost"),
        ("charge",),
        ("tariff",),
        "Which product is the most expensive, and what is its price?",
    ),
    Attribute(
        "weight",
        (
            "On the scale {p} shows {v} grams.",
            "{p} comes in at {v} grams.",
            "The weight of {p}, packed and ready, is {v} grams.",
        ),
        ("weight", "mass", "burden"),
        ("load",),
        ("heaviness",),
        "Which product is the heaviest, and what is its weight?",
    ),
    Attribute(
        "battery",
        (
            "{p} runs {v} hours on one charge.",
            "Once plugged in overnight, {p} lasts {v} hours.",
            "The battery of {p} is good for {v} hours.",
        ),
        ("battery", "runtime", "endurance"),
        ("stamina",),
        ("autonomy",),
        "Which product runs longest, and what is its runtime?",
    ),
    Attribute(
        "warranty",
        (
            "Repairs of {p} are free for {v} months.",
            "{p} is covered for {v} months after purchase.",
            "The warranty that comes with {p} ends after {v} months.",
        ),
        ("warranty", "guarantee", "cover"),
        ("protection",),
        ("assurance",),
        "Which product is covered longest, and what is its warranty?",
    ),
    Attribute(
        "range",
        (
            "{p} finds its base from {v} metres away.",
            "Signals of {p} carry {v} metres.",
            "The range of {p} in the open is {v} metres.",
        ),
        ("range", "reach", "distance"),
        ("radius",),
        ("coverage",),
        "Which product reaches furthest, and what is its range?",
    ),
    Attribute(
        "memory",
        (
            "{p} keeps up to {v} recordings.",
            "There is room for {v} recordings on {p}.",
            "The memory of {p} is full after {v} recordings.",
        ),
        ("memory", "storage", "capacity"),
        ("space",),
        ("volume",),
        "Which product keeps most, and what is its memory?",
    ),
)


class World(NamedTuple):
    """One page of facts.

    Attributes:
        products: Their names.
        values: By product and name of the attribute; all distinct.
        text: The page.
    """

    products: tuple[str, ...]
    values: dict[tuple[str, str], int]
    text: str


def draw_world(rng: random.Random) -> World:
    """Draw products, values and the order and wording of the page."""
    names = [start + end for start in _STARTS for end in _ENDS]
    products = tuple(rng.sample(names, PRODUCTS))
    pairs = [(product, attribute) for product in products for attribute in ATTRIBUTES]
    numbers = rng.sample(range(13, 999), len(pairs))
    values = {(p, a.name): number for (p, a), number in zip(pairs, numbers, strict=True)}
    sentences = [
        rng.choice(attribute.sentences).format(p=product, v=values[product, attribute.name])
        for product, attribute in pairs
    ]
    rng.shuffle(sentences)
    return World(products, values, " ".join(sentences))


def unknown_product(world: World, rng: random.Random) -> str:
    """Draw a name that the page does not have."""
    names = [start + end for start in _STARTS for end in _ENDS]
    return rng.choice([name for name in names if name not in world.products])
