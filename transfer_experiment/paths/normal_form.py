"""Python source in a form that names, notes, types and layout do not change.

Each function, class and table of a module has a form of its own: names in the order in which they
appear, without docstrings and annotations, comparisons in one direction, and the operands of sums
and products in one order. Two of one form do the same under other names. Nothing is run.
"""

import ast
import builtins
from collections import Counter
from functools import lru_cache
from typing import Final, NamedTuple

from guards.parsing import parse_python
from transfer_experiment.similarity.cache import TEXTS_AT_HAND

_LARGEST: Final = 300_000  # characters; of a longer text no form is made
_SMALLEST_UNIT: Final = 20  # nodes; smaller ones are alike by chance
_BUILTINS: Final = frozenset(dir(builtins))
_WITH_DOCSTRING: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}


class CodePart(NamedTuple):
    """A function, a class or an assignment at the top of a module.

    Attributes:
        form: Its form.
        first: Its first line, from 1.
        last: Its last line.
        is_large: Whether it is too large to be alike by chance.
    """

    form: str
    first: int
    last: int
    is_large: bool


class NormalForm(NamedTuple):
    """The form of a module.

    Attributes:
        units: Its units in order.
        literals: Its unusual constants, each with the lines on which it stands: numbers of two
            digits or more that are no powers of ten, and texts.
    """

    units: tuple[CodePart, ...]
    literals: dict[str, tuple[int, ...]]

    @property
    def text(self) -> str:
        """All of it as one text, in the order of the units' forms: their own order tells little."""
        return "\n".join(sorted(unit.form for unit in self.units))


@lru_cache(maxsize=TEXTS_AT_HAND)
def normal_form(source: str) -> NormalForm | None:
    """Take a module apart; None if it is too long or no Python that can be read."""
    if len(source) > _LARGEST:
        return None
    try:
        module = parse_python(source)
        literals = _literals(module)
        return NormalForm(tuple(map(_unit, _statements(module))), literals)
    except (SyntaxError, RecursionError):  # what can be parsed may be too deep to be walked
        return None


def shared_literals(mine: NormalForm, theirs: NormalForm) -> Counter[str]:
    """The unusual constants that two modules share, as often as both have them."""
    counts = (Counter({c: len(at) for c, at in form.literals.items()}) for form in (mine, theirs))
    return next(counts) & next(counts)


def _statements(module: ast.Module) -> list[ast.stmt]:
    skipped = (ast.Import, ast.ImportFrom)
    return [
        statement
        for statement in module.body
        if not isinstance(statement, skipped) and not _is_text(statement)
    ]


def _unit(statement: ast.stmt) -> CodePart:
    nodes = sum(1 for _ in ast.walk(statement))
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    turned = _InOneDirection().visit(statement)
    renamed = _InOrder().visit(turned)
    return CodePart(ast.dump(renamed), first, last, nodes >= _SMALLEST_UNIT)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _literals(module: ast.Module) -> dict[str, tuple[int, ...]]:
    docstrings = {
        id(statement.value)
        for node in ast.walk(module)
        if isinstance(node, _WITH_DOCSTRING)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    found: dict[str, list[int]] = {}
    for node in ast.walk(module):
        if (
            isinstance(node, ast.Constant)
            and id(node) not in docstrings
            and _is_unusual(node.value)
        ):
            found.setdefault(repr(node.value), []).append(node.lineno)
    return {literal: tuple(lines) for literal, lines in found.items()}


def _is_unusual(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    digits = f"{value:g}".strip("-").replace(".", "").split("e")[0].strip("0")
    return len(digits) > 1


class _InOneDirection(ast.NodeTransformer):
    """Turns comparisons round, orders operands, and leaves notes and types out."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.body = [s for s in node.body if not _is_text(s)] or node.body[:1]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return self.generic_visit(node)
        return self.generic_visit(ast.Assign([node.target], node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        return self.generic_visit(
            ast.Assign([node.target], ast.BinOp(node.target, node.op, node.value))
        )

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        turned = _TURNED.get(type(node.ops[0])) if len(node.ops) == 1 else None
        if turned is not None:
            return ast.Compare(node.comparators[0], [turned()], [node.left])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Mult):
            node.left, node.right = sorted((node.left, node.right), key=_without_names)
        return node


class _InOrder(ast.NodeTransformer):
    """Gives names in the order in which they appear; those of Python itself stay."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._name(node.id), ast.Load())

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._name(node.arg))

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        return ast.keyword(node.arg and self._name(node.arg), self.visit(node.value))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self._name(node.name)
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self._name(node.name)
        return self.generic_visit(node)

    def _name(self, name: str) -> str:
        if name in _BUILTINS:
            return name
        return self._names.setdefault(name, f"n{len(self._names)}")


def _without_names(node: ast.AST) -> str:
    """The form of an operand, whatever its names."""
    kinds = (
        repr(inner.value) if isinstance(inner, ast.Constant) else type(inner).__name__
        for inner in ast.walk(node)
    )
    return " ".join(kinds)
