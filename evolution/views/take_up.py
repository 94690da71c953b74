"""What a run has come to, read from its views where they are as noted, else from the space.

The newest closing of an agent notes what its views were before it. Where they still are, little
else has to be read; where one is not, everything is put together from the space, and compared.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from evolution.state.closings import last_closings, records
from evolution.state.manifest import TEST, Closing, Noted
from evolution.state.marks import RunMarks
from evolution.views.run_views import ARCHIVE, AUDIT, STAMPS, RunViews, Whole
from evolution.views.views import View, first_difference

Last = Mapping[str, Closing | None]


class State(NamedTuple):
    """What a run has come to.

    Attributes:
        whole: What its views have to hold.
        last: What was closed last of each agent; None where nothing was.
        problems: What is wrong with its views, one sentence each.
    """

    whole: Whole
    last: Last
    problems: tuple[str, ...]


class _Text(NamedTuple):
    """What a view has to hold, and what the newest closing noted of it, if it noted anything."""

    view: View
    wanted: bytes
    noted: Noted | None


def read_state(marks: RunMarks, views: RunViews) -> State:
    """Find out how far a run is; writes nothing."""
    last = last_closings(marks)
    newest = _newest(marks, last)
    try:
        whole = None if newest is None else _from_views(marks, views, last, newest)
    except msgspec.ValidationError:  # lines of another version: made again, and no damage
        return State(_from_space(marks, last), last, ())
    if whole is not None and not any(map(_problem, _texts(views, whole, last, newest))):
        return State(whole, last, ())
    whole = _from_space(marks, last)
    told = filter(_is_told, _texts(views, whole, last, newest))
    return State(whole, last, tuple(problem for text in told if (problem := _problem(text))))


def archive_differences(marks: RunMarks, views: RunViews) -> Iterator[str]:
    """What is wrong with each agent's archive.jsonl, a sentence each; writes nothing.

    The run may be going on: what is noted is read before the files, and the files before the rest.
    """
    last = last_closings(marks)
    there = {name: view.content() for name, view in views.archives.items()}
    whole = _from_space(marks, last)
    for name, view in views.archives.items():
        noted, wanted, found = _noted(last[name], ARCHIVE), whole.archive_text(name), there[name]
        least = 0 if noted is None else noted.size_bytes
        if not wanted.startswith(found) or len(found) < least:
            yield f"{view.path.name} of {name} {first_difference(found, wanted)}"


def _from_space(marks: RunMarks, last: Last) -> Whole:
    whole = Whole(last)
    for record in records(marks):
        whole.take(record)
    return whole


def _newest(marks: RunMarks, last: Last) -> Closing | None:
    """What was closed last of all; None unless each agent has closed something."""
    closings = [closing for closing in last.values() if closing is not None]
    if len(closings) < len(last):
        return None
    return max(closings, key=lambda c: marks.sequence_of(c.manifest.agent, c.manifest.generation))


def _from_views(marks: RunMarks, views: RunViews, last: Last, newest: Closing) -> Whole | None:
    """Put together what the views hold and what came after; None if one is not as noted."""
    whole = Whole(last)
    for name, closing in last.items():
        archive = _begin(views.archives[name], closing, ARCHIVE)
        stamps = _begin(views.stamps[name], closing, STAMPS)
        if archive is None or stamps is None:
            return None
        whole.begin(name, archive, stamps)
    audit = _begin(views.audit, newest, AUDIT)
    if audit is None:
        return None
    _add_last(whole, last)
    whole.begin_audit(audit)
    sequence = marks.sequence_of(newest.manifest.agent, newest.manifest.generation)
    for record in records(marks, sequence - 1):
        whole.note(record)
    return whole


def _add_last(whole: Whole, last: Last) -> None:
    for closing in last.values():
        if closing is not None and closing.manifest.generation != TEST:
            whole.add(closing)


def _begin(view: View, closing: Closing | None, role: str) -> bytes | None:
    """The part of a view that a closing noted; None if it is not there any more."""
    noted = None if closing is None else closing.views.get(role)
    found = view.content()
    return found[: noted.size_bytes] if noted is not None and noted.holds_for(found) else None


def _texts(views: RunViews, whole: Whole, last: Last, newest: Closing | None) -> Iterator[_Text]:
    for name, closing in last.items():
        archive, stamps = views.archives[name], views.stamps[name]
        yield _Text(archive, whole.archive_text(name), _noted(closing, ARCHIVE))
        yield _Text(stamps, whole.stamps_text(name), _noted(closing, STAMPS))
    yield _Text(views.audit, whole.audit_text(), _noted(newest, AUDIT))


def _noted(closing: Closing | None, role: str) -> Noted | None:
    return None if closing is None else closing.views.get(role)


def _is_told(text: _Text) -> bool:
    """Whether a person is told: not of stamps, which a copy of the folder has to lose."""
    return text.noted is not None and not text.view.is_cache


def _problem(text: _Text) -> str:
    """Say what is wrong with a view; empty if it only lacks what a kill left out."""
    found = text.view.content()
    least = 0 if text.noted is None else text.noted.size_bytes
    if text.wanted.startswith(found) and len(found) >= least:
        return ""
    return f"{text.view.path} {first_difference(found, text.wanted)}"
