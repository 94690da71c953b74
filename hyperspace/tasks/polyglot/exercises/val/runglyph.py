"""Exercise runglyph: directions in a code with nested repeats."""

from random import Random
from typing import Any

STATEMENT = """\
A walk on a grid begins at (0, 0) and is a string of the steps U (y + 1), D (y - 1), R (x + 1) and L
(x - 1). A code is a shorter form of it: a row of parts, possibly none; a part is a step or a code
in round brackets, and may have an integer >= 1 before it, which says how often it is repeated:
"2R3(UL)" stands for "RRULULUL". Brackets may be nested, and empty.

The input is an object with the key "op". If it is "walk", the key "code" holds a code, and the
answer is [x, y, length]: the end of the walk and its number of steps. They may be as great as 10^14
in size, so the walk cannot be written out.

If it is "write", the key "path" holds a string of steps, and the answer is the code without
brackets in which every run of equal steps, as long as possible, is its length and the step, and
just the step if the run has length 1: "RRU" gives "2RU".
"""


def draw_case(rng: Random) -> dict[str, str]:
    """A nested code, or a path with long runs."""
    if rng.random() < 0.7:
        return {"op": "walk", "code": draw_code(rng, 4)}
    path = "".join(
        rng.choice("UDLR") * rng.choice([1, 1, 2, 3, 12]) for _ in range(rng.randint(0, 8))
    )
    return {"op": "write", "path": path}


def draw_code(rng: Random, depth: int) -> str:
    """A row of parts."""
    code = ""
    for _ in range(rng.randint(0 if depth < 4 else 1, 4)):
        code += rng.choice(["", "", "1", "2", "3", "10", "47", "99"])
        if depth and rng.random() < 0.45:
            code += f"({draw_code(rng, depth - 1)})"
        else:
            code += rng.choice("UDLR")
    return code


def solve(case: dict[str, str]) -> Any:
    """Add up ends of parts, or count runs."""
    if case["op"] == "walk":
        return walked(case["code"])
    runs: list[list[Any]] = []
    for step in case["path"]:
        if runs and runs[-1][1] == step:
            runs[-1][0] += 1
        else:
            runs.append([1, step])
    return "".join((str(count) if count > 1 else "") + step for count, step in runs)


def walked(code: str) -> list[int]:
    """End and length of a code."""
    steps = {"U": [0, 1, 1], "D": [0, -1, 1], "R": [1, 0, 1], "L": [-1, 0, 1]}
    sums, repeats, number = [[0, 0, 0]], list[int](), ""
    for character in code:
        if character.isdigit():
            number += character
            continue
        if character == "(":
            sums.append([0, 0, 0])
            repeats.append(int(number or 1))
        else:
            count = repeats.pop() if character == ")" else int(number or 1)
            part = sums.pop() if character == ")" else steps[character]
            sums[-1] = [total + count * size for total, size in zip(sums[-1], part, strict=True)]
        number = ""
    return sums[0]
