"""Scores packings of circles exactly: numbers are fractions, and there is no tolerance."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple, cast

from hyperspace.tasks.strict_json import exact, parse_strictly

MOST_CHARACTERS = 20_000
CPU_S = 5  # of an answer
MOST_DIGITS = 17  # of one number, before and behind the point together
LEAST_GAP = Fraction(1, 10**7)
TRAIN_REFERENCES = {
    10: 1.591012852634,
    13: 1.829542411691,
    17: 2.111185327828,
    21: 2.362117319375,
    24: 2.53031158697,
    28: 2.737739985532,
}
"""Best known sums of radii of the train items by number of circles; all of them in a square."""


class Circle(NamedTuple):
    """A circle; all three exactly as they stand in the answer."""

    x: Fraction
    y: Fraction
    r: Fraction


def score(inputs: dict[str, Any], prediction: str) -> float:
    """Score an answer to a train item, in [0, 1]; 0 if it is invalid."""
    try:
        total = sum_of_radii(inputs, prediction)
    except ValueError:
        return 0.0
    return closeness(total, TRAIN_REFERENCES[inputs["n"]])


def sum_of_radii(inputs: dict[str, Any], prediction: str) -> Fraction:
    """Check an answer and return its sum of radii.

    Raises:
        ValueError: The answer is no packing; says why.
    """
    circles = _read(prediction, inputs["n"])
    width, height = exact(str(inputs["width"])), exact(str(inputs["height"]))
    for number, circle in enumerate(circles):
        if circle.r <= 0:
            raise ValueError(f"the radius of circle {number} is not above 0")
        is_inside = circle.r <= circle.x <= width - circle.r
        if not (is_inside and circle.r <= circle.y <= height - circle.r):
            raise ValueError(f"circle {number} is not inside the rectangle")
    for (i, a), (j, b) in combinations(enumerate(circles), 2):
        if (a.x - b.x) ** 2 + (a.y - b.y) ** 2 < (a.r + b.r) ** 2:
            raise ValueError(f"circles {i} and {j} overlap")
    return sum((circle.r for circle in circles), Fraction())


def closeness(total: Fraction, reference: float) -> float:
    """Return min(1, log10(1 / (1 - ratio + 1e-7)) / 5), where ratio is total / reference.

    A fifth for each decimal place in which the sum agrees with the reference; 1 also for a sum
    that is larger. Decimals keep it the same to the last bit on every machine.
    """
    gap = 1 - total / exact(str(reference)) + LEAST_GAP
    if gap <= 0:
        return 1.0
    places = -(Decimal(gap.numerator) / Decimal(gap.denominator)).log10()
    return max(0.0, min(1.0, float(places) / 5))


def _read(prediction: str, count: int) -> list[Circle]:
    if len(prediction) > MOST_CHARACTERS:
        raise ValueError(f"the answer has more than {MOST_CHARACTERS} characters")
    answer = parse_strictly(prediction, _short)
    fields = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {}
    if fields.keys() != {"circles"}:
        raise ValueError('the answer is not {"circles": [[x, y, r], ...]}')
    circles = fields["circles"]
    if not isinstance(circles, list) or len(cast("list[Any]", circles)) != count:
        raise ValueError(f"there are not {count} circles")
    return [_circle(*numbered) for numbered in enumerate(cast("list[Any]", circles))]


def _circle(number: int, parts: Any) -> Circle:
    if not isinstance(parts, list) or len(cast("list[Any]", parts)) != 3:
        raise ValueError(f"circle {number} is not [x, y, r]")
    if not all(type(part) in (int, Fraction) for part in cast("list[Any]", parts)):
        raise ValueError(f"circle {number} holds something else than numbers")
    return Circle(*map(Fraction, cast("list[Fraction]", parts)))


def _short(number: str) -> Fraction:
    mantissa = number.lower().partition("e")[0]
    if sum(map(str.isdigit, mantissa)) > MOST_DIGITS:
        raise ValueError(f"the number {number} has more than {MOST_DIGITS} digits")
    return exact(number)
