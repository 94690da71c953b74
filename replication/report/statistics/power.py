"""What so many pairs could have shown: the difference that the test would find 4 times in 5.

For normal differences of standard deviation 1. Shifting a sample by d leaves as many Walsh averages
below 0 as lay below -d, and that number is the rank sum of the negative differences; so each sample
is rejected from a d on that can be read off it, and no power curve has to be searched.
"""

from functools import lru_cache
from math import pi, sqrt
from statistics import NormalDist

from hyperspace.kernel.state.rng import stream
from replication.report.statistics.paired import critical, walsh_averages

POWER = 0.8
_SAMPLES = 1000
_MOST_SIMULATED = 30


@lru_cache
def detectable(pairs: int, alpha: float) -> float | None:
    """Return the least true difference, in standard deviations of the differences, found 4 in 5.

    Args:
        pairs: Number of pairs.
        alpha: Level of the test, already divided by the number of comparisons.

    Returns:
        None where no difference, however large, can be found. By simulation with a fixed stream
        (standard error about 2%), above 30 pairs by the normal approximation.
    """
    cut = critical(pairs, alpha)
    if cut is None:
        return None
    if pairs > _MOST_SIMULATED:
        normal = NormalDist()
        return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(POWER)) / sqrt(pairs * 3 / pi)
    draw = stream(0, "detectable", pairs)
    shifts = sorted(
        -sorted(walsh_averages([draw.gauss() for _ in range(pairs)]))[cut] for _ in range(_SAMPLES)
    )
    return shifts[int(POWER * _SAMPLES)]
