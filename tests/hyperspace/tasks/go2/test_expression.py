import math

import pytest

from hyperspace.tasks.go2.expression import DEEPEST, LONGEST, BadExpression, parse

NAMES = {"x": 3.0, "y": -2.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 4 / 8", 6.5),
        ("2 - 3 - 4", -5),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("2 ** -1", 0.5),
        ("--x", 3),
        ("(x + y) * .5e1", 5),
        ("min(x, y, 7) + max(1, x)", 1),
        ("abs(y) + sqrt(16) + exp(0)", 7),
        ("exp(-4 * (x - y) ** 2)", math.exp(-100)),
        (" x\n", 3),
    ],
)
def test_arithmetic_is_as_usual(text: str, value: float) -> None:
    assert parse(text, NAMES)(NAMES) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the end"),
        ("1 +", "the end"),
        ("(1", r"expected '\)'"),
        ("1 2", "'2' stands"),
        ("z", "z is unknown; there are x, y, abs"),
        ("__import__('os')", "__import__ is unknown"),
        ("x.real", "'.'"),
        ("x if x else y", "'if' stands"),
        ("nan", "nan is unknown"),
        ("inf", "inf is unknown"),
        ("1e400", "stands where"),
        ("9" * 13, "stands where"),
        ("abs", r"expected '\('"),
        ("abs(1, 2)", "abs of 2"),
        ("min(1)", "min of 1"),
        ("[1]", "'\\['"),
        ("x\u00b2", "xb2"),
        ("\ud800", "ud800"),
        ("(" * (DEEPEST + 1) + "1" + ")" * (DEEPEST + 1), "nested deeper"),
        ("2" + "**2" * (DEEPEST + 1), "nested deeper"),
        ("1" + "+1" * 300, "more than 300"),
        ("1" * (LONGEST + 1), "2000 are allowed"),
        ("1" * 10_000_000, "2000 are allowed"),
    ],
)
def test_whatever_else_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(BadExpression, match=reason):
        parse(text, NAMES)


@pytest.mark.parametrize("text", ["1 / (x - 3)", "sqrt(y)", "exp(exp(x ** x))", "y ** 0.5"])
def test_where_there_is_no_value_there_is_an_error(text: str) -> None:
    with pytest.raises((ArithmeticError, ValueError)):
        parse(text, NAMES)(NAMES)


def test_a_tower_of_powers_ends_at_once() -> None:
    with pytest.raises(ArithmeticError):
        parse("9 ** 9 ** 9 ** 9", {})({})
