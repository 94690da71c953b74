"""Names of levels and of their controls, as they are shown; nothing heavy: `--help` has them."""

from typing import Final

SHUFFLED: Final = "shuffled advice"
RANDOM_CASES: Final = "random cases"
ARENA: Final = "arena"
LEVEL_OF_ARM: Final = {
    "loop_best_of_n": "best of N",
    "loop": "loop",
    "feedback_shuffled_advice": SHUFFLED,
    "feedback": "feedback",
    "arm_a_full": "hyperagent",
}
"""Names of the arms of a set of levels, as they are shown and in that order."""

LEVELS: Final = (*LEVEL_OF_ARM.values(), ARENA, RANDOM_CASES)
"""All levels and controls, in the order in which they are shown."""

CONTROLS: Final = {"best of N": "loop", SHUFFLED: "feedback", RANDOM_CASES: ARENA}
"""The level that each control is compared with."""
