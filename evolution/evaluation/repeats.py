"""`--eval-repeats K`: what several passes over the same items come to.

Where answers vary, one pass is one draw, and the luckiest draw would stay the best generation.
"""

from collections.abc import Iterable
from statistics import mean


def pass_names(repeats: int) -> tuple[str, ...]:
    """Name passes in streams, traces and folders; the first has no name."""
    return ("", *(f"pass_{number}" for number in range(2, repeats + 1)))


def mean_score(scores: Iterable[float]) -> float:
    """The mean of the passes' scores; exact, so that equal scores have their own as mean."""
    first, *others = scores
    return float(mean((first, *others))) if others else first
