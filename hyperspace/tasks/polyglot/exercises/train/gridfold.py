"""Exercise gridfold: layers of a paper that is folded along lines."""

from random import Random
from typing import Any

STATEMENT = """\
A sheet of paper has "width" columns and "height" rows of cells, one layer everywhere. It is folded
along lines between cells, one fold after the other: "folds" is a list of [side, k].

["left", k] turns the k leftmost columns over to the right: of these, the column next to the line
comes to lie on the column next to the line on the other side, the second one on the second one, and
so on. Where k is more than half of the width they reach beyond the right border, and the sheet is
then k columns wide. The line is the new left border. "right" turns the k rightmost columns over to
the left in the same way (the line is the new right border), "top" the k topmost rows down, "bottom"
the k bottommost rows up. k is at least 1 and less than the present width or height.

The input is an object with the keys "width", "height", "folds" and "cells", a list of [column,
row], counted from 0 at the top left of the folded sheet. The answer is [width, height, most,
layers]: the size of the folded sheet, the greatest number of layers on any of its cells, and the
list of the numbers of layers on the given cells, with -1 for a cell outside of the folded sheet.
"""


def draw_case(rng: Random) -> dict[str, Any]:
    """A small sheet and folds that leave something of it."""
    width, height = rng.randint(1, 9), rng.randint(1, 9)
    case: dict[str, Any] = {"width": width, "height": height, "folds": []}
    for _ in range(rng.randint(0, 5)):
        side = rng.choice(["left", "right", "top", "bottom"])
        size = width if side in ("left", "right") else height
        if size > 1:
            k = rng.randint(1, size - 1)
            case["folds"].append([side, k])
            if side in ("left", "right"):
                width = max(k, width - k)
            else:
                height = max(k, height - k)
    cells = [[rng.randint(0, width), rng.randint(0, height)] for _ in range(rng.randint(0, 6))]
    return {**case, "cells": cells}


def solve(case: dict[str, Any]) -> list[Any]:
    """Fold a table of layers."""
    rows = [[1] * case["width"] for _ in range(case["height"])]
    for side, k in case["folds"]:
        if side in ("left", "right"):
            rows = [folded(row, k, side == "left") for row in rows]
        else:
            columns = [folded(list(column), k, side == "top") for column in zip(*rows, strict=True)]
            rows = [list(row) for row in zip(*columns, strict=True)]
    width, height = len(rows[0]), len(rows)
    layers: list[int] = [
        rows[row][column] if row < height and column < width else -1
        for column, row in case["cells"]
    ]
    return [width, height, max(map(max, rows)), layers]


def folded(line: list[int], k: int, at_start: bool) -> list[int]:
    """Fold the first or the last k cells of a line onto the others."""
    if not at_start:
        return folded(line[::-1], k, True)[::-1]
    turned, rest = line[:k][::-1], line[k:]
    size = max(len(turned), len(rest))
    turned += [0] * (size - len(turned))
    rest += [0] * (size - len(rest))
    return [a + b for a, b in zip(turned, rest, strict=True)]
