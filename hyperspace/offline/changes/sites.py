"""Places in Python source where a value can be another one, and texts with a place replaced."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from guards.parsing import parse_python

_SEED = re.compile(r"seed", re.IGNORECASE)


class ValueSite(NamedTuple):
    """A place that holds a value, and what it is called there.

    Attributes:
        name: Of the setting, the argument or the key.
        node: Where the value stands.
        value: What it is.
    """

    name: str
    node: ast.expr
    value: object


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of a source; None if it is none."""
    try:
        return parse_python(text)
    except SyntaxError:
        return None


def settings(tree: ast.Module) -> Iterator[ValueSite]:
    """Yield values that have a name: settings, arguments, defaults, entries of dictionaries.

    Seeds are none of them: another seed is another draw, and no idea.
    """
    for name, node in _named_values(tree):
        value = _constant(node)
        if value is not None and not _SEED.search(name):
            yield ValueSite(name, node, value)


def spliced(text: str, node: ast.expr | ast.stmt, new: str) -> str:
    """Return a text in which another one stands at a node."""
    lines = text.encode().split(b"\n")
    last = (node.end_lineno or node.lineno) - 1
    head = lines[node.lineno - 1][: node.col_offset]
    tail = lines[last][node.end_col_offset or 0 :]
    lines[node.lineno - 1 : last + 1] = [head + new.encode() + tail]
    return b"\n".join(lines).decode()


def inserted(text: str, line: int, new: str) -> str:
    """Return a text with a line more, before the one of that number, from 1."""
    lines = text.split("\n")
    lines.insert(line - 1, new)
    return "\n".join(lines)


def _named_values(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            yield from _assigned(node.body)
        elif isinstance(node, ast.Call):
            yield from ((word.arg, word.value) for word in node.keywords if word.arg)
        elif isinstance(node, ast.arguments):
            named = [*node.posonlyargs, *node.args][-len(node.defaults) :] if node.defaults else []
            yield from zip((arg.arg for arg in named), node.defaults, strict=True)
            pairs = zip(node.kwonlyargs, node.kw_defaults, strict=True)
            yield from ((arg.arg, default) for arg, default in pairs if default is not None)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            target, value = statement.target, statement.value
        else:
            continue
        if isinstance(target, ast.Name):
            yield target.id, value


def _constant(node: ast.expr) -> object:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    if not isinstance(node, ast.Constant):
        return None
    value = node.value
    if isinstance(value, bool):
        return value
    return sign * value if isinstance(value, int | float) else None
