"""The numbers in an agent's code: what a policy that carries its weights consists of.

The code is parsed, never executed.
"""

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from guards.parsing import parse_python

MOST_BYTES: Final = 2_000_000
MOST_NAMES: Final = 200
MOST_NUMBERS: Final = 400  # of one name
_DEEPEST: Final = 4


class PlacedNumber(NamedTuple):
    """A number within a value.

    Attributes:
        where: Where it stands: keys and indexes, such as `security` or `0, 3`; empty for a value
            that is a number itself.
        value: The number.
    """

    where: str
    value: float


class NamedNumbers(msgspec.Struct, frozen=True):
    """A name in the code whose value is a number, or holds numbers and nothing else.

    Attributes:
        name: As the code says it; behind its class, if it stands in one.
        line: Where it gets its value.
        count: How many numbers that value has.
        numbers: The first 400 of them.
    """

    name: str
    line: int
    count: int
    numbers: tuple[PlacedNumber, ...]


def numbers_in(code: str) -> tuple[NamedNumbers, ...]:
    """Return the numbers that the module and its classes name; the first 200 names.

    Code that is too large or that Python cannot parse has none.
    """
    if len(code) > MOST_BYTES:
        return ()
    try:
        named = _named(parse_python(code), "")
        return tuple(row for row, _ in zip(named, range(MOST_NAMES), strict=False))
    except SyntaxError:
        return ()


def _named(body: ast.Module | ast.ClassDef, prefix: str) -> Iterator[NamedNumbers]:
    for node in body.body:
        if isinstance(node, ast.ClassDef):
            yield from _named(node, f"{prefix}{node.name}.")
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if value is None:
            continue
        numbers = _numbers(value, (), _DEEPEST)
        for target in targets:
            if isinstance(target, ast.Name) and numbers:
                shown = tuple(numbers[:MOST_NUMBERS])
                yield NamedNumbers(prefix + target.id, node.lineno, len(numbers), shown)


def _numbers(node: ast.expr, path: tuple[str, ...], depth: int) -> list[PlacedNumber] | None:
    """Return the numbers of a value; None if it holds anything else."""
    number = _number(node)
    if number is not None:
        return [PlacedNumber(", ".join(path), number)]
    if depth == 0:
        return None
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        parts = [(str(at), each) for at, each in enumerate(node.elts)]
    elif isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        keys = (str(key.value)[:60] for key in node.keys if isinstance(key, ast.Constant))
        parts = list(zip(keys, node.values, strict=True))
    else:
        return None
    numbers: list[PlacedNumber] = []
    for name, each in parts:
        inner = _numbers(each, (*path, name), depth - 1)
        if inner is None:
            return None
        numbers += inner
    return numbers


def _number(node: ast.expr) -> float | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        sign = -1 if isinstance(node.op, ast.USub) else 1
        node = node.operand
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return sign * float(value) if abs(value) < 1e300 else None
