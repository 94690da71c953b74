"""Measures best sums of radii for the items of `packing`: floors, not optima.

    nice python -m benchmarks.packing_references [--seconds 50] [--seed 1] [--cases 26 16:1.28]

Prints, for each case, its sum and the answer, checked by the domain's own verifier. Not for
comparison with agents' scores: they have 5 CPU seconds of plain Python.
"""

import argparse
import random
from collections.abc import Iterator

from benchmarks.packing_references.climbing import Box, as_answer, search
from hyperspace.tasks.packing.items import HEIGHTS, RECTANGLES, SMOKE, SQUARES
from hyperspace.tasks.packing.score import sum_of_radii


def main() -> None:
    """Measure the cases that the command line names, or all, and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.packing_references")
    parser.add_argument("--seconds", type=float, default=50, help="CPU seconds a case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", nargs="*", default=[], help="number of circles [:width]")
    arguments = parser.parse_args()
    chosen = [box for box in cases() if not arguments.cases or name(box) in arguments.cases]
    for box in chosen:
        rng = random.Random(f"{name(box)}/{arguments.seed}")
        best = search(box, rng, arguments.seconds)
        answer = as_answer(box, best)
        total = sum_of_radii(box._asdict(), answer)
        print(f"{name(box)} {float(total):.12f} {answer}", flush=True)


def cases() -> Iterator[Box]:
    """Every case of the domain's items."""
    yield Box(SMOKE, 1.0, 1.0)
    for sizes in SQUARES.values():
        yield from (Box(n, 1.0, 1.0) for n in sizes)
    yield from (Box(n, width, HEIGHTS[width]) for n, width in RECTANGLES)


def name(box: Box) -> str:
    """Return what the command line calls a case."""
    return f"{box.n}" if box.width == 1 else f"{box.n}:{box.width}"


if __name__ == "__main__":
    main()
