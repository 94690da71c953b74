"""What is said of code that failed in its evaluation, and how much of it the agent may read.

Code sees the inputs of validation while it is evaluated there. If its own words came back, they
would carry those inputs into the next generation; so they stay on the host's record.
"""

import re
from typing import Final, get_args

from domains.base import Split
from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.sandbox import EndReason

CLASSES: Final = (*get_args(EndReason), "error")
"""What an agent can read of how its code failed under validation."""
_ENDED: Final = re.compile(r"(the task agent ended \d+ times on val): (\w*)")
_NO_NUMBER: Final = "the score on val is "


def ended_too_often(split: Split, times: int, error: str) -> str:
    """Say that code ended its sandboxes.

    Args:
        split: On which split.
        times: How often.
        error: The last time's `SandboxEnded`, its reason first.
    """
    return f"the task agent ended {times} times on {split}: {error}"


def no_finite_score(split: Split, score: float) -> str:
    """Say that code scored no number that can be compared."""
    return f"the score on {split} is {score}, which is no finite number"


def failed_under_validation(error: str) -> bool:
    """Return whether an error arose where the inputs of validation were in the code's sight."""
    return error.startswith(_NO_NUMBER) or _ENDED.match(error) is not None


def error_in_sight(error: str, *, by_class: bool, without: Without = ALL_IN_FORCE) -> str:
    """Return the part of an error that its agent may read.

    Args:
        error: As it is on record.
        by_class: Whether the agent may know in which way its code failed under validation.
        without: Defences that a test has taken away.
    """
    if not failed_under_validation(error) or Defence.VAL_ERRORS in without:
        return error
    if not by_class:
        return "the evaluation on val failed: error"
    if (ended := _ENDED.match(error)) is None:
        return "the score on val is no finite number: error"
    how, reason = ended.groups()
    return f"{how}: {reason if reason in CLASSES else 'error'}"
