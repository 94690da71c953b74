"""Two arms on all their seeds, paired or not: a second look that no verdict rests on."""

from collections.abc import Sequence
from math import comb, sqrt
from statistics import NormalDist

from replication.report.statistics.paired import doubled_midranks

MOST_EXACT = 40  # values of both arms; above it the normal approximation is good enough


def cliffs_delta(first: Sequence[float], second: Sequence[float]) -> float:
    """Return P(a > b) - P(a < b) for values drawn from each: from -1 to 1 (Cliff 1993).

    Raises:
        ValueError: One of them is empty.
    """
    if not first or not second:
        raise ValueError("Cliff's delta needs a value on each side")
    above = sum((a > b) - (a < b) for a in first for b in second)
    return above / (len(first) * len(second))


def rank_sum(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the two-sided p of the rank-sum test (Wilcoxon, Mann and Whitney).

    It is the share of all ways to deal the values out to the two sides in which the rank sum is as
    far from its mean as found; ties share their mean rank.
    """
    ranks = doubled_midranks([*first, *second])
    rank_total = sum(ranks[: len(first)])
    mean = sum(ranks) * len(first) / len(ranks) if ranks else 0.0
    if len(ranks) > MOST_EXACT:
        n, center = len(ranks), sum(ranks) / len(ranks)
        scatter = sum((rank - center) ** 2 for rank in ranks) / (n - 1)
        variance = scatter * len(first) * len(second) / n
        off = max(0.0, abs(rank_total - mean) - 1)
        return min(1.0, 2 * (1 - NormalDist().cdf(off / sqrt(variance)))) if variance else 1.0
    far = sum(
        count
        for total, count in _deals(ranks, len(first)).items()
        if abs(total - mean) >= abs(rank_total - mean) - 1e-9
    )
    return far / comb(len(ranks), len(first))


def _deals(ranks: Sequence[int], size: int) -> dict[int, int]:
    """Sum of ranks to the number of subsets of this size that have it."""
    by_size: list[dict[int, int]] = [{0: 1}, *({} for _ in range(size))]
    for rank in ranks:
        for taken in range(size, 0, -1):
            target = by_size[taken]
            for total, count in by_size[taken - 1].items():
                target[total + rank] = target.get(total + rank, 0) + count
    return by_size[size]
