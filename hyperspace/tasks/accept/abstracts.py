"""Generated abstracts with planted flaws, and the rule that weighs the flaws up."""

import random
from typing import NamedTuple

from hyperspace.tasks.planted import Example

WEIGHTS = {
    "no baseline": 0.8,
    "few participants": 0.6,
    "chance": 0.7,
    "boasts": 0.3,
    "leak": 1.2,
    "mismatch": 1.1,
    "no limits": 0.3,
}
THRESHOLD = 1.25  # of the sum; more is a rejection
MARGIN = 0.1
FEWEST = 30  # participants
MOST_CHANCE = 0.05  # of the p-value
_METHODS = ("schedule", "training plan", "filter", "index", "layout", "sampling rule", "tutor")
_FIELDS = ("reading", "sorting", "navigation", "planning", "listening", "typing", "recall")
_TEST_FIELDS = ("translation", "sketching", "estimation", "drumming")
_BOASTS = (
    "This proves the theory.", "It always works.", "The problem is solved.",
    "Nothing better is possible.",
)  # fmt: skip
_TEST_BOASTS = (*_BOASTS, "It never fails.", "No doubt remains.")
_BASELINES = (
    "We compare it with a common baseline.",
    "The control group kept the usual method.",
    "A baseline without it serves for comparison.",
)
_LIMITS = (
    "Limits are discussed.", "We name the limits of the study.", "Its limits lie in the setting.",
)  # fmt: skip
_FILLERS = (
    "Materials are described in full.", "The task took half an hour.", "Sessions were quiet.",
    "Instructions were read aloud.", "Each session began with a break.", "Data are available.",
)  # fmt: skip


class Flaws(NamedTuple):
    """What is wrong with an abstract."""

    no_baseline: bool
    few_participants: bool
    chance: bool
    boasts: int
    leak: bool
    mismatch: bool
    no_limits: bool


def draw_abstract(is_test: bool, rng: random.Random) -> Example:
    """Draw an abstract; the excess is for accepting it."""
    flaws = Flaws(
        no_baseline=rng.random() < 0.4,
        few_participants=rng.random() < 0.4,
        chance=rng.random() < 0.4,
        boasts=rng.choice((0, 0, 1, 2)),
        leak=rng.random() < 0.25,
        mismatch=rng.random() < 0.25,
        no_limits=rng.random() < 0.5,
    )
    pairs = zip(WEIGHTS.values(), flaws, strict=True)
    return Example(
        {"paper_text": _text(flaws, is_test, rng)},
        THRESHOLD - sum(weight * count for weight, count in pairs),
    )


def _text(flaws: Flaws, is_test: bool, rng: random.Random) -> str:
    gain = rng.randint(4, 40)
    told = gain + rng.choice((-1, 1)) * rng.randint(1, 3) if flaws.mismatch else gain
    people = rng.randint(4, FEWEST - 1) if flaws.few_participants else rng.randint(FEWEST, 400)
    chance = rng.randint(6, 40) / 100 if flaws.chance else rng.randint(1, 49) / 1000
    field = rng.choice(_TEST_FIELDS if is_test else _FIELDS)
    method = rng.choice(_METHODS)
    body = [
        f"We tested {people} participants.",
        f"The effect has p = {chance}.",
        f"Settings were chosen on the {'test' if flaws.leak else 'validation'} set.",
        *rng.sample(_TEST_BOASTS if is_test else _BOASTS, flaws.boasts),
        *rng.sample(_FILLERS, rng.randint(0, 3)),
    ]
    body += [] if flaws.no_baseline else [rng.choice(_BASELINES)]
    body += [] if flaws.no_limits else [rng.choice(_LIMITS)]
    rng.shuffle(body)
    first = f"A new {method} for {field} improves results by {gain} percent."
    return " ".join([first, *body, f"In sum, the {method} brings {told} percent."])
