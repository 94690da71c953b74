"""Where code deals with a piece of text: how a linter finds what a failing item is about."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from guards.parsing import parse_python

LONGEST_MARK: Final = 20  # characters: longer strings are alphabets and messages
_MOST_PLACES: Final = 4


def marks_of(code: str) -> list[str]:
    """Return the short strings that code holds, documentation left out, each once."""
    marks = (mark for node in _nodes(code) if (mark := _mark(node)) is not None)
    return list(dict.fromkeys(marks))


def holds(text: str, mark: str) -> bool:
    """Return whether a text holds a mark; one that is a word counts as a word, in any case."""
    if re.fullmatch(r"\w+", mark):
        return re.search(rf"\b{re.escape(mark)}\b", text, re.IGNORECASE) is not None
    return mark in text


def places_of(code: str, mark: str) -> list[str]:
    """Return what to look at where code deals with texts that hold a mark.

    That is what a condition on the mark leads to: the module's functions that are called there,
    with the keys of what they return; or the key under which it is counted; or else the mark
    itself, where it is a word.
    """
    nodes = list(_nodes(code))
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
    places: list[str] = []
    for node in nodes:
        if isinstance(node, ast.If) and _holds(node.test, mark):
            called = [name for part in node.body for name in _called(part) if name in functions]
            for name in called:
                places += [name, *_keys(functions[name])]
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            places += [k for key, value in pairs if _holds(value, mark) and (k := _mark(key))]
    if not places and re.fullmatch(r"\w+", mark):
        places = [mark]
    return list(dict.fromkeys(places))[:_MOST_PLACES]


def _nodes(code: str) -> Iterator[ast.AST]:
    try:
        tree = parse_python(code)
    except SyntaxError:
        return
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    yield from (node for node in ast.walk(tree) if id(node) not in documentation)


def _mark(node: ast.AST | None) -> str | None:
    value = node.value if isinstance(node, ast.Constant) else None
    is_short = isinstance(value, str) and 0 < len(value) <= LONGEST_MARK
    return value if isinstance(value, str) and is_short else None


def _holds(node: ast.AST, mark: str) -> bool:
    return any(_mark(part) == mark for part in ast.walk(node))


def _called(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            yield part.func.id


def _keys(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Dict):
            yield from (key for each in part.keys if (key := _mark(each)))
