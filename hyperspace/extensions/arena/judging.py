"""The oracle's word on what a tester proposes: a line a case, judged one by one.

A tester's text may hold anything, so it is read line by line within bounds, and nothing in it
counts but inputs and a label, which has to be the oracle's.
"""

from collections.abc import Iterator, Set
from typing import Any, Final

import msgspec

from guards.parsing import decode_json
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.cases import REFUSALS, STANDS, JudgedCase, Refusal
from hyperspace.tasks.base import SPLITS, Domain
from hyperspace.tasks.shapes.cases import CaseMalformed, HasOracle
from hyperspace.tasks.table import normalise

MOST_PROPOSED: Final = 8  # cases of a round that are looked at
LONGEST_CASE: Final = 4_096  # bytes of its line
_SHOWN: Final = 200  # characters of a refused one that are kept


class ProposedCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line that a tester writes: `{"inputs": {...}, "label": "..."}`."""

    inputs: dict[str, Any]
    label: str


def judge_cases(
    oracle: HasOracle, text: str, taken: Set[str], prefix: str, most: int = MOST_PROPOSED
) -> tuple[JudgedCase, ...]:
    """Judge what a tester wrote, in its order.

    Args:
        oracle: The task's.
        text: Lines of JSON; empty ones do not count.
        taken: Normal forms of the items and cases that a tester may know of.
        prefix: How the cases' ids begin.
        most: How many lines are looked at; of those behind them one case tells.

    Returns:
        A case for each line that was looked at.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    forms, judged = set(taken), list[JudgedCase]()
    for number, line in enumerate(lines[:most]):
        case, form = _judge(oracle, line, forms, f"{prefix}-{number}")
        forms.add(form)
        judged.append(case)
    beyond = len(lines) - most
    if beyond > 0:
        name = f"{prefix}-{most}"
        judged.append(refused(name, "too_many", f"{beyond} more than {most} of a round"))
    return tuple(judged)


def open_forms(domain: Domain, oracle: HasOracle) -> frozenset[str]:
    """Return the normal forms of the items on which what a tester is told may depend."""
    return frozenset(oracle.normal_form(item.inputs) for item in domain.items("train"))


def known_forms(domain: Domain, oracle: HasOracle) -> Iterator[str]:
    """Yield the normal form of every item of the task, those of the sealed splits included."""
    for split in SPLITS:
        for item in domain.items(split):
            yield oracle.normal_form(item.inputs)


def refused(name: str, why: Refusal, reason: str = "", proposed: str = "") -> JudgedCase:
    """Return a case that does not stand."""
    told = printable_error(reason or REFUSALS[why])
    return JudgedCase(name, why, reason=told, proposed=printable_error(proposed[:_SHOWN]))


def _judge(oracle: HasOracle, line: str, forms: Set[str], name: str) -> tuple[JudgedCase, str]:
    """Judge one line; returns the case, and its normal form if it has one that may count."""
    size = len(line.encode(errors="replace"))
    if size > LONGEST_CASE:
        return refused(name, "too_long", f"{size} bytes; at most {LONGEST_CASE}", line), ""
    try:
        proposed = decode_json(line, ProposedCase)
        form = oracle.normal_form(proposed.inputs)
    except (msgspec.DecodeError, CaseMalformed) as error:
        return refused(name, "malformed", str(error), line), ""
    label = normalise(proposed.label)
    if label not in oracle.answers:
        told = f"the label {label[:_SHOWN]!r} is none of {', '.join(oracle.answers)}"
        return refused(name, "malformed", told, line), ""
    answer = oracle.decide(proposed.inputs)
    if label != answer.label:
        return refused(name, "wrong", f"it is {answer.label}", line), ""
    if form in forms:
        return refused(name, "near_duplicate", "", line), ""
    return JudgedCase(name, STANDS, proposed.inputs, answer.label, answer.kind), form
