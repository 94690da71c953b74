"""Plays the puzzle: walks to the first goal that is there, straight, and sidesteps when stuck."""

from itertools import pairwise
from typing import Any

SIDESTEPS = ["up", "right", "down", "left"]  # one after the other, when a step led nowhere
ALONG_FIRST = 2  # times as far up or down as left or right, from which on that is walked first
ASIDE_UP_TO = 3  # steps that a block may lie aside of its place when it is pushed up or down
KEEP_OFF = ["you"]  # words of blocks that are not walked into on the way to something else
BUILDING = ["wall", "baba"]  # objects whose blocks are left where they lie
STEPS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
Offset = tuple[int, int]


class View:
    """An observation: the rules, and where objects and blocks lie, seen from oneself."""

    def __init__(self, text: str) -> None:
        self.rules: list[tuple[str, str]] = []
        self.objects: list[tuple[str, Offset]] = []
        self.blocks: list[tuple[str, Offset]] = []
        for line in text.splitlines():
            words = line.split()
            if len(words) == 3 and words[1] == "is":
                self.rules.append((words[0], words[2]))
            elif words and words[0] == "block":
                self.blocks.append((words[1], offset(words[2:])))
            elif words and words[-1] in ("right", "left", "up", "down", "here"):
                self.objects.append((words[0], offset(words[1:])))

    def kinds(self, quality: str) -> list[str]:
        """Kinds of objects that have a property."""
        return [kind for kind, other in self.rules if other == quality]


def offset(words: list[str]) -> Offset:
    """Read "2 right and 1 up": steps to the right and down."""
    right = down = 0
    for count, side in pairwise(words):
        if side in STEPS:
            right += int(count) * STEPS[side][0]
            down += int(count) * STEPS[side][1]
    return right, down


def nearest(offsets: list[Offset]) -> Offset | None:
    """The nearest of some places; None if there is none."""
    return min(offsets, key=lambda at: abs(at[0]) + abs(at[1]), default=None)


def object_that_wins(view: View) -> Offset | None:
    """The nearest object that is win."""
    return nearest([at for kind, at in view.objects if kind in view.kinds("win")])


def block_that_stops(view: View) -> Offset | None:
    """The nearest block "stop" while something is stop: walked into, it is pushed away."""
    return nearest([at for word, at in view.blocks if word == "stop" and view.kinds("stop")])


def block_that_wins(view: View) -> Offset | None:
    """The nearest block "win"."""
    return nearest([at for word, at in view.blocks if word == "win"])


def block_for_a_rule(view: View) -> Offset | None:
    """Where to stand, or what to push, to get an object's block in front of "is win"."""
    blocks = {at: word for word, at in view.blocks}
    kinds = [kind for kind, _ in view.objects]
    for right, down in [at for at, word in blocks.items() if word == "is"]:
        home = (right - 1, down)
        if blocks.get((right + 1, down)) == "win" and home not in blocks:
            loose = [at for at, word in blocks.items() if word in kinds and word not in BUILDING]
            at = nearest(loose)
            return at and push(at, (home[0] - at[0], home[1] - at[1]))
    return None


def push(at: Offset, way: Offset) -> Offset:
    """The block itself if a step into it pushes it on its way, else where to stand for that."""
    right, down = way
    if abs(right) > ASIDE_UP_TO:
        stand = (at[0] - (1 if right > 0 else -1), at[1])
    else:
        stand = (at[0], at[1] - (1 if down > 0 else -1))
    return at if stand == (0, 0) else stand


GOALS = [object_that_wins, block_that_stops, block_that_wins, block_for_a_rule]


def steps_to(at: Offset) -> list[str]:
    """Steps in the direction of a place, the better one first."""
    right, down = at
    beside = ["right" if right > 0 else "left"] if right else []
    along = ["down" if down > 0 else "up"] if down else []
    return along + beside if abs(down) >= ALONG_FIRST * abs(right) else beside + along


def towards(at: Offset, view: View) -> str:
    """A step in the direction of a place that pushes no block on the way; "" if there is none."""
    kept = [place for word, place in view.blocks if word in KEEP_OFF and place != at]
    free = [step for step in steps_to(at) if STEPS[step] not in kept]
    return free[0] if free else ""


class TaskAgent:
    """Plays one level, a step at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file
        self.last = ""
        self.stuck = 0

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the next step and the (empty) conversation."""
        text = inputs["observation"]
        view = View(text)
        places = [place for goal in GOALS if (place := goal(view)) is not None]
        action = towards(places[0], view) if places and text != self.last else ""
        if not action:
            self.stuck += 1
            action = SIDESTEPS[self.stuck % len(SIDESTEPS)]
        self.last = text
        return action, []
