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
_PLAYED: Final = "offline/climber?trials=300&restarts=1&cpu_s=60"
_LABELLED: Final = "offline/climber?trials=300&restarts=1&repertoire=all"

PLANS: Final[dict[str, TuningPlan]] = {
    "accept": TuningPlan((_LABELLED,), 4, ".90: one label in ten is turned round"),
    "babaisai": TuningPlan((_PLAYED,), 8, "1: a search through the levels"),
    "binpack": TuningPlan((_GRADED,), 3, ".745: 1,000 changes an answer, by hand"),
    "email_validation": TuningPlan((_PLAYED,), 3, "1: the rules themselves"),
    "packing": TuningPlan((_DATA,), 4, ".527: 40 long descents an answer, by hand"),
    "pairwise": TuningPlan((_LABELLED,), 4, ".90: one label in ten is turned round"),
    "panel": TuningPlan((_PLAYED,), 6, "1: the rules themselves"),
    "repo_quality": TuningPlan(("offline/climber?trials=90",), 6),
    "snake": TuningPlan(
        ("offline/climber?trials=200&restarts=1&cpu_s=60&repertoire=numbers",),
        10,
        ".94: the seed's weights, by hand",
    ),
    "sortnet": TuningPlan((_DATA,), 4, ".804: 15,000 changes an answer, by hand"),
    "support": TuningPlan((_PLAYED,), 8, "1: the facts; keywords .80"),
    "vx": TuningPlan((_GRADED,), 4, "1: bounds of the machine"),
}
"""Every domain that an offline policy tunes, by its name."""
