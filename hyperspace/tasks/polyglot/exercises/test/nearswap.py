"""Exercise nearswap: sorting by swaps over a given distance."""

from random import Random
from typing import Any

STATEMENT = """\
The input is an object with the keys "values", a list of integers, and "k", an integer >= 1. In one
swap two values that stand exactly k places apart change places. The answer is the smallest number
of swaps after which the list is sorted (no value greater than the next), or -1 if no number of
swaps sorts it. A list of at most one value is sorted.
"""


def draw_case(rng: Random) -> dict[str, Any]:
    """Lists that can be sorted are made backwards, by swaps of a sorted one."""
    values = sorted(rng.randint(-5, 20) for _ in range(rng.choice([3, 6, 9, 15, 30])))
    k = rng.randint(1, 5)
    for _ in range(rng.choice([0, 2, 10, 200])):
        at = rng.randrange(max(len(values), 1))
        if at + k < len(values):
            values[at], values[at + k] = values[at + k], values[at]
    if rng.random() < 0.12:
        rng.shuffle(values)
    return {"values": values, "k": k}


def solve(case: dict[str, Any]) -> int:
    """Each k-th value forms a list of its own, which neighbour swaps sort."""
    values, k = case["values"], case["k"]
    result: list[int] = [0] * len(values)
    swaps = 0
    for first in range(min(k, len(values))):
        part = values[first::k]
        result[first::k] = sorted(part)
        swaps += sum(a > b for at, a in enumerate(part) for b in part[at + 1 :])
    return swaps if result == sorted(values) else -1
