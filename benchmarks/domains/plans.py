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


_GRADED: Final = "offline/climber?trials=1000&restarts=1&spread=0.6&cpu_s=60"
_DATA: Final = f"{_GRADED}&repertoire=data"
_LABELLED: Final = "offline/climber?trials=300&restarts=1&repertoire=all"

PLANS: Final[dict[str, TuningPlan]] = {
    "accept": TuningPlan((_LABELLED,), 4, ".90: one label in ten is turned round"),
    "binpack": TuningPlan((_GRADED,), 3, ".745: 1,000 changes an answer, by hand"),
    "packing": TuningPlan((_DATA,), 4, ".527: 40 long descents an answer, by hand"),
    "pairwise": TuningPlan((_LABELLED,), 4, ".90: one label in ten is turned round"),
    "sortnet": TuningPlan((_DATA,), 4, ".804: 15,000 changes an answer, by hand"),
    "vx": TuningPlan((_GRADED,), 4, "1: bounds of the machine"),
}
"""Every domain that an offline policy tunes, by its name."""
