"""Exercise swapladder: from word to word inside a dictionary."""

from random import Random
from typing import Any

STATEMENT = """\
The input is an object with the keys "start" and "goal", two strings of equal length, and "words", a
list of strings. In one step a word becomes another one, either by changing one letter into any
other, or by letting two letters that stand next to each other change places. Every word after the
start, the goal included, must be in words; the start need not be.

The answer is the smallest number of steps from start to goal, 0 if they are equal (also if the goal
is not in words), or -1 if there is no way. Words of another length than the start are never
reached. All letters are lower-case a to z.
"""


def draw_case(rng: Random) -> dict[str, Any]:
    """Words of few letters, so that there are ways."""
    length = rng.randint(2, 5)
    letters = "abc"[: rng.randint(2, 3)]

    def draw_word() -> str:
        size = length if rng.random() < 0.95 else length + 1
        return "".join(rng.choice(letters) for _ in range(size))

    words = list(dict.fromkeys(draw_word() for _ in range(rng.randint(4, 30))))
    fitting = [word for word in words if len(word) == length] or ["a" * length]
    start = rng.choice(fitting)
    if rng.random() < 0.3:
        start = "".join(rng.choice(letters) for _ in range(length))
    goal = rng.choice(fitting)
    if rng.random() < 0.1:
        goal = "".join(rng.choice(letters) for _ in range(length))
    return {"start": start, "goal": goal, "words": words}


def solve(case: dict[str, Any]) -> int:
    """Search breadth first."""
    start, goal = case["start"], case["goal"]
    reached, front, steps = {start}, [start], 0
    while front and goal not in reached:
        steps += 1
        front = [
            word
            for word in dict.fromkeys(case["words"])
            if word not in reached and any(is_step(last, word) for last in front)
        ]
        reached.update(front)
    return steps if goal in reached else -1


def is_step(before: str, after: str) -> bool:
    """Return whether one step leads from a word to another one."""
    if len(before) != len(after):
        return False
    places = [at for at, letter in enumerate(before) if letter != after[at]]
    if len(places) == 2 and places[1] == places[0] + 1:
        first, second = places
        return before[first] == after[second] and before[second] == after[first]
    return len(places) == 1
