"""Plays policies of online bin packing and scores them by the bins that they use.

A policy scores the gaps that a placement would leave, and the opening of a bin. The instances that
count are sealed; `score` plays instances of its own from the same laws, so it estimates.
"""

import random
from bisect import bisect_right
from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple, cast

from hyperspace.tasks.strict_json import parse_strictly

CAPACITIES = {"weibull": 100, "uniform": 150}
SHAPE = 3  # of the Weibull law
LEAST, MOST = 20, 100  # sizes of the uniform law
INSTANCES = 5
USELESS_EXCESS = 0.08
MOST_CHARACTERS = 20_000
CPU_S = 5  # of an answer


class Law(NamedTuple):
    """What instances are drawn from.

    Attributes:
        family: "weibull" or "uniform".
        scale: Of the Weibull law; the uniform one has none.
        length: Items of an instance.
    """

    family: str
    scale: int
    length: int


TRAIN_LAWS = {"weibull": Law("weibull", 45, 1000), "uniform": Law("uniform", 0, 500)}


class Policy(NamedTuple):
    """Scores of leaving a gap of 0, 1, ... in an open bin, and of opening a bin."""

    gap: list[float]
    new: float


def score(inputs: dict[str, Any], prediction: str) -> float:
    """Estimate the score of an answer to a train item, in [0, 1]; 0 if it is invalid."""
    capacity, law = inputs["capacity"], TRAIN_LAWS[inputs["family"]]
    try:
        policy = read_policy(capacity, prediction)
    except ValueError:
        return 0.0
    rng = random.Random(f"practice {inputs['sample']}")  # noqa: S311 - data, not secrets
    instances = [draw_sizes(law, law.length, rng) for _ in range(INSTANCES)]
    return grade(excess(capacity, policy, instances))


def read_policy(capacity: int, prediction: str) -> Policy:
    """Read an answer.

    Raises:
        ValueError: The answer is no policy; says why.
    """
    if len(prediction) > MOST_CHARACTERS:
        raise ValueError(f"the answer has more than {MOST_CHARACTERS} characters")
    answer = parse_strictly(prediction)
    fields = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {}
    if fields.keys() != {"gap", "new"}:
        raise ValueError('the answer is not {"gap": [...], "new": ...}')
    gap = fields["gap"]
    if not isinstance(gap, list) or len(cast("list[Any]", gap)) != capacity + 1:
        raise ValueError(f"gap is no list of {capacity + 1} numbers")
    numbers = [*cast("list[Any]", gap), fields["new"]]
    if not all(type(number) in (int, float) and isfinite(number) for number in numbers):
        raise ValueError("a score is no finite number")
    *gaps, new = map(float, numbers)
    return Policy(gaps, new)


def draw_sizes(law: Law, count: int, rng: random.Random) -> list[int]:
    """Draw the sizes of so many items."""
    if law.family == "uniform":
        return [rng.randint(LEAST, MOST) for _ in range(count)]
    shares = _weibull_shares(law.scale)
    return [min(100, max(1, bisect_right(shares, rng.random()))) for _ in range(count)]


def bins_used(capacity: int, policy: Policy, sizes: list[int]) -> int:
    """Play a policy on items as they come; the number of bins at the end.

    Each item goes where the score is highest: into an open bin with room for it, or into a new
    one. Of equal scores the smaller remaining space wins, so a new bin comes last.
    """
    gaps = [gap for gap in range(capacity + 1) if policy.gap[gap] >= policy.new]
    wanted = sorted(gaps, key=lambda gap: -policy.gap[gap])
    bins, open_bins = 0, [0] * (2 * capacity + 1)  # how many have so much space left
    for size in sizes:
        for gap in wanted:
            if open_bins[size + gap]:
                open_bins[size + gap] -= 1
                open_bins[gap] += 1
                break
        else:
            bins += 1
            open_bins[capacity - size] += 1
    return bins


def lower_bound(capacity: int, sizes: list[int]) -> int:
    """Return the bound L2 of Martello and Toth: no packing of these items uses fewer bins."""
    counts = [0] * (capacity + 1)
    for size in sizes:
        counts[size] += 1
    space = [size * count for size, count in enumerate(counts)]
    half, best = capacity // 2 + 1, 0  # the least size of which two do not fit
    for least in range(half):
        most = capacity - least + 1
        room = capacity * sum(counts[half:most]) - sum(space[half:most])
        rest = sum(space[least:half]) - room
        best = max(best, sum(counts[half:]) + max(0, -(-rest // capacity)))
    return best


def excess(capacity: int, policy: Policy, instances: list[list[int]]) -> float:
    """Bins beyond the lower bound, as a share of it, over all instances together."""
    bins = sum(bins_used(capacity, policy, sizes) for sizes in instances)
    bound = sum(lower_bound(capacity, sizes) for sizes in instances)
    return (bins - bound) / bound


def grade(excess: float) -> float:
    """Score of an excess: 1 for none, 0 for 8 percent and more."""
    return max(0.0, 1.0 - excess / USELESS_EXCESS)


def _weibull_shares(scale: int) -> list[float]:
    """Return, for k = 0 to 99, the share of draws that round to k or less.

    Decimals keep it the same to the last bit on every machine.
    """
    bounds = [(Decimal(2 * k + 1) / (2 * scale)) ** SHAPE for k in range(100)]
    return [float(1 - (-bound).exp()) for bound in bounds]
