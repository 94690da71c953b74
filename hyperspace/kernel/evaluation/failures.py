"""What is said of code that failed in its evaluation, and how much of it the agent may read.

Code sees the inputs of validation while it is evaluated there. If its own words came back, they
would carry those inputs into the next generation; so they stay on the host's record.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final, get_args

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.sandbox import EndReason
from hyperspace.kernel.state.manifest import SplitResult
from hyperspace.tasks.base import Domain, Split, leaf_of
from hyperspace.tasks.protocols import speaks
from hyperspace.tasks.shapes.outcome import decode_outcome
from hyperspace.tasks.shapes.verified import HasBenchmark

CLASSES: Final = (*get_args(EndReason), "error")
"""What an agent can read of how its code failed under validation."""
LONGEST_ERROR: Final = 300  # characters of one that ends a run
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


def only_errors(domain: Domain, train: SplitResult | None) -> str:
    """Return the commonest error of an evaluation in which no item was answered without one.

    Args:
        domain: The task.
        train: The result on train, maybe of its staged pass alone; None if there is none.

    Returns:
        The error, of equals the first; empty where an item was answered, or none was asked.
    """
    if train is None:
        return ""
    errors = [*train.errors.values()]
    for text in _benchmark_errors(domain, train.predictions):
        if not text:
            return ""
        errors.append(text)
    if not errors:
        return ""
    ((error, count),) = Counter(errors).most_common(1)
    of = f"{count} of {len(errors)} items: " if len(errors) > 1 else ""
    return f"{of}{error[-LONGEST_ERROR:]}"


def _benchmark_errors(domain: Domain, predictions: Mapping[str, str]) -> list[str]:
    """Return why the benchmark itself failed on each item that has a prediction; empty if not."""
    errors: list[str] = []
    for item in domain.items("train"):
        if item.id in predictions:
            leaf = leaf_of(domain, item).domain
            answer = predictions[item.id]
            failed = (
                leaf.benchmark_error(decode_outcome(answer)) if speaks(leaf, HasBenchmark) else ""
            )
            errors.append(failed)
    return errors
