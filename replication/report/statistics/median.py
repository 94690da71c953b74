"""The median of a few values, and an interval around it that says how sure it can be.

The interval is the percentile bootstrap of the median (Efron 1979), computed over all n^n resamples
instead of over some that were drawn: equal values give equal intervals, and there is no seed. BCa
would correct it by a jackknife, but the jackknife of a median is inconsistent (Efron 1982, 3.4): of
five values it sees at most three different medians. With five values the interval is their range.

What few values can promise is computed too: `coverage` is the least probability with which an
interval between these ranks holds the median of a continuous population (the sign test, inverted).
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb
from statistics import median_high, median_low
from typing import Final

import msgspec

_LEVEL: Final = Fraction(95, 100)  # nominal confidence of an interval


class Spread(msgspec.Struct, frozen=True):
    """A median with its interval.

    Attributes:
        n: How many values.
        median: The middle one, or the mean of the two in the middle.
        low: Lower end of the interval; None where there is none, as from one value.
        high: Upper end; None where there is none.
        coverage: Least probability that such an interval holds the true median; the nominal 0.95
            cannot be had from few values: 0.9375 from 5, 0.5 from 2. None without an interval.
    """

    n: int
    median: float
    low: float | None
    high: float | None
    coverage: float | None


def median(values: Sequence[float]) -> float:
    """Return the median.

    Raises:
        ValueError: There is no value.
    """
    if not values:
        raise ValueError("no value, no median")
    return middle(median_low(values), median_high(values))


def middle(low: float, high: float) -> float:
    """Return the mean of two scores, without the noise that binary fractions add."""
    return low if low == high else round((low + high) / 2, 9)


def spread_of(values: Sequence[float]) -> Spread:
    """Return the median of at least one value, with its bootstrap interval.

    Raises:
        ValueError: There is no value.
    """
    ordered = sorted(values)
    if len(ordered) == 1:
        return Spread(1, ordered[0], None, None, None)
    weights = bootstrap_medians(ordered)
    # A fraction, as n^n has no float from 144 values on.
    tail = weights.total() * (1 - _LEVEL) / 2
    low, high = _quantile(weights, tail), _quantile(weights, tail, from_top=True)
    n, first, last = len(ordered), bisect_left(ordered, low) + 1, bisect_right(ordered, high)
    coverage = sum(comb(n, below) for below in range(first, last)) / 2**n
    return Spread(n, median(ordered), low, high, coverage)


def spread_that_holds(values: Sequence[float], coverage: float) -> Spread:
    """Return the median of at least one value, with an interval that promises enough.

    Where the bootstrap interval promises less, it is the narrowest one between two ranks, equally
    far from both ends, that promises so much; of too few values none does, and it stays as it is.

    Args:
        values: Of a continuous population.
        coverage: Least probability that the interval holds the true median, in (0, 1).

    Raises:
        ValueError: There is no value.
    """
    spread = spread_of(values)
    if spread.coverage is None or spread.coverage >= coverage:
        return spread
    n, ordered = spread.n, sorted(values)
    for rank in range(n // 2, 0, -1):
        held = sum(comb(n, below) for below in range(rank, n - rank + 1)) / 2**n
        if held >= coverage:
            return Spread(n, spread.median, ordered[rank - 1], ordered[n - rank], held)
    return spread


def bootstrap_medians(ordered: Sequence[float]) -> Counter[float]:
    """Return in how many of the n^n resamples each median comes up.

    Args:
        ordered: The values, ascending.
    """
    n, half = len(ordered), (len(ordered) + 1) // 2
    at_most = [_resamples_at_most(i, half, n) for i in range(n + 1)]
    weights: Counter[float] = Counter()
    for i, value in enumerate(ordered, 1):
        weights[value] += at_most[i] - at_most[i - 1]
    if n % 2:
        return weights
    # Of an even n, resamples whose two middle values differ are moved to the mean of both.
    steps = [above - below for below, above in pairwise([i**half for i in range(n + 1)])]
    for i in range(1, n + 1):  # the lower middle is the i-th value, the upper one the j-th
        lower = comb(n, half) * steps[i - 1]
        for j in range(i + 1, n + 1):
            apart = lower * steps[n - j]
            weights[middle(ordered[i - 1], ordered[j - 1])] += apart
            weights[ordered[i - 1]] -= apart
    return weights


def _resamples_at_most(i: int, k: int, n: int) -> int:
    """Resamples whose k-th smallest value is at most the i-th of the n values."""
    here = i**n  # all n draws are among the first i values
    count = 0
    for drawn in range(n, k - 1, -1):
        count += here
        # From `drawn` such draws to one less: comb(n, drawn) * i**drawn * (n - i)**(n - drawn).
        here = here * drawn * (n - i) // ((n - drawn + 1) * i) if i else 0
    return count


def _quantile(weights: Counter[float], tail: Fraction, *, from_top: bool = False) -> float:
    passed = 0
    value = 0.0
    for value in sorted(weights, reverse=from_top):
        passed += weights[value]
        if passed > tail:
            break
    return value
