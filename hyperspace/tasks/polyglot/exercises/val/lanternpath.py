"""Exercise lanternpath: a way through a grid with as few dark cells as possible."""

from collections import deque
from random import Random
from typing import Any

STATEMENT = """\
The input is an object with the keys "rows" (a list of strings of equal length, at least one, of the
characters "." for a free cell and "#" for a wall) and "lanterns", a list of [row, column, radius]
with radius >= 0, counted from 0 at the top left. A lantern lights every cell whose distance in rows
plus whose distance in columns is at most the radius; walls do not stop light, and lanterns may
stand on walls. All other cells are dark.

A path begins at the top left cell, ends at the bottom right cell, and goes from free cell to free
cell, each next to the one before in its row or column. The answer is the smallest number of dark
cells on a path, both ends included, or -1 if there is no path.
"""


def draw_case(rng: Random) -> dict[str, Any]:
    """A small grid with some walls and a few lanterns."""
    height, width = rng.randint(1, 9), rng.randint(1, 9)
    walls = rng.choice([0.0, 0.15, 0.3])
    rows = [["#" if rng.random() < walls else "." for _ in range(width)] for _ in range(height)]
    if rng.random() < 0.9:
        rows[0][0] = rows[-1][-1] = "."
    lanterns = [
        [rng.randrange(height), rng.randrange(width), rng.randint(0, 3)]
        for _ in range(rng.randint(0, 5))
    ]
    return {"rows": ["".join(row) for row in rows], "lanterns": lanterns}


def solve(case: dict[str, Any]) -> int:
    """Improve cells until none gets better."""
    rows = case["rows"]
    height, width = len(rows), len(rows[0])

    def dark(row: int, column: int) -> int:
        reached = (abs(row - r) + abs(column - c) <= radius for r, c, radius in case["lanterns"])
        return 0 if any(reached) else 1

    if rows[0][0] == "#":
        return -1
    best = {(0, 0): dark(0, 0)}
    queue = deque([(0, 0)])
    while queue:
        row, column = queue.popleft()
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            r, c = row + down, column + right
            if not (0 <= r < height and 0 <= c < width) or rows[r][c] == "#":
                continue
            cost = best[row, column] + dark(r, c)
            if cost < best.get((r, c), height * width + 1):
                best[r, c] = cost
                queue.append((r, c))
    return best.get((height - 1, width - 1), -1)
