"""Writes units of another task agent in other words: the same meaning, other text.

Helpers: edits, surgery, bench, judging, units. Local names change, documentation goes, branches
swap, comparisons turn round, augmented assignments are written out, numbers are written as sums and
quotients with exactly the same value.

Order: {"code", "items", "mate", "share", "seed"}.
Result: {"status", "taken", "old", "new"}.
"""

import ast
import decimal
import math
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyperspace.offline.edits import smallest_edit
    from hyperspace.offline.inside.bench import asks_model, load, read_items, run
    from hyperspace.offline.inside.judging import Judge
    from hyperspace.offline.inside.units import Unit, differing, transplant, units

TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}
PREFIXES = ("my", "own", "this")


class Rewriter(ast.NodeTransformer):
    """Says the same in other words."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Rename a local."""
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Write an augmented assignment to a name out."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Turn a comparison round."""
        self.generic_visit(node)
        turned = TURNED.get(type(node.ops[0]))
        if len(node.ops) != 1 or turned is None:
            return node
        return ast.copy_location(ast.Compare(node.comparators[0], [turned()], [node.left]), node)

    def visit_If(self, node: ast.If) -> ast.AST:
        """Swap the branches."""
        self.generic_visit(node)
        test = ast.UnaryOp(ast.Not(), node.test)
        return ast.copy_location(ast.If(test, node.orelse or [ast.Pass()], node.body), node)

    def visit_Return(self, node: ast.Return) -> Any:
        """Name what is returned first."""
        self.generic_visit(node)
        if node.value is None:
            return node
        named = ast.Assign([ast.Name("outcome", ast.Store())], node.value)
        return [named, ast.Return(ast.Name("outcome", ast.Load()))]

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Write a number in another way."""
        value = node.value
        if type(value) is int:
            new: ast.expr = ast.BinOp(ast.Constant(value + 1), ast.Sub(), ast.Constant(1))
        elif type(value) is float and math.isfinite(value):
            new = quotient(value) or node
        else:
            return node
        return ast.copy_location(new, node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Rename in f-strings, and change nothing else there."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                part.id = self.names.get(part.id, part.id)
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """Leave patterns alone."""
        return node


def quotient(value: float) -> ast.expr | None:
    """A float as a quotient of whole numbers with exactly its value; None if there is none."""
    digits = -int(decimal.Decimal(repr(value)).as_tuple().exponent)
    top, bottom = round(value * 10**digits) if 0 <= digits < 16 else 0, 10 ** max(digits, 0)
    if top == 0 or top / bottom != value:
        return None
    return ast.BinOp(ast.Constant(top), ast.Div(), ast.Constant(bottom))


def renamed(tree: ast.AST, prefix: str) -> dict[str, str]:
    """New names for the locals of functions; names that are bound in any other way stay."""
    fixed: set[str | None] = set()
    stored: set[str] = set()
    for node in ast.walk(tree):
        fixed.update(bound_otherwise(node))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = (part for statement in node.body for part in ast.walk(statement))
            stored |= {p.id for p in inner if isinstance(p, ast.Name) and is_bound(p)}
    return {name: f"{prefix}_{name}" for name in sorted(stored - fixed)}


def bound_otherwise(node: ast.AST) -> list[str | None]:
    """Names that a node binds by text and not by a name node."""
    match node:
        case ast.arg(arg=name):
            return [name]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return [*names]
        case ast.alias(name=name, asname=other):
            return [name, other]
        case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return [name]
        case _:
            return []


def is_bound(name: ast.Name) -> bool:
    """Whether a name is assigned where it stands."""
    return isinstance(name.ctx, ast.Store)


def undocumented(tree: ast.AST) -> None:
    """Take out documentation, where something else is left."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            kept = [s for s in node.body if not is_documentation(s)]
            node.body = kept or [ast.Pass()]


def is_documentation(node: ast.stmt) -> bool:
    """Whether a statement is a string that stands alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def rephrase(unit: Unit, prefix: str) -> Unit:
    """Say the same in other words; imports and what cannot be read alone stay as they are."""
    if unit.is_import:
        return unit
    tree = ast.parse(unit.core)
    undocumented(tree)
    other = ast.fix_missing_locations(Rewriter(renamed(tree, prefix)).visit(tree))
    return unit._replace(text=ast.unparse(other) + "\n")


def means_the_same(text: str, model: str, order: dict[str, Any]) -> bool:
    """Whether a text loads and, where that can be tried, is as far off as what it rewrites."""
    if load(text) is None:
        return False
    if asks_model(text):
        return True
    judge = Judge(read_items(order["items"]))
    return judge.measure(text).loss == judge.measure(model).loss


def work(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    source, mate = (Path(order[name]).read_bytes().decode() for name in ("code", "mate"))
    rng = random.Random(order["seed"])  # noqa: S311 - a choice, no secret
    own, other = units(source), units(mate)
    names = differing(own, other)
    if not names:
        return {"status": "unchanged"}
    chosen = rng.sample(names, math.ceil(order["share"] * len(names)))
    taken = [name for name in names if name in chosen]
    prefix = rng.choice(PREFIXES)
    reworded = {name: rephrase(unit, prefix) for name, unit in other.items()}
    target = transplant(source, reworded, taken)
    edit = smallest_edit(source, target)
    if edit is None or not means_the_same(target, transplant(source, other, taken), order):
        return {"status": "unchanged"}
    return {"status": "rewritten", "taken": taken, "old": edit.old, "new": edit.new}


run(work)
