"""Tunes the floating-point constants of a task agent on labelled items, without any model.

The agent's source is compiled once with each constant replaced by a slot, so that a variant costs
one exec. An item's *slack* says how firmly it is answered: how far, relatively, the most
influential constant (the pivot) has to move until the item turns from right to wrong; negative,
how far until it turns right. The search climbs the sum of slacks, each capped, so that it works
on what is wrong or barely right and leaves the rest alone. Once all have reached the cap, the cap
is doubled: equally good constants are told apart by how firm they are. If nothing was firmer, the
result is some variant that is as right as the start, so that the search does not stand still.

Order: {"code", "items", "mates", "trials", "spread", "share", "seed"}.
Result: {"status", "before", "after", "items", "changes": [[line, start, end, old, new]]}.
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
from typing import Any, NamedTuple

REACH = 0.16  # how far the pivot is moved to measure a slack, relative to its value
HALVINGS = 6
FIRST_CAP = 0.02
LAST_CAP = 0.04

Values = tuple[float, ...]


class Spot(NamedTuple):
    """Where a constant stands: line from 1, byte columns within it, and its value."""

    line: int
    start: int
    end: int
    value: float


class Slots(ast.NodeTransformer):
    """Replaces each floating-point literal by `_slots[i]` and remembers where it stood."""

    def __init__(self) -> None:
        self.spots: list[Spot] = []

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Make a slot of a float."""
        if type(node.value) is not float or node.end_col_offset is None:
            return node
        self.spots.append(Spot(node.lineno, node.col_offset, node.end_col_offset, node.value))
        index = ast.Constant(len(self.spots) - 1)
        slot = ast.Subscript(ast.Name("_slots", ast.Load()), index, ast.Load())
        return ast.copy_location(slot, node)

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        """Leave patterns alone: a slot is no pattern."""
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Leave f-strings alone: positions inside them are not reliable."""
        return node


def slotted(source: str) -> tuple[CodeType, list[Spot]]:
    """Compile a source with slots for its constants."""
    slots = Slots()
    tree = ast.fix_missing_locations(slots.visit(ast.parse(source)))
    return compile(tree, "task_agent.py", "exec"), slots.spots


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

    def __init__(self, program: CodeType, items: list[dict[str, Any]]) -> None:
        self.program = program
        self.items = items
        self.pivot = 0

    def agent(self, values: Values) -> Any:
        """Make the task agent of a variant; None if its code does not even load."""
        space: dict[str, Any] = {"__name__": "task_agent", "_slots": values}
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
        """Find the constant whose move by a tenth turns most items."""
        base = self.right(values)
        turned = [
            differing(base, self.right(moved(values, i, 0.9)))
            + differing(base, self.right(moved(values, i, 1.1)))
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
    return (*values[:index], values[index] * factor, *values[index + 1 :])


def tidy(value: float) -> float:
    """Round to what a person would write."""
    return float(f"{value:.3g}")


def direction(
    values: Values, mates: list[Values], order: dict[str, Any], rng: random.Random
) -> Values:
    """Draw a step in log space: towards or away from a mate, or at random on some constants."""
    if mates and rng.random() < 0.5:
        mate = rng.choice(mates)
        pull = rng.uniform(0.2, 1.0)
        return tuple(pull * log_ratio(m, v) for m, v in zip(mate, values, strict=True))
    chosen = [rng.random() < order["share"] for _ in values]
    return tuple(rng.gauss(0, order["spread"]) if c else 0.0 for c in chosen)


def log_ratio(mate: float, value: float) -> float:
    """How far a mate's constant is away, in log space; 0 where that makes no sense."""
    return math.log(mate / value) if mate > 0 and value > 0 else 0.0


def step(values: Values, move: Values) -> Values:
    """Take a step in log space."""
    return tuple(tidy(v * math.exp(m)) for v, m in zip(values, move, strict=True))


class Walk:
    """A climb on capped slack: a step that helps is repeated longer, one that hurts is turned."""

    def __init__(self, bench: Bench, start: Values, mates: list[Values], order: dict[str, Any]):
        self.bench, self.mates, self.order = bench, mates, order
        self.rng = random.Random(order["seed"])  # noqa: S311 - a search, no secret
        self.start = self.best = start
        self.equals: list[Values] = []
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
        self.move = direction(self.best, self.mates, self.order, self.rng)
        self.may_reverse = True

    def advance(self) -> None:
        """Try one variant."""
        candidate = step(self.best, self.move)
        slacks = self.bench.slacks(candidate)
        score = self.capped(slacks)
        self.equals += [candidate] if count_right(slacks) >= self.right else []
        if score > self.score:
            self.best, self.score = candidate, score
            self.move, self.may_reverse = scaled(self.move, 1.3), False
        elif self.may_reverse:
            self.move, self.may_reverse = scaled(self.move, -1.0), False
        else:
            self.turn_to_fresh_step()

    def outcome(self) -> Values:
        """The best variant; if none was better, some variant that gets as many items right."""
        if self.best != self.start or not self.equals:
            return self.best
        return self.rng.choice(self.equals)


def count_right(slacks: list[float]) -> int:
    """Count items that are answered as labelled."""
    return sum(slack > 0 for slack in slacks)


def scaled(move: Values, factor: float) -> Values:
    """Make a step longer, shorter or reverse it."""
    return tuple(factor * m for m in move)


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


def mate_values(paths: list[str], spots: list[Spot]) -> list[Values]:
    """Constants of other task agents that have as many of them."""
    found: list[Values] = []
    for path in paths:
        with contextlib.suppress(OSError, SyntaxError, ValueError):
            others = slotted(read_source(path))[1]
            found += [tuple(s.value for s in others)] if len(others) == len(spots) else []
    return found


def tune(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    source = read_source(order["code"])
    if asks_model(source):
        return {"status": "asks_model"}
    program, spots = slotted(source)
    bench = Bench(program, read_items(order["items"]))
    start = tuple(spot.value for spot in spots)
    if not spots or not bench.items:
        return {"status": "nothing_to_tune"}
    bench.find_pivot(start)
    mates = [values for values in mate_values(order["mates"], spots) if values != start]
    walk = Walk(bench, start, mates, order)
    for _ in range(order["trials"]):
        walk.advance()
    return report(bench, spots, walk.outcome())


def report(bench: Bench, spots: list[Spot], best: Values) -> dict[str, Any]:
    """Say what was found."""
    start = tuple(spot.value for spot in spots)
    return {
        "status": "tuned" if best != start else "unchanged",
        "before": sum(bench.right(start)),
        "after": sum(bench.right(best)),
        "items": len(bench.items),
        "changes": changes(spots, best),
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
