"""A practice room with the rules of the missions, for code inside; standard library alone.

`play(inputs, agent)` plays an episode of the family that `inputs` names. The level is drawn here:
it is of the kind of those that count, and none of them. What is seen is told in the very words of
the episodes that count.
"""

import random
from collections.abc import Iterator, Mapping
from typing import Any

ACTIONS = ("turn left", "turn right", "go forward", "pick up", "drop", "toggle")
DEFAULT = "go forward"
COLORS = ("red", "green", "blue", "purple", "yellow", "grey")
TYPES = ("box", "ball", "key")
SIDE = 8  # cells of a room, walls included
FARTHEST = 7  # cells in view, ahead and from side to side
HEADINGS = ((1, 0), (0, 1), (-1, 0), (0, -1))  # right, down, left, up
WALL = "wall"

Spot = tuple[int, int]
"""Steps to the right (left if negative) and steps forward; the agent stands at (0, 0)."""


def describe(cells: Mapping[Spot, str], carrying: str = "") -> str:
    """Return the lines of an observation.

    Args:
        cells: What is visible where, such as "red ball", "locked grey door", "wall"; an empty text
            for a visible cell without anything.
        carrying: What the agent holds; empty for nothing.
    """
    lines = [f"carrying a {carrying}"] if carrying else []
    for word, (right, forward) in (("forward", (0, 1)), ("left", (-1, 0)), ("right", (1, 0))):
        line = [cells.get((right * step, forward * step)) for step in range(1, FARTHEST)]
        distance = next((step for step, cell in enumerate(line, 1) if cell != ""), 0)
        if distance and line[distance - 1] == WALL:
            lines.append(f"a wall {_steps(distance, word)}")
    things = [(spot, cell) for spot, cell in cells.items() if cell not in ("", WALL)]
    things.sort(key=lambda thing: (abs(thing[0][0]) + thing[0][1], thing))
    for (right, forward), cell in things:
        parts = [_steps(abs(right), "right" if right > 0 else "left")] if right else []
        parts += [_steps(forward, "forward")] if forward else []
        lines.append(f"a {cell} {' and '.join(parts)}")
    return "\n".join(lines) or "nothing"


def _steps(count: int, direction: str) -> str:
    return f"{count} step{'' if count == 1 else 's'} {direction}"


class Thing:
    """A ball, box, key or door; each is itself, whatever its colour."""

    def __init__(self, color: str, kind: str, state: str = "") -> None:
        self.color = color
        self.kind = kind
        self.state = state

    def __str__(self) -> str:
        return f"{self.state} {self.color} {self.kind}".strip()

    def is_called(self, words: str) -> bool:
        """Tell whether "the red ball", "a ball" and the like can mean it."""
        name = words.split()[1:]
        return name[-1] == self.kind and (len(name) == 1 or name[0] == self.color)


class PracticeRoom:
    """A grid world and its mission."""

    def __init__(
        self, grid: dict[Spot, Thing | None], here: Spot, heading: int, mission: str, most: int
    ) -> None:
        """Keep a level.

        Args:
            grid: Every cell that is no wall, and what lies there.
            here: Cell of the agent.
            heading: Index in `HEADINGS`.
            mission: In words.
            most: Steps until it is over.
        """
        self.grid = grid
        self.here = here
        self.heading = heading
        self.mission = mission
        self.most = most
        self.steps = 0
        self.carrying: Thing | None = None
        self.success = False
        self._goals = [_goal(part, grid) for part in _parts(mission)]
        self._where = self._find()

    def meant(self) -> list[set[Thing]]:
        """Return what each object that the mission names can be."""
        sets = [set(objects) for _, objects, _ in self._goals]
        return sets + [set(others) for verb, _, others in self._goals if verb == "put"]

    def observe(self, previous: str = "", notice: str = "") -> dict[str, Any]:
        """Return what the agent is told."""
        carrying = str(self.carrying) if self.carrying else ""
        return {
            "instruction": self.mission,
            "observation": describe(self.view(), carrying),
            "prev_action": previous,
            "notice": notice,
            "steps_left": self.most - self.steps,
        }

    def act(self, action: str) -> None:
        """Take one step."""
        self.steps += 1
        held = self.carrying
        ahead = self._cell(0, 1)
        if action in ("turn left", "turn right"):
            self.heading = (self.heading + (1 if action == "turn right" else 3)) % 4
        elif ahead in self.grid:
            self._touch(action, ahead, self.grid[ahead])
        while self._goals and self._is_done(action, held):
            self._goals.pop(0)
        self.success = not self._goals

    def view(self) -> dict[Spot, str]:
        """Return the visible cells but the agent's own; walls and shut doors hide what follows."""
        seen = {(0, 0)}
        for forward in range(FARTHEST):
            for side in (1, -1):
                for right in range(-3 * side, 3 * side, side):
                    if (right, forward) in seen and self._is_clear(right, forward):
                        seen |= {
                            (right + side, forward),
                            (right + side, forward + 1),
                            (right, forward + 1),
                        }
        near = sorted(spot for spot in seen if spot != (0, 0) and spot[1] < FARTHEST)
        return {spot: self._name(*spot) for spot in near}

    def _cell(self, right: int, forward: int) -> Spot:
        (dx, dy), (x, y) = HEADINGS[self.heading], self.here
        return x + forward * dx - right * dy, y + forward * dy + right * dx

    def _name(self, right: int, forward: int) -> str:
        cell = self._cell(right, forward)
        return WALL if cell not in self.grid else str(self.grid[cell] or "")

    def _is_clear(self, right: int, forward: int) -> bool:
        cell = self._cell(right, forward)
        thing = self.grid.get(cell)
        return cell in self.grid and (thing is None or thing.state in ("", "open"))

    def _touch(self, action: str, ahead: Spot, thing: Thing | None) -> None:
        if action == "go forward" and (thing is None or thing.state == "open"):
            self.here = ahead
        elif action == "pick up" and thing and not thing.state and not self.carrying:
            self.carrying, self.grid[ahead] = thing, None
        elif action == "drop" and thing is None and self.carrying:
            self.grid[ahead], self.carrying = self.carrying, None
            self._where = self._find()
        elif action == "toggle" and thing and thing.kind == "box":
            self.grid[ahead] = None
        elif action == "toggle" and thing and thing.kind == "door":
            self._turn(thing)

    def _turn(self, door: Thing) -> None:
        key = self.carrying
        if door.state != "locked":
            door.state = "closed" if door.state == "open" else "open"
        elif key and (key.kind, key.color) == ("key", door.color):
            door.state = "open"

    def _find(self) -> dict[Thing, Spot]:
        return {thing: cell for cell, thing in self.grid.items() if thing}

    def _is_done(self, action: str, held: Thing | None) -> bool:
        verb, objects, others = self._goals[0]
        ahead = self._cell(0, 1)
        thing = self.grid.get(ahead)
        if verb == "go to":
            return ahead in [self._where.get(goal) for goal in objects]
        if verb == "pick up":
            return action == "pick up" and held is None and self.carrying in objects
        if verb == "open":
            return action == "toggle" and thing in objects and str(thing).startswith("open")
        if action != "drop" or held not in objects or self.carrying:
            return False
        x, y = ahead
        beside = {(x + dx, y + dy) for dx, dy in HEADINGS}
        return any(self._where.get(other) in beside for other in others)


def _parts(mission: str) -> list[str]:
    """Return the parts of a mission in the order in which they are to be done."""
    last, after, first = mission.partition(" after you ")
    return [first, last] if after else mission.split(", then ")


def _goal(part: str, grid: Mapping[Spot, Thing | None]) -> tuple[str, list[Thing], list[Thing]]:
    verb = next(verb for verb in ("go to", "pick up", "open", "put") if part.startswith(verb))
    names = part.removeprefix(verb).split(" next to ")
    meant = [[thing for thing in grid.values() if thing and thing.is_called(n)] for n in names]
    return verb, meant[0], meant[-1]


def draw_room(family: str, rng: random.Random) -> PracticeRoom:
    """Draw a level of a family.

    Args:
        family: goto, pickup, open, putnext or pickup_then_goto.
        rng: Where it comes from.
    """
    rooms = 2 if family == "open" else 1
    grid: dict[Spot, Thing | None] = {
        (x, y): None for x in range(1, rooms * (SIDE - 1)) for y in range(1, SIDE - 1)
    }
    first = 0
    if rooms == 2:
        for y in range(1, SIDE - 1):
            del grid[SIDE - 1, y]
        door = Thing(rng.choice(COLORS), "door", "locked")
        grid[SIDE - 1, rng.randrange(1, SIDE - 1)] = door
        first = rng.choice((0, SIDE - 1))
        things = [Thing(door.color, "key")]
    else:
        count = 1 if family in ("goto", "pickup") else 2
        things = [Thing(rng.choice(COLORS), rng.choice(TYPES)) for _ in range(count)]
    free = [(x, y) for x, y in grid if first < x < first + SIDE - 1]
    *cells, here = rng.sample(free, len(things) + 1)
    grid.update(zip(cells, things, strict=True))
    mission = _mission(family, [thing for thing in grid.values() if thing], rng)
    goals = 2 if len(things) > 1 else 1
    room = PracticeRoom(grid, here, rng.randrange(4), mission, goals * rooms * SIDE * SIDE)
    return draw_room(family, rng) if any(_flaws(room, cells)) else room


def _flaws(room: PracticeRoom, cells: list[Spot]) -> Iterator[bool]:
    """Levels that would be done at the start, or whose mission could mean one thing twice."""
    yield room.view().get((0, 1)) not in ("", WALL)
    if len(cells) > 1:
        yield sum(abs(a - b) for a, b in zip(*cells, strict=True)) == 1
        first, second = room.meant()
        yield bool(first & second)


def _mission(family: str, things: list[Thing], rng: random.Random) -> str:
    if family == "open":
        things = [thing for thing in things if thing.kind == "door"]
    rng.shuffle(things)
    names: list[str] = []
    for thing in things:
        name = thing.kind if rng.random() < 1 / 7 else f"{thing.color} {thing.kind}"
        same = [other for other in things if other.is_called(f"the {name}")]
        names.append(f"{'a' if len(same) > 1 else 'the'} {name}")
    if family == "putnext":
        return f"put {names[0]} next to {names[1]}"
    if family == "pickup_then_goto":
        pick_up, go_to = f"pick up {names[0]}", f"go to {names[1]}"
        return rng.choice((f"{pick_up}, then {go_to}", f"{go_to} after you {pick_up}"))
    verbs = {"goto": "go to", "pickup": "pick up", "open": "open"}
    return f"{verbs[family]} {names[0]}"


def play(inputs: dict[str, Any], agent: Any) -> float:
    """Play one practice episode with an agent: 1 if its mission is accomplished, else 0."""
    rng = random.Random(f"practice/{inputs['family']}/{inputs['seed']}")  # noqa: S311 - levels, not secrets
    room = draw_room(inputs["family"], rng)
    previous = notice = ""
    while room.steps < room.most and not room.success:
        answer, _ = agent.forward(room.observe(previous, notice))
        previous = str(answer).strip().lower()
        notice = "" if previous in ACTIONS else f"this was no action; {DEFAULT} was taken"
        previous = DEFAULT if notice else previous
        room.act(previous)
    return float(room.success)
