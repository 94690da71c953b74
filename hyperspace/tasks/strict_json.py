"""Reads answers that are JSON, strictly: what two readers could read differently is refused.

Standard library alone: where a public scorer imports this module, the text that agents get of the
scorer has this one in its place (`domains.package_files`).
"""

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,40})?([eE][-+]?\d{1,3})?")


def parse_strictly(text: str, decimal: Callable[[str], Any] = float) -> Any:
    """Parse JSON text.

    Refused are duplicate keys, NaN and infinities, integers of more than 20 digits, decimals of
    more than 20 digits before and 40 behind the point or 3 in the exponent, and deep nesting.

    Args:
        text: The answer.
        decimal: Makes a number of the text of one with a point or an exponent; `exact` keeps it
            exactly.

    Raises:
        ValueError: The text is no such JSON; says why.
    """

    def checked(number: str) -> str:
        if not NUMBER.fullmatch(number):
            raise ValueError(f"the number {number[:40]} has too many digits")
        return number

    try:
        return json.loads(
            text,
            parse_int=lambda number: int(checked(number)),
            parse_float=lambda number: decimal(checked(number)),
            parse_constant=_refuse_constant,
            object_pairs_hook=_object,
        )
    except RecursionError:
        raise ValueError("the answer is nested too deeply") from None


def exact(number: str) -> Fraction:
    """Return the very number that a decimal text stands for."""
    return Fraction(number)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number that counts")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return keys
