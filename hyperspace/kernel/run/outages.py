"""Pauses for a model that does not answer, on record; and telling which of them never end.

A server may fail for ever at one certain conversation, which each start asks again. One pause is an
outage like any other, and at the second start the server may not be back yet. From the third start
on that ends at the same call with the same complaint, the person is told that it is this call, and
how the run gets past it.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import msgspec

from hyperspace.kernel.errors import RunPaused
from hyperspace.kernel.exception_groups import leaf_errors
from hyperspace.kernel.generation.report import record_incident
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.closings import incidents
from hyperspace.kernel.state.manifest import TEST, Outage
from hyperspace.messages import CallPlace
from hyperspace.models.base import ModelError
from hyperspace.spending.ledger_file import read_lines
from hyperspace.spending.tries import Tries, tries_of
from hyperspace.wall_clock import utc_now

SAME_STARTS: Final = 3
_STATUS: Final = re.compile(r"\bstatus \d{3}\b")
_VARYING: Final = re.compile(r"(['\"]).*?\1|\d+")


@contextmanager
def outages_on_record(context: RunContext) -> Generator[None]:
    """Put pauses for models that do not answer on record.

    Raises:
        RunPaused: In place of one that says less: the same call ended several starts.
    """
    try:
        yield
    except BaseException as error:  # a pause may stand in a group, beside others
        pauses = [leaf for leaf in leaf_errors(error) if isinstance(leaf, RunPaused)]
        told = [said for pause in pauses if (said := _record(context, pause))]
        if told:
            raise RunPaused(told[0]) from error
        raise


def _record(context: RunContext, pause: RunPaused) -> str:
    """Put a pause on record; returns what is said of it in its place, empty for nothing."""
    failure = pause.outage
    if not isinstance(failure, ModelError) or failure.place is None:
        return ""
    place, said = failure.place, ""
    root = _root(failure)
    tries = tries_of(place, read_lines(context.folder.ledger))
    outage = Outage(
        agent=place.agent,
        generation=TEST if place.is_final else place.generation,
        call_id=place.call_id,
        complaint=_class_of(root),
        tries=tries.tries,
        starts=tries.starts,
        sentence=str(pause),
        paused_utc=utc_now(),
    )
    same = _tries_so_failed(context, outage)
    if same.starts >= SAME_STARTS:
        same = msgspec.structs.replace(tries, tries=same.tries, starts=same.starts)
        said = _sentence(context, place, same, printable_error(str(root)))
        outage = msgspec.structs.replace(outage, sentence=said)
    record_incident(context, outage)
    return said


def _tries_so_failed(context: RunContext, outage: Outage) -> Tries:
    """Return in how many tries and starts a call failed in this way, up to now without a break."""
    earlier = [
        each
        for each in incidents(context.marks)
        if isinstance(each, Outage) and _call_of(each) == _call_of(outage)
    ]
    pauses, tries, starts = 1, outage.tries, outage.starts
    for each in reversed(earlier):
        if each.complaint != outage.complaint:
            tries, starts = tries - each.tries, starts - each.starts
            break
        pauses += 1
    return Tries(tries=tries, starts=min(starts, pauses))


def _call_of(outage: Outage) -> tuple[str, int | str, str]:
    return outage.agent, outage.generation, outage.call_id


def _root(failure: BaseException) -> BaseException:
    """Return the model's own failure, which retrying wraps."""
    while isinstance(failure.__cause__, ModelError):
        failure = failure.__cause__
    return failure


def _class_of(failure: BaseException) -> str:
    """Return what is equal of failures that are the same trouble: kind and status, or the words."""
    text = str(failure)
    status = _STATUS.search(text)
    words = status.group() if status else _VARYING.sub("", printable_error(text))
    return f"{type(failure).__name__}: {words}"


def _sentence(context: RunContext, place: CallPlace, tries: Tries, complaint: str) -> str:
    where = "test" if place.is_final else f"gen {place.generation}"
    return (
        f"{place.agent} {where}: the call {place.call_id} to {tries.model} failed {tries.tries} "
        f"times over {tries.starts} starts of this run, always so: {complaint}; "
        f"{_whose_fault(tries)}; nothing is lost, and the same command asks again; to get past it: "
        f"{_remedy(context, place)}"
    )


def _whose_fault(tries: Tries) -> str:
    if tries.answered:
        others = f"{tries.answered} other {'call' if tries.answered == 1 else 'calls'}"
        return f"the model answered {others} meanwhile, so it is this request and not the server"
    if tries.others:
        return "the model answered no other call meanwhile, so it is probably the server"
    return (
        "the model was asked nothing else meanwhile; hyperspace models --ping MODEL says whether "
        "it answers at all"
    )


def _remedy(context: RunContext, place: CallPlace) -> str:
    options = "another option of the server, or another run with another model"
    is_given_up = context.steering.is_given_up(place.agent, place.generation)
    is_needed = place.is_final or place.generation == 0 or context.config.arena is not None
    if is_needed or is_given_up:  # of one that is given up, the best before it is scored again
        return options
    words = f"hyperspace steer {context.folder.root} give-up {place.agent}"
    if context.config.solo is not None and context.config.lanes > 1:
        words += f" {place.generation}"
    return f"{options}, or {words} (closes this generation as failed by its model; the run goes on)"
