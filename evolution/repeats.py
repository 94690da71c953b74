"""`--eval-repeats K`: what several passes over the same items come to.

Where answers vary, one pass is one draw, and the luckiest draw would stay the best generation.
"""

from collections.abc import Iterable
from statistics import mean

import msgspec


class Answers(msgspec.Struct, frozen=True):
    """What one pass over a split's items gave.

    Attributes:
        predictions: Item id to prediction; items without one are absent.
        errors: Item id to the error that kept a prediction from coming.
    """

    predictions: dict[str, str]
    errors: dict[str, str]


class Repeats(msgspec.Struct, frozen=True):
    """What is known of a split that was evaluated more than once.

    Attributes:
        scores: The score of each pass, in order.
        further: What the passes after the first gave, in order.
    """

    scores: tuple[float, ...]
    further: tuple[Answers, ...]


def pass_names(repeats: int) -> tuple[str, ...]:
    """What passes are called in streams, traces and folders; the first has no name."""
    return ("", *(f"pass_{number}" for number in range(2, repeats + 1)))


def mean_score(scores: Iterable[float]) -> float:
    """The mean of the passes' scores; exact, so that equal scores have their own as mean."""
    first, *others = scores
    return float(mean((first, *others))) if others else first
