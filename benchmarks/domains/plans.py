"""Which offline policy tunes each domain, and for how many generations; or why none does."""

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
_UNSCORED: Final = "offline/climber?repertoire=data"
_REWARD: Final = "offline/climber?repertoire=numbers"
_LABELLED: Final = "offline/climber?trials=300&restarts=1&repertoire=all"

PLANS: Final[dict[str, TuningPlan]] = {
    "accept": TuningPlan((_LABELLED,), 4, ".90: one label in ten is turned round"),
    "babyai": TuningPlan((_PLAYED,), 4, "1: minigrid's expert; the climber gains nothing"),
    "babaisai": TuningPlan((_PLAYED,), 8, "1: a search through the levels"),
    "binpack": TuningPlan((_GRADED,), 3, ".745: 1,000 changes an answer, by hand"),
    "email_validation": TuningPlan((_PLAYED,), 3, "1: the rules themselves"),
    "go2_hop": TuningPlan((_REWARD,), 6, ".59: height, by hand"),
    "go2_walkback": TuningPlan((_REWARD,), 6, ".77: the score itself, by hand"),
    "go2_walking": TuningPlan((_REWARD,), 8, ".83: the score itself, by hand"),
    "minihack": TuningPlan((_UNSCORED,), 8, "1: every level"),
    "nle": TuningPlan((_UNSCORED,), 8, ".015: about the best model at BALROG's publication"),
    "packing": TuningPlan((_DATA,), 4, ".527: 40 long descents an answer, by hand"),
    "pairwise": TuningPlan((_LABELLED,), 4, ".90: one label in ten is turned round"),
    "panel": TuningPlan((_PLAYED,), 6, "1: the rules themselves"),
    "repo_policy": TuningPlan(("offline/pressure",), 12, "1: the planted rule"),
    "repo_quality": TuningPlan(("offline/climber?trials=90",), 6, "1: the planted rule"),
    "snake": TuningPlan(
        ("offline/climber?trials=200&restarts=1&cpu_s=60&repertoire=numbers",),
        24,
        ".94: the seed's weights, by hand",
    ),
    "sortnet": TuningPlan(
        (
            "offline/climber?trials=1000&restarts=1&spread=0.6&repertoire=lists",
            "offline/breeder?trials=1000&spread=0.6&cpu_s=100&repertoire=data",
        ),
        6,
        ".781: 16,000 changes an answer, by hand",
    ),
    "support": TuningPlan((_PLAYED,), 8, "1: the facts; keywords .80"),
    "vx": TuningPlan((_GRADED,), 4, "1: bounds of the machine"),
}
"""Every domain that an offline policy tunes, by its name."""

_ASKS: Final = "its seed asks a model"
UNTUNED: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("genesis_go2hop", "genesis_go2walkback", "genesis_go2walking"),
        "30 CPU seconds an item, and 4 GB to install; go2 is the same task, tuned",
    ),
    "imo_grading": f"{_ASKS}; tests/hyperspace/offline/test_pairs.py plays it with offline/grader",
    "imo_proof": f"{_ASKS}; tests/hyperspace/cli/runs/test_shapes.py plays one of scripts",
    "knowledge_qa": f"{_ASKS}; tests/hyperspace/cli/commands/test_rubric.py plays it with a judge",
    "paper_review": f"{_ASKS}, as that of imo_grading",
    "polyglot": f"{_ASKS}; tests/hyperspace/tasks/polyglot/test_solutions.py plays programs",
    "search_arena": f"{_ASKS}, as that of imo_grading",
}
"""Every other domain, and why no offline policy tunes it."""
