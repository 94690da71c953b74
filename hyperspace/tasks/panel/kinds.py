"""A kind of question: the rule that answers it, and the rule with defects of the seed agent.

Branch kinds are independent of each other, and most repairs of one help by themselves. A range kind
is a trap: the interval that the agent starts from is disjoint from the true one, so each small step
that helps makes the interval smaller.
"""

import random
from collections.abc import Sequence
from typing import Literal, NamedTuple

from hyperspace.tasks.panel.rules import DEFECTS, ORDERS, BranchRule, Point, RangeRule, Rule

Regime = Literal["additive", "mixed", "traps"]
RANGE_SHARES: dict[Regime, float] = {"additive": 0.0, "mixed": 0.4, "traps": 0.8}
"""Share of kinds that are traps, by regime."""

_PROBES = 400


class Kind(NamedTuple):
    """One kind of question.

    Attributes:
        name: Its name in the inputs, and of its function in the seed agent.
        true: The rule that gives the labels.
        seed: The rule that the seed agent has.
    """

    name: str
    true: Rule
    seed: Rule


def draw_kinds(count: int, defects: int, regime: Regime, rng: random.Random) -> tuple[Kind, ...]:
    """Draw kinds; which of them are traps is drawn too.

    Args:
        count: How many kinds.
        defects: How many defects a branch kind has; a range has both of its bounds wrong.
        regime: Which share of them are traps.
        rng: Where the draws come from.
    """
    traps = round(RANGE_SHARES[regime] * count)
    is_trap = [index < traps for index in range(count)]
    rng.shuffle(is_trap)
    return tuple(
        _range_kind(f"kind_{index}", rng) if trap else _branch_kind(f"kind_{index}", defects, rng)
        for index, trap in enumerate(is_trap)
    )


def mended(kinds: Sequence[Kind], faulty: int, rng: random.Random) -> tuple[Kind, ...]:
    """Give the seed agent the true rule of all kinds but some, which are drawn.

    Args:
        kinds: What was drawn.
        faulty: In how many of them it keeps its defects.
        rng: Where the draw comes from.
    """
    kept = {kind.name for kind in rng.sample(kinds, min(faulty, len(kinds)))}
    return tuple(kind if kind.name in kept else kind._replace(seed=kind.true) for kind in kinds)


def draw_point(rng: random.Random) -> Point:
    """Draw a point of the plane."""
    a, b = (round(rng.uniform(-2, 2), 3) for _ in range(2))
    return Point(a, b, round(rng.uniform(0, 1), 3))


def _branch_kind(name: str, defects: int, rng: random.Random) -> Kind:
    """Draw a rule and its defects until both are within bounds on points of the plane."""
    probes = [draw_point(rng) for _ in range(_PROBES)]
    while True:
        seed = true = _branch_rule(rng)
        for defect in rng.choice(ORDERS)[:defects]:
            seed = DEFECTS[defect](seed, rng)
        yes = sum(map(true.says_yes, probes)) / _PROBES
        right = sum(seed.says_yes(point) == true.says_yes(point) for point in probes) / _PROBES
        if 0.35 <= yes <= 0.65 and 0.40 <= right <= 0.62:
            return Kind(name, true, seed)


def _branch_rule(rng: random.Random) -> BranchRule:
    w1, w2 = (rng.choice((-1, 1)) * round(rng.uniform(0.6, 2.0), 2) for _ in range(2))
    t1, t2 = (round(rng.uniform(-1, 1), 2) for _ in range(2))
    return BranchRule(w1, t1, w2, t2, below=rng.random() < 0.5, u=round(rng.uniform(0.3, 0.7), 2))


def _range_kind(name: str, rng: random.Random) -> Kind:
    """Draw two intervals that lie apart, in either order."""
    width, narrow = rng.uniform(0.25, 0.35), rng.uniform(0.1, 0.15)
    low = rng.uniform(0.05, 0.2)
    far = rng.uniform(low + width + 0.05, 0.95 - narrow)
    true = RangeRule(round(low, 2), round(low + width, 2))
    seed = RangeRule(round(far, 2), round(far + narrow, 2))
    if rng.random() < 0.5:
        return Kind(name, true, seed)
    return Kind(name, _mirrored(true), _mirrored(seed))


def _mirrored(rule: RangeRule) -> RangeRule:
    return RangeRule(round(1 - rule.high, 2), round(1 - rule.low, 2))
