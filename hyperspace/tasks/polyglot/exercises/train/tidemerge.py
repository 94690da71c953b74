"""Exercise tidemerge: the maximum of segments as a step function."""

from itertools import pairwise
from random import Random

STATEMENT = """\
Tides of different heights cover parts of a shore. The input is an object with the key "segments":
a list of [start, end, height], integers with start < end and height >= 1. A segment covers the
places from start up to, but not including, end. The level at a place is the greatest height of the
segments that cover it; a place that none covers has no level.

The answer is the list of [start, end, level] that describes all places with a level, from left to
right, with as few entries as possible: two parts that touch and have the same level are one entry.
Parts that do not touch stay apart. Without segments the answer is [].
"""


def draw_case(rng: Random) -> dict[str, list[list[int]]]:
    """Up to twelve segments on a short shore, so that many touch."""
    segments: list[list[int]] = []
    for _ in range(rng.randint(0, 12)):
        start = rng.randint(-10, 30)
        segments.append([start, start + rng.randint(1, 12), rng.randint(1, 4)])
    return {"segments": segments}


def solve(case: dict[str, list[list[int]]]) -> list[list[int]]:
    """Look at each stretch between two borders."""
    segments = case["segments"]
    borders = sorted({place for start, end, _ in segments for place in (start, end)})
    steps: list[list[int]] = []
    for start, end in pairwise(borders):
        levels = [height for left, right, height in segments if left <= start and end <= right]
        if not levels:
            continue
        if steps and steps[-1][1:] == [start, max(levels)]:
            steps[-1][1] = end
        else:
            steps.append([start, end, max(levels)])
    return steps
