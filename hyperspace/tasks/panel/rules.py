"""The two forms of rule, their defects, and the Python function that each one is written as.

Every number in a function is positive and every sign is an operator, so that a repair is always
one edit of one number or one operator.
"""

import random
from collections.abc import Callable, Mapping
from typing import NamedTuple

BASE = 4.0
"""Added to both sides of a linear comparison, so that its threshold is positive."""


class Point(NamedTuple):
    """What a rule decides on: `a` and `b` in [-2, 2], `c` in [0, 1]."""

    a: float
    b: float
    c: float


class BranchRule(NamedTuple):
    """Yes if the weighted `a` exceeds a threshold, or the weighted `b` another: `c` says which.

    Attributes:
        w1: Weight of `a`.
        t1: What it must exceed in the first branch.
        w2: Weight of `b`.
        t2: What it must exceed in the second branch.
        below: Whether the first branch is for `c` below `u`, or above.
        u: Threshold of `c`.
    """

    w1: float
    t1: float
    w2: float
    t2: float
    below: bool
    u: float

    def says_yes(self, point: Point) -> bool:
        """Return the rule's answer."""
        return self._excess(point) > 0

    def margin(self, point: Point) -> float:
        """Return how far a point lies from the nearer border."""
        return min(abs(self._excess(point)), abs(point.c - self.u))

    def code(self, name: str) -> str:
        """Return the rule as a Python function of that name."""
        first, second = _exceeds(self.w1, "a", self.t1), _exceeds(self.w2, "b", self.t2)
        return _function(name, f"{first} if c {'<' if self.below else '>'} {self.u} else {second}")

    def _excess(self, point: Point) -> float:
        is_first = point.c < self.u if self.below else point.c > self.u
        return self.w1 * point.a - self.t1 if is_first else self.w2 * point.b - self.t2


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


Rule = BranchRule | RangeRule
Defect = Callable[[BranchRule, random.Random], BranchRule]


def _shifted(threshold: float, rng: random.Random) -> float:
    return round(threshold + rng.choice((-1, 1)) * rng.uniform(1.2, 2.0), 2)


def _shift_u(rule: BranchRule, rng: random.Random) -> BranchRule:
    side = 1 if rule.u < 0.5 else -1
    return rule._replace(u=round(rule.u + side * rng.uniform(0.25, 0.3), 2))


DEFECTS: Mapping[str, Defect] = {
    "t1": lambda rule, rng: rule._replace(t1=_shifted(rule.t1, rng)),
    "t2": lambda rule, rng: rule._replace(t2=_shifted(rule.t2, rng)),
    "u": _shift_u,
    "sign of w1": lambda rule, _: rule._replace(w1=-rule.w1),
    "sign of w2": lambda rule, _: rule._replace(w2=-rule.w2),
    "comparison": lambda rule, _: rule._replace(below=not rule.below),
}
"""What can be wrong with a branch rule, by name: three numbers and three operators."""

ORDERS = (
    ("t1", "sign of w2", "u", "comparison", "t2", "sign of w1"),
    ("t2", "sign of w1", "u", "comparison", "t1", "sign of w2"),
    ("sign of w1", "t2", "comparison", "u", "sign of w2", "t1"),
    ("sign of w2", "t1", "comparison", "u", "sign of w1", "t2"),
)
"""Which defects a rule gets, the first so many: a number and an operator in turn.

The first two lie in different branches, so that each repair helps, whether or not the other is
made; further ones get in each other's way.
"""


def _exceeds(weight: float, name: str, threshold: float) -> str:
    sign = "+" if weight > 0 else "-"
    return f"{BASE} {sign} {abs(weight)} * {name} > {round(BASE + threshold, 2)}"


def _function(name: str, condition: str) -> str:
    return f"def {name}(a: float, b: float, c: float) -> bool:\n    return {condition}\n"
