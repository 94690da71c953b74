"""Exercise weavecount: crossings of the threads of a weave."""

from random import Random

STATEMENT = """\
Threads hang from the letters of a string "top" and end at the letters of a string "bottom"; both
are made of the same lower-case letters, each as often in one as in the other, possibly none. The
first thread of a letter, counted from the left at the top, ends at the first place of this letter
in bottom, the second at the second, and so on. Two threads cross if one is left of the other at the
top and right of it at the bottom.

A crossing weighs the product of the values of the two letters, where a is 1, b is 2, ..., z is 26.
The input is an object with the keys "top", "bottom" and "p", an integer >= 2. The answer is
[crossings, weight]: the number of pairs of threads that cross, and the sum of the weights of all
crossings modulo p.
"""


def draw_case(rng: Random) -> dict[str, object]:
    """Few kinds of letters, so that many threads share one."""
    letters = "abcdefghijklmnopqrstuvwxyz"[: rng.choice([2, 3, 5, 26])]
    top = [rng.choice(letters) for _ in range(rng.choice([2, 4, 8, 16, 30]))]
    bottom = rng.sample(top, len(top))
    p = rng.choice([2, 7, 97, 10_007])
    return {"top": "".join(top), "bottom": "".join(bottom), "p": p}


def solve(case: dict[str, object]) -> list[int]:
    """Find where each thread ends and look at every pair."""
    top, bottom, p = str(case["top"]), str(case["bottom"]), int(str(case["p"]))
    ends: list[int] = []
    nexts: dict[str, int] = {}
    for letter in top:
        nexts[letter] = bottom.index(letter, nexts.get(letter, -1) + 1)
        ends.append(nexts[letter])
    crossings = weight = 0
    for right in range(len(top)):
        for left in range(right):
            if ends[left] > ends[right]:
                crossings += 1
                weight += (ord(top[left]) - 96) * (ord(top[right]) - 96)
    return [crossings, weight % p]
