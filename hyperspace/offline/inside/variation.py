"""Draws a change of a source for a task whose answers are graded: of numbers, lists or structure.

A helper: it stands before a program in the text that is sent, after `displays`. Beside what
`surgery` varies, numbers here leave zero and change their sign, and lists change. Which sort of
change it is is drawn first, so that a table of a thousand numbers does not drown all the rest; of
numbers, those of one display weigh together as much as the root of their count. It takes the place
of `vary` in programs that come after it.
"""

import ast
import random
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hyperspace.offline.inside.displays import (
        elements,
        is_number,
        listings,
        stepped,
        vary_listing,
    )
    from hyperspace.offline.inside.surgery import Text, put, sites, walk

AGAIN = 0.3  # share of changes that are not the last of a variant: parameters hang together
NAMED = 5.0  # parameters stand at the top; inside functions most numbers are indices and bounds
SORTS = {"numbers": 0.5, "lists": 0.3, "structure": 0.15, "words": 0.05}


class Number(NamedTuple):
    """A number in a source: its span of bytes, its minus sign included, and how often it moves.

    `is_named` tells whether it stands in a constant of the module.
    """

    start: int
    end: int
    text: str
    weight: float
    is_named: bool


def vary_graded(
    source: str, labels: tuple[str, ...], rng: random.Random, spread: float, repertoire: str
) -> str:
    """Change one place, at times more; the source itself if nothing can be changed."""
    varied = vary_once(source, labels, rng, spread, repertoire)
    while rng.random() < AGAIN:
        varied = vary_once(varied, labels, rng, spread, repertoire)
    return varied


def vary_once(
    source: str, labels: tuple[str, ...], rng: random.Random, spread: float, repertoire: str
) -> str:
    """Change one place, drawn at random."""
    by_sort = places(source, labels)
    allowed = {"all": SORTS, "both": SORTS, "data": ("numbers", "lists")}
    sorts = [s for s in SORTS if by_sort[s] and s in allowed.get(repertoire, (repertoire,))]
    if not sorts:
        return source
    (sort,) = rng.choices(sorts, [SORTS[sort] for sort in sorts])
    if sort == "lists":
        return vary_listing(source, rng, spread)
    if sort == "numbers":
        known = numbers(source)
        if repertoire == "data":
            known = [number for number in known if number.is_named] or known
        (number,) = rng.choices(known, [number.weight for number in known])
        return put(source, number.start, number.end, stepped(number.text, rng, spread))
    site = rng.choice([site for site in sites(source, labels) if site.sort == sort])
    return put(source, site.start, site.end, rng.choice(site.others))


@lru_cache(maxsize=2)
def places(source: str, labels: tuple[str, ...]) -> dict[str, int]:
    """How many places of each sort there are."""
    sorts = [site.sort for site in sites(source, labels)]
    counts = {sort: sorts.count(sort) for sort in ("structure", "words")}
    return counts | {"numbers": len(numbers(source)), "lists": len(listings(source))}


@lru_cache(maxsize=2)
def numbers(source: str) -> list[Number]:
    """The numbers of a source, in the order in which they stand."""
    text, tree = Text(source), ast.parse(source)
    weights: dict[int, float] = {}
    inside: set[int] = set()
    constants = [node for node in tree.body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    named = {id(part) for node in constants for part in ast.walk(node)}
    spans: dict[tuple[int, int], tuple[str, float, bool]] = {}
    for node in walk(tree):
        if elements(node) and id(node) not in weights:
            crowd = [*ast.walk(node)]
            share = max(1, sum(isinstance(part, ast.Constant) for part in crowd)) ** -0.5
            weights |= {id(part): share for part in crowd}
        if is_number(node) and id(node) not in inside:
            inside |= {id(part) for part in ast.walk(node)}
            part = node.operand if isinstance(node, ast.UnaryOp) else node
            digits = repr(part.value) if isinstance(part, ast.Constant) else "0"
            sign = "" if part is node else "-"
            is_named = id(node) in named
            weight = weights.get(id(node), 1.0) * (NAMED if is_named else 1.0)
            spans[text.span(node)] = sign + digits, weight, is_named
    return [Number(*span, *rest) for span, rest in sorted(spans.items())]


vary = vary_graded
