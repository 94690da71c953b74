"""The kernels: what each computes, on which memory, and how many cycles are many and few.

Standard library alone: agents get this text as part of `score.py`.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

Sizes = dict[str, int]
_WORDS = 2**32
_MIXES = ((5, 0x2545F491, 13), (9, 0x9E3779B1, 7), (17, 0x85EBCA6B, 16))
PATTERN = 8  # words
SCRATCH = 1024  # words that a `match` program may use as it likes
_SYMBOLS = 16


class KernelCase(NamedTuple):
    """A memory to begin with, and the words that must stand at `first` in the end."""

    memory: list[int]
    first: int
    expected: list[int]


@dataclass(frozen=True)
class Kernel:
    """One kernel.

    Attributes:
        draw: Draws a case of some sizes.
        reference: What is computed, from the memory and the sizes.
        slow: Cycles that are worth 0.
        fast: Cycles that are worth 1; under every bound that is known.
        layout: Where things lie in the memory: start of each part.
        length: Words of the memory.
        task: The kernel in words.
    """

    draw: Callable[[Sizes, random.Random], KernelCase]
    reference: Callable[[list[int], Sizes], list[int]]
    slow: Callable[[Sizes], float]
    fast: Callable[[Sizes], float]
    layout: Callable[[Sizes], dict[str, int]]
    length: Callable[[Sizes], int]
    task: str


def worth(kernel: Kernel, sizes: Sizes, cycles: int) -> float:
    """Return ln(slow / cycles) / ln(slow / fast), at least 0, to nine digits."""
    slow, fast = kernel.slow(sizes), kernel.fast(sizes)
    return max(0.0, round(math.log(slow / max(1, cycles)) / math.log(slow / fast), 9))


def descent(memory: list[int], sizes: Sizes) -> list[int]:
    """Return the walkers' words after their rounds."""
    nodes = (4 ** sizes["depth"] - 1) // 3
    results: list[int] = []
    for v in memory[nodes : nodes + sizes["walkers"]]:
        x = 0
        for _ in range(sizes["rounds"]):
            v ^= memory[x]
            for m, c, s in _MIXES:
                v = (v * m + c) % 2**32
                v ^= v >> s
            x = 4 * x + 1 + (v & 3)
            if x >= nodes:
                x = 0
        results.append(v)
    return results


def prefix(memory: list[int], sizes: Sizes) -> list[int]:
    """Return the inclusive sums, modulo 2 ** 32."""
    total, results = 0, list[int]()
    for word in memory[: sizes["words"]]:
        total = (total + word) % 2**32
        results.append(total)
    return results


def match(memory: list[int], sizes: Sizes) -> list[int]:
    """Return the first place of each pattern in the text; the text's length where it has none."""
    words, results = sizes["words"], list[int]()
    for number in range(sizes["patterns"]):
        start = words + 8 * number
        pattern = memory[start : start + 8]
        places = (i for i in range(words - 7) if memory[i : i + 8] == pattern)
        results.append(next(places, words))
    return results


def _draw_descent(sizes: Sizes, rng: random.Random) -> KernelCase:
    nodes = _nodes(sizes)
    memory = [rng.randrange(_WORDS) for _ in range(nodes + sizes["walkers"])]
    return KernelCase(memory, nodes, descent(memory, sizes))


def _draw_prefix(sizes: Sizes, rng: random.Random) -> KernelCase:
    memory = [rng.randrange(_WORDS) for _ in range(sizes["words"])]
    return KernelCase(memory, 0, prefix(memory, sizes))


def _draw_match(sizes: Sizes, rng: random.Random) -> KernelCase:
    """Half of the patterns occur, a quarter differ in one word from what occurs."""
    words, patterns = sizes["words"], sizes["patterns"]
    symbols = [rng.randrange(_WORDS) for _ in range(_SYMBOLS)]
    text = [rng.choice(symbols) for _ in range(words)]
    memory = list(text)
    order = [number % 4 for number in range(patterns)]
    rng.shuffle(order)
    for sort in order:
        start = rng.randrange(words - PATTERN + 1)
        pattern = text[start : start + PATTERN]
        if sort == 2:
            pattern[rng.randrange(PATTERN)] = rng.choice(symbols)
        if sort == 3:
            pattern = [rng.choice(symbols) for _ in range(PATTERN)]
        memory += pattern
    first = len(memory)
    memory += [0] * (patterns + SCRATCH)
    return KernelCase(memory, first, match(memory, sizes))


def _nodes(sizes: Sizes) -> int:
    return (4 ** sizes["depth"] - 1) // 3


def _descent_work(sizes: Sizes) -> float:
    """Lane operations: 13 a round, and 3 for each next place that is not the root."""
    rounds = sizes["rounds"]
    return sizes["walkers"] * (13 * rounds + 3 * (rounds - rounds // sizes["depth"]))


KERNELS: dict[str, Kernel] = {
    "descent": Kernel(
        _draw_descent,
        descent,
        lambda sizes: 26_766 / 1_536 * sizes["walkers"] * sizes["rounds"],
        lambda sizes: 560 / 23_808 * _descent_work(sizes),
        lambda sizes: {"tree": 0, "walkers": _nodes(sizes)},
        lambda sizes: _nodes(sizes) + sizes["walkers"],
        "Each walker goes down a tree of four branches a node, mixes its word with the node's, and "
        "starts again at the root. Its word is overwritten by the result.",
    ),
    "prefix": Kernel(
        _draw_prefix,
        prefix,
        lambda sizes: 5 * sizes["words"],
        lambda sizes: sizes["words"] / 16,
        lambda sizes: {"words": 0},
        lambda sizes: sizes["words"],
        "Each word is overwritten by the sum of itself and all words before it.",
    ),
    "match": Kernel(
        _draw_match,
        match,
        lambda sizes: 7 * sizes["words"] * sizes["patterns"],
        lambda sizes: (sizes["words"] + PATTERN * sizes["patterns"]) / 16,
        lambda sizes: {
            "text": 0,
            "patterns": sizes["words"],
            "results": sizes["words"] + PATTERN * sizes["patterns"],
            "scratch": sizes["words"] + (PATTERN + 1) * sizes["patterns"],
        },
        lambda sizes: sizes["words"] + (PATTERN + 1) * sizes["patterns"] + SCRATCH,
        "For each pattern of 8 words, its result is the first place of the text where it stands, "
        "or the length of the text if there is none. The 1,024 words of scratch start as 0.",
    ),
}
