"""Which offline policy tunes each domain, and for how many generations: one row a domain."""

from typing import Final, NamedTuple


class TuningPlan(NamedTuple):
    """How a domain is tuned.

    Attributes:
        models: One policy plays `hyperspace solo`, two play `hyperspace pair`.
        generations: After generation 0.
        known: Best known score on the test split, with its source; empty if there is none.
    """

    models: tuple[str, ...]
    generations: int
    known: str = ""


_CLIMBER: Final = "offline/climber?trials=1000&restarts=1&cpu_s=60"

PLANS: Final[dict[str, TuningPlan]] = {
    "accept": TuningPlan((_CLIMBER,), 12, ".90: one label in ten is turned round"),
    "binpack": TuningPlan((_CLIMBER,), 8, ".745: 1,000 changes an answer, by hand"),
    "packing": TuningPlan((_CLIMBER,), 12, ".527: 40 long descents an answer, by hand"),
    "pairwise": TuningPlan((_CLIMBER,), 12, ".90: one label in ten is turned round"),
    "sortnet": TuningPlan((_CLIMBER,), 10, ".804: 15,000 changes an answer, by hand"),
    "vx": TuningPlan((_CLIMBER,), 12, "1: bounds of the machine"),
}
"""Every domain that an offline policy tunes, by its name."""
