"""How much of validation the agents of a run could have seen, in bits: an upper bound.

A generation counts if it was evaluated on validation, T of them in all. With n items, each asked K
times, and the k + 1 multiples of the step that a fitness can be rounded to
(`hyperspace.kernel.selection.fitness_in_sight`)::

    scores    T log2(v + f)               v = n K + 1 values of an accuracy, 2^64 of any other
                                          score, squared where an ensemble has one of its own
    rounded   T log2(k + 2)               a rounded value, or that it failed
    ladder    T + log2 C(T + k, k)        which of them failed, and a sequence that never falls
    none      T                           which of them failed

f is the number of ways in which a failure under validation is told
(`hyperspace.kernel.evaluation.failures`). What an agent's parents, history and peers tell follows
from these values, so it adds nothing. Agents may have seen each other's: the sum bounds what any
one knows. Bits are no labels: whoever asks well learns a label with each bit, and no more than
that.
"""

from math import ceil, comb, log2
from typing import Final

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.evaluation.failures import CLASSES, failed_under_validation
from hyperspace.kernel.selection.fitness_in_sight import values_in_sight
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import TEST
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.tasks.base import Domain
from hyperspace.workspace.visibility import Val

ACCURACY: Final = "accuracy"  # the metric of a score that is a share of items
_ANY_SCORE: Final = 2**64
_FAILURES: Final = len(CLASSES) + 1  # and that the score is no finite number


class ValidationSeen(msgspec.Struct, frozen=True):
    """The bits of validation that agents could have seen.

    Attributes:
        visible: What was shown of it (`--visible`).
        most_bits: Of all agents together, rounded up.
        by_agent: Of each agent's own generations.
    """

    visible: Val
    most_bits: float
    by_agent: dict[str, float]


class _Summary(msgspec.Struct):
    validation: ValidationSeen | None = None


def seen_on_record(folder: RunFolder) -> ValidationSeen | None:
    """Read from a finished run's summary what could be seen; None in one of an older version."""
    try:
        return decode_json(read_whole(folder.summary), _Summary).validation
    except (Unreadable, msgspec.MsgspecError):
        return None


def validation_seen(domain: Domain, marks: RunMarks) -> dict[str, ValidationSeen]:
    """Return the bits of validation that agents could have seen, for a run's summary.

    Args:
        domain: The run's task.
        marks: The run's.
    """
    by_agent = {agent: _round_up(_bits(domain, marks, agent)) for agent in marks.config.agents}
    total = _round_up(sum(by_agent.values()))
    return {"validation": ValidationSeen(marks.config.visible.val, total, by_agent)}


def _bits(domain: Domain, marks: RunMarks, agent: str) -> float:
    config, manifests = marks.config, [closing.manifest for closing in marks.closings(agent)]
    evaluated = [
        manifest
        for manifest in manifests
        if manifest.generation != TEST
        and (manifest.score("val") is not None or failed_under_validation(manifest.error))
    ]
    count, highest = len(evaluated), values_in_sight(domain) - 1
    match config.visible.val:
        case "scores":
            is_share = domain.metric == ACCURACY
            values = len(domain.items("val")) * config.repeats + 1 if is_share else _ANY_SCORE
            ensembles = sum(manifest.ensemble is not None for manifest in evaluated)
            return count * log2(values + _FAILURES) + ensembles * log2(values)
        case "rounded":
            return count * log2(highest + 2)
        case "ladder":
            return count + log2(comb(count + highest, highest))
        case "none":
            return float(count)


def _round_up(bits: float) -> float:
    return ceil(bits * 10) / 10
