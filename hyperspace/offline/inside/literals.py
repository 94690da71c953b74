"""Finds the numbers of a source that are parameters, and compiles it with slots for them.

A helper: it stands before a program in the text that is sent. A parameter is a number that stands
in the source as a float, as a decimal whole number or as a percentage in a string of its own
("35%"), its minus sign included, in tables as elsewhere. These are none: what stands in an index,
a slice, an annotation, a pattern, an f-string or documentation; what is assigned to a name with
double underscores or with "version" in it; percentages that are labels. And whole numbers are none
as keys of a table, within `while` (moved, it might not end) and as arguments of COUNTING; nor are
hexadecimal, octal and binary ones.
"""

import ast
import math
import re
from collections.abc import Collection, Iterator
from types import CodeType
from typing import NamedTuple

COUNTING = frozenset(("range", "round", "enumerate", "islice", "split", "rsplit", "seed", "Random"))
DECIMAL = re.compile(r"\d[\d_]*")
PERCENTAGE = re.compile(r"""([rRuU]?(?P<quote>['"])\s*)(-?\d+(?:\.\d+)?)(\s*%\s*)(?P=quote)""")

Values = tuple[float, ...]


class Spot(NamedTuple):
    """Where a number stands: line from 1, byte columns within it, its value, and what it is in.

    `before` and `behind` are what a string holds around it; both are empty for a plain number.
    """

    line: int
    start: int
    end: int
    value: float
    before: str = ""
    behind: str = ""

    def literal(self, value: float) -> float | str:
        """What the source means with another number in this spot."""
        return f"{self.before}{value!r}{self.behind}" if self.behind else value


class Slots(ast.NodeTransformer):
    """Replaces each parameter by `_slots[i]` and remembers where it stood."""

    def __init__(self, source: str, tree: ast.AST, labels: Collection[str]) -> None:
        self.lines = [line.encode() for line in source.split("\n")]
        self.labels = labels
        parts = [*structure(tree)]
        self.skipped = {id(node) for part in parts for node in ast.walk(part)}
        self.counts = {id(node) for part in counting(tree) for node in ast.walk(part)}
        self.spots: list[Spot] = []

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Make a slot of a parameter."""
        return self.slot(node, self.spot(node))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Make one slot of a number and its minus sign."""
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            spot = self.spot(node.operand)
            head = self.lines[node.lineno - 1][: node.col_offset].decode()
            is_apart = not (head[-1:].isalnum() or head.endswith("_"))
            if spot and not spot.behind and node.lineno == spot.line and is_apart:
                return self.slot(node, spot._replace(start=node.col_offset, value=-spot.value))
        return self.generic_visit(node)

    def slot(self, node: ast.expr, spot: Spot | None) -> ast.AST:
        """A slot in place of a node; the node itself if it is no parameter."""
        if spot is None:
            return node
        self.spots.append(spot)
        index = ast.Constant(len(self.spots) - 1)
        slot = ast.Subscript(ast.Name("_slots", ast.Load()), index, ast.Load())
        return ast.copy_location(slot, node)

    def spot(self, node: ast.Constant) -> Spot | None:
        """Where a constant stands; None if it is no parameter."""
        if id(node) in self.skipped or node.end_lineno != node.lineno:
            return None
        line, start, end = node.lineno, node.col_offset, int(node.end_col_offset or 0)
        text = self.lines[line - 1][start:end].decode()
        value = node.value
        if type(value) is float and math.isfinite(value):
            return Spot(line, start, end, value)
        if type(value) is int and DECIMAL.fullmatch(text) and id(node) not in self.counts:
            return Spot(line, start, end, value)
        match = PERCENTAGE.fullmatch(text) if isinstance(value, str) else None
        if match is None or str(value).strip().lower() in self.labels:
            return None
        number = float(match[3]) if "." in match[3] else int(match[3])
        before, _, behind = str(value).partition(match[3])
        return Spot(line, start + match.start(3), start + match.end(3), number, before, behind)


def structure(tree: ast.AST) -> Iterator[ast.AST]:
    """The parts of a source in which no number is a parameter."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(slice=part) | ast.match_case(pattern=part):
                yield part
            case ast.JoinedStr() | ast.Expr(value=ast.Constant()):
                yield node
            case ast.Assign(targets=[ast.Name(id=name)]) if is_apart_name(name):
                yield node
            case ast.AnnAssign(target=ast.Name(id=name)) if is_apart_name(name):
                yield node
            case (
                ast.AnnAssign(annotation=ast.expr() as part)
                | ast.arg(annotation=ast.expr() as part)
                | ast.FunctionDef(returns=ast.expr() as part)
            ):
                yield part
            case _:
                pass


def is_apart_name(name: str) -> bool:
    """Whether a name says that what it holds is no parameter."""
    return name.startswith("__") or "version" in name.lower()


def counting(tree: ast.AST) -> Iterator[ast.AST]:
    """The parts of a source in which no whole number is a parameter."""
    for node in ast.walk(tree):
        match node:
            case ast.While():
                yield node
            case ast.Dict(keys=keys):
                yield from (key for key in keys if key is not None)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in COUNTING:
                yield from node.args
            case _:
                pass


def slotted(source: str, labels: Collection[str]) -> tuple[CodeType, list[Spot]]:
    """Compile a source with slots for its parameters."""
    tree = ast.parse(source)
    slots = Slots(source, tree, labels)
    tree = ast.fix_missing_locations(slots.visit(tree))
    return compile(tree, "task_agent.py", "exec"), slots.spots


def scaled(value: float, factor: float) -> float:
    """Multiply a number; a whole one stays whole and moves by at least 1, zero moves beside 0."""
    if factor == 1.0:
        return value
    if isinstance(value, int):
        away = 1 if (factor > 1) == (value >= 0) else -1
        new = round(value * factor)
        return new if new != value else value + away
    return value * factor if value else factor - 1


def tidy(value: float) -> float:
    """Round to what a person would write."""
    return value if isinstance(value, int) else float(f"{value:.3g}")
