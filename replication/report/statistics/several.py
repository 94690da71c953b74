"""Several comparisons at once: the more one looks, the more one finds by chance (Holm 1979)."""

from collections.abc import Sequence


def holm(ps: Sequence[float]) -> list[float]:
    """Return each p adjusted for all, in the order given.

    The smallest is multiplied by the number of comparisons, the next by one less, and so on; none
    becomes smaller than one that was smaller before.
    """
    adjusted = [0.0] * len(ps)
    least = 0.0
    for step, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, ps[at] * (len(ps) - step)))
        adjusted[at] = least
    return adjusted


def best_case(ps: Sequence[float], at: int, smallest: float) -> float:
    """Return the adjusted p that one comparison would have if its own p were the smallest it can.

    Args:
        ps: The p of each comparison.
        at: Which one.
        smallest: The smallest p that its number of pairs can reach.
    """
    return holm([smallest if i == at else p for i, p in enumerate(ps)])[at]
