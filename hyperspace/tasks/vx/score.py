"""Scores a program: its cycles on drawn inputs, against what is slow and what is fast."""

import random
from collections.abc import Iterable
from typing import Any, NamedTuple

from hyperspace.tasks.vx.kernels import KERNELS, KernelCase, Sizes, worth
from hyperspace.tasks.vx.machine import InvalidProgram, read_program, run_program

RUNS = 3


class Measured(NamedTuple):
    """What came of a program: its score, why, the cycles of its slowest run, and its length."""

    score: float
    reason: str
    cycles: int = 0
    bundles: int = 0


def measure(kernel: str, sizes: Sizes, cases: Iterable[KernelCase], prediction: str) -> Measured:
    """Run a program on cases; one wrong word, or one thing that is invalid, is worth 0."""
    slowest = 0
    try:
        bundles = read_program(prediction)
        for number, (memory, first, expected) in enumerate(cases, start=1):
            words = list(memory)
            slowest = max(slowest, run_program(bundles, words))
            results = words[first : first + len(expected)]
            if results != expected:
                wrong = [i for i, word in enumerate(expected) if results[i] != word]
                where = f"{len(wrong)} of {len(expected)} words, the first at {first + wrong[0]}"
                return Measured(0.0, f"run {number}: wrong are {where}", slowest, len(bundles))
    except InvalidProgram as error:
        return Measured(0.0, str(error))
    score = worth(KERNELS[kernel], sizes, slowest)
    return Measured(score, f"right in {slowest} cycles", slowest, len(bundles))


def score(inputs: dict[str, Any], prediction: str) -> float:
    """Score a program on inputs of its own; the host draws others of the same kind."""
    kernel, sizes = inputs["kernel"], inputs["sizes"]
    rng = random.Random(f"practice/{kernel}/{sorted(sizes.items())}")  # noqa: S311 - data
    cases = (KERNELS[kernel].draw(sizes, rng) for _ in range(RUNS))
    return measure(kernel, sizes, cases, prediction).score
