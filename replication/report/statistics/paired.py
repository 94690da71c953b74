"""Two arms on the seeds that they have in common: Wilcoxon's signed ranks, exactly.

Few pairs and scores of 100 items mean ties and zeros, for which tables and the usual
approximations are wrong. So p is the share of all 2^n ways to give the differences their signs
under which the ranks are as one-sided as found (the permutation distribution given the ranks found;
ties share their mean rank, zero differences are left out as by Wilcoxon 1945).
"""

from collections.abc import Sequence
from math import ceil, log2, sqrt
from statistics import NormalDist

import msgspec

from replication.report.statistics.median import median, middle

MOST_EXACT = 120  # pairs; above it the normal approximation errs by less than 0.001
_DECIMALS = 9  # scores are shares of at most millions of items: what is finer is rounding noise


class SignedRank(msgspec.Struct, frozen=True):
    """Result of the signed-rank test.

    Attributes:
        pairs: Pairs in all.
        zeros: Pairs without a difference; they say nothing about a direction.
        p: Two-sided, in (0, 1].
        rank_biserial: Matched-pairs rank-biserial correlation: +1 if every difference is positive,
            -1 if every one is negative, 0 if the ranks balance (Kerby 2014).
    """

    pairs: int
    zeros: int
    p: float
    rank_biserial: float


def differences(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Return first minus second, pair by pair, without rounding noise, so that ties are ties."""
    return [round(a - b, _DECIMALS) + 0.0 for a, b in zip(first, second, strict=True)]


def signed_rank(diffs: Sequence[float]) -> SignedRank:
    """Test whether paired differences (from `differences`) lie to one side of 0."""
    moved = [diff for diff in diffs if diff]
    ranks = doubled_midranks([abs(diff) for diff in moved])
    total = sum(ranks)
    plus = sum(rank for rank, diff in zip(ranks, moved, strict=True) if diff > 0)
    rarer = min(plus, total - plus)
    if len(ranks) > MOST_EXACT:
        mean, deviation = _null(ranks)
        share = NormalDist().cdf((rarer + 1 - mean) / deviation)
    else:
        share = sum(subset_sums(ranks)[: rarer + 1]) / 2 ** len(ranks)
    return SignedRank(
        pairs=len(diffs),
        zeros=len(diffs) - len(moved),
        p=min(1.0, 2 * share),
        rank_biserial=(2 * plus - total) / total if total else 0.0,
    )


def doubled_midranks(values: Sequence[float]) -> list[int]:
    """Return twice each value's rank from 1; equal values share their mean rank."""
    first: dict[float, int] = {}
    last: dict[float, int] = {}
    for rank, value in enumerate(sorted(values), 1):
        first.setdefault(value, rank)
        last[value] = rank
    return [first[value] + last[value] for value in values]


def subset_sums(ranks: Sequence[int]) -> list[int]:
    """Return, for each sum from 0, how many subsets of the ranks have it."""
    counts = [1]
    for rank in ranks:
        longer = [*counts, *[0] * rank]
        counts = [a + b for a, b in zip(longer, [*[0] * rank, *counts], strict=True)]
    return counts


def hodges_lehmann(diffs: Sequence[float]) -> float:
    """Return the difference that the test finds most plausible: the median Walsh average.

    Raises:
        ValueError: There is no pair.
    """
    return median(walsh_averages(diffs))


def difference_interval(diffs: Sequence[float], alpha: float) -> tuple[float, float] | None:
    """Return all differences that the test would not reject at `alpha`.

    This is the exact interval without ties, and about that with them; it leaves 0 out only where
    the test rejects 0.

    Returns:
        None if so many pairs can reject none, and if all differences are equal: an interval without
        a width would say that the true one is known.
    """
    cut = critical(len(diffs), alpha)
    if cut is None or len(set(diffs)) == 1:
        return None
    averages = sorted(walsh_averages(diffs))
    low, high = averages[cut], averages[-1 - cut]
    if signed_rank(diffs).p > alpha:  # the cut is for ranks without ties
        return min(low, 0.0), max(high, 0.0)
    return low, high


def walsh_averages(diffs: Sequence[float]) -> list[float]:
    """Return the means of all pairs of values, each with itself too; n(n+1)/2 of them."""
    return [middle(a, b) for at, a in enumerate(diffs) for b in diffs[at:]]


def smallest_p(pairs: int) -> float:
    """Return the smallest two-sided p that so many pairs without ties can reach: all of one sign.

    Of n signs that are 2 of 2^n patterns, whatever the ranks; 1 without a pair.
    """
    return min(1.0, 2.0 ** (1 - pairs))


def pairs_needed(alpha: float, comparisons: int) -> int:
    """Return the fewest pairs with which p, corrected for the comparisons, can reach alpha."""
    return 1 + ceil(log2(max(1, comparisons) / alpha))


def critical(pairs: int, alpha: float) -> int | None:
    """Return the greatest rank sum of the rarer sign at which the test still rejects.

    Returns:
        None if no outcome of so many pairs is rejected at `alpha`.
    """
    if smallest_p(pairs) > alpha:
        return None
    if pairs > MOST_EXACT:
        mean, deviation = _null(range(1, pairs + 1))
        return int(mean + NormalDist().inv_cdf(alpha / 2) * deviation - 0.5)
    room = alpha / 2 * 2**pairs
    passed = 0
    for total, count in enumerate(subset_sums(range(1, pairs + 1))):
        passed += count
        if passed > room:
            return total - 1
    return None


def _null(ranks: Sequence[int]) -> tuple[float, float]:
    """Mean and standard deviation of the rank sum when signs are coin tosses."""
    return sum(ranks) / 2, sqrt(sum(rank * rank for rank in ranks)) / 2
