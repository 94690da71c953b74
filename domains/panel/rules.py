"""The two forms of rule, their defects, and the Python function that each one is written as.

Every number in a function is positive and every sign is an operator, so that a repair is always
one edit of one number or one operator.
"""

import random
from collections.abc import Callable
from typing import NamedTuple

BASE = 4.0
"""Added to both sides of a linear comparison, so that its threshold is positive."""


class Point(NamedTuple):
    """What a rule decides on: `a` and `b` in [-2, 2], `c` in [0, 1]."""

    a: float
    b: float
    c: float


class PlaneRule(NamedTuple):
    """Yes if a weighted sum exceeds `t`, joined by and/or with a comparison of `c`.

    Attributes:
        w1: Weight of `a`.
        w2: Weight of `b`.
        t: What the weighted sum must exceed.
        joined: Whether both comparisons must hold (and), or one (or).
        below: Whether `c` must lie below `u`, or above.
        u: Threshold of `c`.
    """

    w1: float
    w2: float
    t: float
    joined: bool
    below: bool
    u: float

    def says_yes(self, point: Point) -> bool:
        """Return the rule's answer."""
        first = self._excess(point) > 0
        second = point.c < self.u if self.below else point.c > self.u
        return first and second if self.joined else first or second

    def margin(self, point: Point) -> float:
        """Return how far a point lies from the nearer border of the two comparisons."""
        return min(abs(self._excess(point)), abs(point.c - self.u))

    def code(self, name: str) -> str:
        """Return the rule as a Python function of that name."""
        sum_ = f"{BASE} {_sign(self.w1)} {abs(self.w1)} * a {_sign(self.w2)} {abs(self.w2)} * b"
        second = f"c {'<' if self.below else '>'} {self.u}"
        joint = "and" if self.joined else "or"
        return _function(name, f"{sum_} > {round(BASE + self.t, 2)} {joint} {second}")

    def _excess(self, point: Point) -> float:
        return self.w1 * point.a + self.w2 * point.b - self.t


class RangeRule(NamedTuple):
    """Yes if `c` lies between two bounds."""

    low: float
    high: float

    def says_yes(self, point: Point) -> bool:
        """Return the rule's answer."""
        return self.low < point.c < self.high

    def margin(self, point: Point) -> float:
        """Return how far a point lies from the nearer bound."""
        return min(abs(point.c - self.low), abs(point.c - self.high))

    def code(self, name: str) -> str:
        """Return the rule as a Python function of that name."""
        return _function(name, f"c > {self.low} and c < {self.high}")


Rule = PlaneRule | RangeRule
Defect = Callable[[PlaneRule, random.Random], PlaneRule]


def _shift_t(rule: PlaneRule, rng: random.Random) -> PlaneRule:
    side = rng.choice((-1, 1))
    return rule._replace(t=round(rule.t + side * rng.uniform(1.2, 2.0), 2))


def _shift_u(rule: PlaneRule, rng: random.Random) -> PlaneRule:
    side = 1 if rule.u < 0.5 else -1
    return rule._replace(u=round(rule.u + side * rng.uniform(0.25, 0.3), 2))


DEFECTS: dict[str, Defect] = {
    "sign of w1": lambda rule, _: rule._replace(w1=-rule.w1),
    "sign of w2": lambda rule, _: rule._replace(w2=-rule.w2),
    "t": _shift_t,
    "comparison": lambda rule, _: rule._replace(below=not rule.below),
    "and/or": lambda rule, _: rule._replace(joined=not rule.joined),
    "u": _shift_u,
}
"""What can be wrong with a linear rule, by name."""


def _sign(weight: float) -> str:
    return "+" if weight > 0 else "-"


def _function(name: str, condition: str) -> str:
    return f"def {name}(a: float, b: float, c: float) -> bool:\n    return {condition}\n"
