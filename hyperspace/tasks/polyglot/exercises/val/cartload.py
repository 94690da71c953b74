"""Exercise cartload: the most valuable load of a cart with few fragile pieces."""

from functools import cache
from random import Random
from typing import Any

STATEMENT = """\
The input is an object with the keys "limit" (the greatest weight of a load), "fragile" (how many
fragile pieces a load may have at most) and "pieces", a list of [weight, value, is_fragile] with
weight >= 1, value >= 1 and is_fragile 0 or 1. A load is a set of pieces whose weights together are
at most the limit, and of which at most "fragile" are fragile. It may be empty.

The answer is [value, load]: the greatest total value of a load, and a load with this value as the
list of the places of its pieces (counted from 0, ascending). Of several such loads it is the one
whose list comes first in dictionary order: the first number that differs decides, and the smaller
one comes first.
"""


def draw_case(rng: Random) -> dict[str, Any]:
    """Small weights and values, so that loads of equal value are frequent."""
    pieces = [
        [rng.randint(1, 9), rng.randint(1, 6), int(rng.random() < 0.4)]
        for _ in range(rng.randint(0, 13))
    ]
    return {"limit": rng.randint(0, 30), "fragile": rng.randint(0, 3), "pieces": pieces}


def solve(case: dict[str, Any]) -> list[Any]:
    """Values of what can follow, then the first choice that loses none of it."""
    pieces = case["pieces"]

    @cache
    def most(at: int, limit: int, fragile: int) -> int:
        if limit < 0 or fragile < 0:
            return -1
        if at == len(pieces):
            return 0
        weight, value, is_fragile = pieces[at]
        with_it = most(at + 1, limit - weight, fragile - is_fragile)
        without = most(at + 1, limit, fragile)
        return max(without, with_it + value if with_it >= 0 else -1)

    limit, fragile = case["limit"], case["fragile"]
    best = most(0, limit, fragile)
    load: list[int] = []
    for at, (weight, value, is_fragile) in enumerate(pieces):
        rest = most(at + 1, limit - weight, fragile - is_fragile)
        if rest >= 0 and rest + value == most(at, limit, fragile):
            load.append(at)
            limit, fragile = limit - weight, fragile - is_fragile
    return [best, load]
