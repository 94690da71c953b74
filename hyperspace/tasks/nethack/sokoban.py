"""Draws levels in which boulders are pushed onto fountains, by playing backwards from the end.

A level begins solved and is spoilt by pulls, so that the pulls in reverse solve it: whoever made
the level has a plan in hand, and the level counts only if that plan fits into the steps of a game.
"""

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

SIZE, BOULDERS = 10, 4
MOST_STEPS = 80  # of the plan; a game has 100
LEAST_PUSHES = {"Boxoban-Medium": 8, "Boxoban-Hard": 14}
"""What every solution needs at least: the sum of each boulder's way to its nearest fountain."""
_INNER_WALLS = (8, 18)
_PULLS = 60
_WORDS = {(0, -1): "north", (1, 0): "east", (0, 1): "south", (-1, 0): "west"}

Place = tuple[int, int]


class BoulderLevel(NamedTuple):
    """A level and a plan.

    Attributes:
        rows: Lines of text: `#` wall, `$` boulder, `.` fountain, `@` the player.
        plan: Directions that solve it.
    """

    rows: tuple[str, ...]
    plan: tuple[str, ...]


class _Position(NamedTuple):
    player: Place
    boulders: frozenset[Place]


def draw_level(task: str, seed: int) -> BoulderLevel:
    """Draw the level of a task and a seed; equal ones give equal levels everywhere."""
    rng = random.Random(f"{task}/{seed}")  # noqa: S311 - a level, no secret
    while True:
        floor = _draw_floor(rng)
        goals = frozenset(rng.sample(sorted(floor), BOULDERS))
        free = sorted(floor - goals)
        solved = _Position(rng.choice(free), goals)
        level = _spoil(rng, floor, solved, LEAST_PUSHES[task])
        if level is not None:
            return level


def _draw_floor(rng: random.Random) -> frozenset[Place]:
    """Places to walk on, all connected: a room with some walls in it."""
    inside = [(x, y) for y in range(1, SIZE - 1) for x in range(1, SIZE - 1)]
    while True:
        floor = frozenset(inside) - frozenset(rng.sample(inside, rng.randint(*_INNER_WALLS)))
        if len(_ways(floor, min(floor))) == len(floor):
            return floor


def _spoil(
    rng: random.Random, floor: frozenset[Place], solved: _Position, least: int
) -> BoulderLevel | None:
    """Pull boulders about; the first position that is far enough from the end, with a plan."""
    history = [solved]
    goals = solved.boulders
    for _ in range(_PULLS):
        pulls = [pull for pull in _pulls(floor, history[-1]) if pull not in history]
        if not pulls:
            return None
        # Mostly away from the end, or hours would pass near it.
        pulls.sort(key=lambda pull: (least_pushes(pull.boulders, goals), pull.player))
        history.append(rng.choice(pulls[len(pulls) // 2 :]))
        last = history[-1]
        if least_pushes(last.boulders, goals) >= least and not last.boulders & goals:
            plan = _plan(floor, history[::-1])
            if len(plan) <= MOST_STEPS:
                return BoulderLevel(_rows(floor, goals, last), plan)
            return None
    return None


def least_pushes(boulders: frozenset[Place], goals: frozenset[Place]) -> int:
    """Pushes that every solution needs at least."""
    return sum(min(abs(x - gx) + abs(y - gy) for gx, gy in goals) for x, y in boulders)


def _pulls(floor: frozenset[Place], position: _Position) -> Iterator[_Position]:
    """Every position one pull away, wherever the player walks before."""
    reach = _ways(floor - position.boulders, position.player)
    for boulder in sorted(position.boulders):
        for dx, dy in _WORDS:
            beside, behind = (
                (boulder[0] + dx, boulder[1] + dy),
                (boulder[0] + 2 * dx, boulder[1] + 2 * dy),
            )
            if beside in reach and behind in reach:
                yield _Position(behind, position.boulders - {boulder} | {beside})


def _ways(free: frozenset[Place], start: Place) -> dict[Place, tuple[str, ...]]:
    """Shortest ways from a place to every place in reach."""
    ways: dict[Place, tuple[str, ...]] = {start: ()}
    front = [start]
    for x, y in front:
        for (dx, dy), word in _WORDS.items():
            place = (x + dx, y + dy)
            if place in free and place not in ways:
                ways[place] = (*ways[x, y], word)
                front.append(place)
    return ways


def _plan(floor: frozenset[Place], positions: list[_Position]) -> tuple[str, ...]:
    """Walks and pushes that go through positions, each a push from the one before."""
    plan: tuple[str, ...] = ()
    player = positions[0].player
    for before, after in pairwise(positions):
        (start,), (end,) = before.boulders - after.boulders, after.boulders - before.boulders
        by = (end[0] - start[0], end[1] - start[1])
        stand = (start[0] - by[0], start[1] - by[1])
        plan += (*_ways(floor - before.boulders, player)[stand], _WORDS[by])
        player = start
    return plan


def _rows(floor: frozenset[Place], goals: frozenset[Place], position: _Position) -> tuple[str, ...]:
    signs = dict.fromkeys(floor, " ") | dict.fromkeys(goals, ".")
    signs |= dict.fromkeys(position.boulders, "$") | {position.player: "@"}
    return tuple("".join(signs.get((x, y), "#") for x in range(SIZE)) for y in range(SIZE))
