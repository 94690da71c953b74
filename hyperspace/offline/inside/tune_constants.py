"""Tunes the numbers of a task agent on labelled items, without any model.

Helpers: literals, which says what numbers those are. The agent's source is compiled once with each
of them replaced by a slot, so that a variant costs one exec. An item's *slack* says how firmly it
is answered: how far, relatively, the most influential constant (the pivot) has to move until the
item turns from right to wrong; negative, how far until it turns right. The search climbs the sum of
slacks, each capped, so that it works on what is wrong or barely right and leaves the rest alone.
Once all have reached the cap, the cap is doubled: equally good constants are told apart by how firm
they are. If nothing was firmer, the result is some variant that is as right as the start, so that
the search does not stand still.

Order: {"code", "items", "mates", "trials", "spread", "share", "seed"}.
Result: {"status", "before", "after", "items", "changes": [[line, start, end, old, new]], "mates":
[[number, percent]]}. The last says towards which mates the result was moved, as percent of the way
to their constants; it is negative for a result that was moved away from them.
"""

import ast
import contextlib
import io
import json
import math
import random
import sys
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hyperspace.offline.inside.literals import Spot, Values, scaled, slotted, tidy

REACH = 0.16  # how far the pivot is moved to measure a slack, relative to its value
HALVINGS = 6
FIRST_CAP = 0.02
LAST_CAP = 0.04
PROBE = 0.1  # how far a constant is moved to see what it turns
MATING = 0.5  # share of steps towards a mate, where there are mates
LEAST_PULL = 0.2  # of the way to it
GROWTH = 1.3  # of a step that helped


class PeerConstants(NamedTuple):
    """Another task agent with as many constants; `number` is its place in the order, from 0."""

    number: int
    values: Values


class Move(NamedTuple):
    """A step in log space, and the mate that gave its direction, if one did."""

    by: Values
    mate: PeerConstants | None


class Variant(NamedTuple):
    """Constants, and the mates whose direction they were moved in."""

    values: Values
    mates: tuple[PeerConstants, ...] = ()


def asks_model(source: str) -> bool:
    """Whether the code imports the agent runtime, which is how it reaches a model."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "agent":
            return True
        if isinstance(node, ast.Import) and any(
            n.name.split(".")[0] == "agent" for n in node.names
        ):
            return True
    return False


class Bench:
    """Runs variants of one task agent on labelled items and counts what it costs."""

    def __init__(self, program: CodeType, spots: list[Spot], items: list[dict[str, Any]]) -> None:
        self.program = program
        self.spots = spots
        self.items = items
        self.pivot = 0

    def agent(self, values: Values) -> Any:
        """Make the task agent of a variant; None if its code does not even load."""
        slots = [spot.literal(value) for spot, value in zip(self.spots, values, strict=True)]
        space: dict[str, Any] = {"__name__": "task_agent", "_slots": slots}
        try:
            exec(self.program, space)  # noqa: S102 - the agent's own code, in its own sandbox
            return space["TaskAgent"]("offline")
        except Exception:  # a variant may fail in any way; then it answers nothing
            return None

    def is_right(self, agent: Any, item: dict[str, Any]) -> bool:
        """Whether an agent answers an item as labelled."""
        try:
            prediction = agent.forward(dict(item["inputs"]))[0]
            return bool(prediction.strip().lower() == item["label"].strip().lower())
        except Exception:  # as above
            return False

    def right(self, values: Values) -> list[bool]:
        """Which items a variant answers as labelled."""
        agent = self.agent(values)
        return [self.is_right(agent, item) for item in self.items]

    def find_pivot(self, values: Values) -> None:
        """Find the constant whose move by PROBE turns most items."""
        base = self.right(values)
        turned = [
            differing(base, self.right(moved(values, i, 1 - PROBE)))
            + differing(base, self.right(moved(values, i, 1 + PROBE)))
            for i in range(len(values))
        ]
        self.pivot = turned.index(max(turned))

    def slacks(self, values: Values) -> list[float]:
        """The slack of each item, between -REACH and REACH."""
        agents: dict[float, Any] = {}

        def right_at(move: float, item: dict[str, Any]) -> bool:
            if move not in agents:
                agents[move] = self.agent(moved(values, self.pivot, 1 + move))
            return self.is_right(agents[move], item)

        return [self.slack(right_at, item) for item in self.items]

    def slack(self, right_at: Any, item: dict[str, Any]) -> float:
        """One item's slack, by halving the interval in which it turns."""
        now = right_at(0.0, item)
        turns = [side for side in (-REACH, REACH) if right_at(side, item) != now]
        distances = [abs(self.turn(right_at, item, now, side)) for side in turns]
        distance = min(distances, default=REACH)
        return distance if now else -distance

    def turn(self, right_at: Any, item: dict[str, Any], now: bool, side: float) -> float:
        """Where between 0 and `side` an item turns."""
        near, far = 0.0, side
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if right_at(middle, item) == now else (near, middle)
        return (near + far) / 2


def differing(a: list[bool], b: list[bool]) -> int:
    """Count places where two lists differ."""
    return sum(x != y for x, y in zip(a, b, strict=True))


def moved(values: Values, index: int, factor: float) -> Values:
    """Multiply one value."""
    return (*values[:index], scaled(values[index], factor), *values[index + 1 :])


def direction(
    values: Values, mates: list[PeerConstants], order: dict[str, Any], rng: random.Random
) -> Move:
    """Draw a step: towards a mate (away, once it is reversed), or at random on some constants."""
    if mates and rng.random() < MATING:
        mate = rng.choice(mates)
        pull = rng.uniform(LEAST_PULL, 1.0)
        way = distances(values, mate.values)
        return Move(tuple(pull * distance for distance in way), mate)
    chosen = [rng.random() < order["share"] for _ in values]
    return Move(tuple(rng.gauss(0, order["spread"]) if c else 0.0 for c in chosen), None)


def distances(values: Values, others: Values) -> Values:
    """How far other constants are away, in log space; 0 where a sign or a zero lies between."""
    pairs = zip(values, others, strict=True)
    return tuple(math.log(other / value) if other * value > 0 else 0.0 for value, other in pairs)


def step(values: Values, move: Values) -> Values:
    """Take a step in log space."""
    return tuple(tidy(scaled(v, math.exp(m))) for v, m in zip(values, move, strict=True))


def percent_of_way(start: Values, end: Values, mate: Values) -> int:
    """How far the end lies on the way from the start to a mate, in percent of that way."""
    whole, gone = distances(start, mate), distances(start, end)
    length = sum(distance * distance for distance in whole)
    covered = sum(a * b for a, b in zip(whole, gone, strict=True))
    return round(100 * covered / length) if length else 0


class Walk:
    """A climb on capped slack: a step that helps is repeated longer, one that hurts is turned."""

    def __init__(
        self, bench: Bench, start: Values, mates: list[PeerConstants], order: dict[str, Any]
    ) -> None:
        self.bench, self.mates, self.order = bench, mates, order
        self.rng = random.Random(order["seed"])  # noqa: S311 - a search, no secret
        self.start = self.best = Variant(start)
        self.equals: list[Variant] = []
        slacks = bench.slacks(start)
        self.right = count_right(slacks)
        self.cap = cap_for(slacks)
        self.score = self.capped(slacks)
        self.turn_to_fresh_step()

    def capped(self, slacks: list[float]) -> float:
        """What is climbed."""
        return sum(min(slack, self.cap) for slack in slacks)

    def turn_to_fresh_step(self) -> None:
        """Draw the next step."""
        self.move = direction(self.best.values, self.mates, self.order, self.rng)
        self.may_reverse = True

    def advance(self) -> None:
        """Try one variant."""
        by, mate = self.move
        mates = self.best.mates if mate is None else (*self.best.mates, mate)
        candidate = Variant(step(self.best.values, by), mates)
        slacks = self.bench.slacks(candidate.values)
        score = self.capped(slacks)
        self.equals += [candidate] if count_right(slacks) >= self.right else []
        if score > self.score:
            self.best, self.score = candidate, score
            self.move, self.may_reverse = longer(self.move, GROWTH), False
        elif self.may_reverse:
            self.move, self.may_reverse = longer(self.move, -1.0), False
        else:
            self.turn_to_fresh_step()

    def outcome(self) -> Variant:
        """The best variant; if none was better, some variant that gets as many items right."""
        if self.best.values != self.start.values or not self.equals:
            return self.best
        return self.rng.choice(self.equals)


def count_right(slacks: list[float]) -> int:
    """Count items that are answered as labelled."""
    return sum(slack > 0 for slack in slacks)


def longer(move: Move, factor: float) -> Move:
    """Make a step longer or reverse it."""
    return move._replace(by=tuple(factor * m for m in move.by))


def cap_for(slacks: list[float]) -> float:
    """The smallest doubling of the cap that not every item has reached."""
    cap = FIRST_CAP
    while cap < LAST_CAP and min(slacks) >= cap:
        cap *= 2
    return cap


def read_items(path: str) -> list[dict[str, Any]]:
    """Read labelled items, one JSON object a line."""
    return [json.loads(line) for line in Path(path).read_bytes().splitlines() if line.strip()]


def read_source(path: str) -> str:
    """Read source text; line ends stay as they are."""
    return Path(path).read_bytes().decode()


def read_mates(order: dict[str, Any], start: Values, labels: set[str]) -> list[PeerConstants]:
    """Other task agents that have as many constants, with other values."""
    mates: list[PeerConstants] = []
    for number, path in enumerate(order["mates"]):
        with contextlib.suppress(OSError, SyntaxError, ValueError):
            values = tuple(spot.value for spot in slotted(read_source(path), labels)[1])
            if len(values) == len(start) and values != start:
                mates.append(PeerConstants(number, values))
    return mates


def tune(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    source = read_source(order["code"])
    if asks_model(source):
        return {"status": "asks_model"}
    items = read_items(order["items"])
    labels = {str(item["label"]).strip().lower() for item in items}
    program, spots = slotted(source, labels)
    if not spots or not items:
        return {"status": "nothing_to_tune"}
    bench = Bench(program, spots, items)
    start = tuple(spot.value for spot in spots)
    bench.find_pivot(start)
    walk = Walk(bench, start, read_mates(order, start, labels), order)
    for _ in range(order["trials"]):
        walk.advance()
    return report(bench, start, walk.outcome())


def report(bench: Bench, start: Values, best: Variant) -> dict[str, Any]:
    """Say what the search came to."""
    mates = dict.fromkeys(best.mates)
    return {
        "status": "tuned" if best.values != start else "unchanged",
        "before": sum(bench.right(start)),
        "after": sum(bench.right(best.values)),
        "items": len(bench.items),
        "changes": changes(bench.spots, best.values),
        "mates": [[m.number, percent_of_way(start, best.values, m.values)] for m in mates],
    }


def changes(spots: list[Spot], values: Values) -> list[list[Any]]:
    """What to write where."""
    return [
        [s.line, s.start, s.end, s.value, v]
        for s, v in zip(spots, values, strict=True)
        if v != s.value
    ]


def main() -> None:
    """Carry out the order of the command line; what agents print is dropped."""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            result = tune(json.loads(sys.argv[1]))
        except (OSError, SyntaxError, ValueError, KeyError) as error:
            result = {"status": "failed", "error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(f"RESULT {json.dumps(result)}\n")


main()
