"""Arithmetic expressions over named numbers: parsed and evaluated by our own code, never by Python.

Grammar, in falling order of strength: names, numbers, `(...)` and calls; `**` (to the right); the
signs `-` and `+`; `*` and `/`; `+` and `-`. Calls: abs, exp, sqrt of one value, min and max of two
or more.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping

LONGEST = 2_000  # characters
MOST_PARTS = 300  # numbers, names and operations
DEEPEST = 40

Value = Callable[[Mapping[str, float]], float]
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})(?:[eE][-+]?\d{1,2})?)"
    r"|(?P<name>[A-Za-z_]\w{0,30})|(?P<operator>\*\*|[-+*/(),])|(?P<rest>\S))",
    re.ASCII,
)
_ONE_VALUE: dict[str, Callable[[float], float]] = {"abs": abs, "exp": math.exp, "sqrt": math.sqrt}
_TWO_OR_MORE: dict[str, Callable[[float, float], float]] = {"min": min, "max": max}


class BadExpression(ValueError):
    """A text is no expression; says why."""


def parse(text: str, names: Collection[str]) -> Value:
    """Make a function of a text.

    Args:
        text: The expression; may be anything.
        names: What it may name.

    Returns:
        A function of the named numbers. It raises ArithmeticError or ValueError where the
        expression has no value, and may return an infinity.

    Raises:
        BadExpression: It is none, names something else, or is too long or too deep.
    """
    if len(text) > LONGEST:
        raise BadExpression(f"the expression has {len(text)} characters; {LONGEST} are allowed")
    return _Parser(text, names).whole()


class _Parser:
    def __init__(self, text: str, names: Collection[str]) -> None:
        self._tokens = [
            (match.lastgroup or "", match.group(match.lastgroup or 0))
            for match in _TOKEN.finditer(text.rstrip())
        ]
        self._tokens.append(("end", "the end"))
        self._names = names
        self._next = 0
        self._depth = 0
        if len(self._tokens) > MOST_PARTS + 1:
            raise BadExpression(f"more than {MOST_PARTS} numbers, names and operations")

    def whole(self) -> Value:
        value = self._sum()
        if self._peek() != "the end":
            raise BadExpression(f"{self._peek()!a} stands where nothing is expected")
        return value

    def _peek(self) -> str:
        return self._tokens[self._next][1]

    def _take(self) -> tuple[str, str]:
        self._next += 1
        return self._tokens[self._next - 1]

    def _expect(self, operator: str) -> None:
        kind, text = self._take()
        if (kind, text) != ("operator", operator):
            raise BadExpression(f"expected {operator!r}, got {text!a}")

    def _sum(self) -> Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadExpression(f"nested deeper than {DEEPEST}")
        value = self._product()
        while self._peek() in ("+", "-"):
            _, operator = self._take()
            value = _joined(operator, value, self._product())
        self._depth -= 1
        return value

    def _product(self) -> Value:
        value = self._signed()
        while self._peek() in ("*", "/"):
            _, operator = self._take()
            value = _joined(operator, value, self._signed())
        return value

    def _signed(self) -> Value:
        negative = False
        while self._peek() in ("+", "-"):
            negative ^= self._take()[1] == "-"
        value = self._power()
        return (lambda names: -value(names)) if negative else value

    def _power(self) -> Value:
        base = self._atom()
        if self._peek() != "**":
            return base
        self._take()
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadExpression(f"nested deeper than {DEEPEST}")
        exponent = self._signed()
        self._depth -= 1
        return lambda names: math.pow(base(names), exponent(names))

    def _atom(self) -> Value:
        kind, text = self._take()
        if kind == "number":
            number = float(text)
            return lambda names: number
        if kind == "name":
            return self._named(text)
        if (kind, text) != ("operator", "("):
            raise BadExpression(f"{text!a} stands where a value is expected")
        value = self._sum()
        self._expect(")")
        return value

    def _named(self, name: str) -> Value:
        if name in self._names:
            return lambda names: names[name]
        if name not in _ONE_VALUE and name not in _TWO_OR_MORE:
            known = ", ".join([*sorted(self._names), *_ONE_VALUE, *_TWO_OR_MORE])
            raise BadExpression(f"{name} is unknown; there are {known}")
        self._expect("(")
        values = [self._sum()]
        while self._peek() == ",":
            self._take()
            values.append(self._sum())
        self._expect(")")
        if name in _ONE_VALUE and len(values) == 1:
            function, argument = _ONE_VALUE[name], values[0]
            return lambda names: function(argument(names))
        if name in _TWO_OR_MORE and len(values) > 1:
            choose = _TWO_OR_MORE[name]
            value = values[0]
            for other in values[1:]:
                value = _chosen(choose, value, other)
            return value
        raise BadExpression(f"{name} of {len(values)} values")


def _chosen(choose: Callable[[float, float], float], left: Value, right: Value) -> Value:
    return lambda names: choose(left(names), right(names))


def _joined(operator: str, left: Value, right: Value) -> Value:
    if operator == "+":
        return lambda names: left(names) + right(names)
    if operator == "-":
        return lambda names: left(names) - right(names)
    if operator == "*":
        return lambda names: left(names) * right(names)
    return lambda names: left(names) / right(names)
