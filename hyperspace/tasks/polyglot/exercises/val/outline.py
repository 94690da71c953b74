"""Exercise outline: indented lines as a tree, or the first line that is wrong."""

from random import Random
from typing import Any

STATEMENT = """\
The input is an object with the key "lines", a list of strings of spaces and other printable ASCII
characters. A line of nothing but spaces (or of nothing at all) is blank and means nothing. Every
other line is a title behind an indentation of spaces; spaces behind the title do not belong to it,
spaces within it do.

The level of a line is half the number of spaces of its indentation. A title is a child of the
nearest earlier title whose level is one less; titles of level 0 have no parent. A line that is not
blank is wrong if the number of its spaces is odd, if its level is more than one greater than the
level of the line before it that is not blank, or if it is the first line that is not blank and its
level is not 0.

If a line is wrong, the answer is the number of the first wrong line, where the first of all lines,
blank ones included, has number 1. Else it is the list of the titles of level 0 in their order, each
as [title, children], where children is the list of its children in the same form and order.
"""
WORDS = ("a", "b c", "red", "to  do", "x.", "-", "9")


def draw_case(rng: Random) -> dict[str, list[str]]:
    """Mostly right outlines; some have a wrong line near the end."""
    lines: list[str] = []
    level = -1
    for _ in range(rng.randint(0, 12)):
        if rng.random() < 0.15:
            lines.append(" " * rng.randint(0, 5))
            continue
        level = rng.randint(0, level + 1) if rng.random() < 0.7 else min(level + 1, 4)
        spaces = 2 * level
        if rng.random() < 0.05:
            spaces += rng.randint(1, 4)
        lines.append(" " * spaces + rng.choice(WORDS) + " " * rng.choice([0, 0, 0, 1, 3]))
    return {"lines": lines}


def solve(case: dict[str, list[str]]) -> Any:
    """Keep the list of children that each level adds to."""
    tree: list[Any] = []
    open_lists: list[list[Any]] = [tree]  # the one that a title of each level goes into
    for number, line in enumerate(case["lines"], 1):
        title = line.strip(" ")
        if not title:
            continue
        spaces = len(line) - len(line.lstrip(" "))
        level, odd = divmod(spaces, 2)
        if odd or level >= len(open_lists):
            return number
        children: list[Any] = []
        open_lists[level].append([title, children])
        open_lists[level + 1 :] = [children]
    return tree
