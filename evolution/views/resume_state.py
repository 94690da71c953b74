"""What a run has come to, read from its views where they are as noted, else from the space.

The newest closing of an agent notes what its views were before it. Where they still are, little
else has to be read; where one is not, everything is put together from the space, and compared.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from evolution.state.closings import last_closings, records
from evolution.state.manifest import TEST, Closing, PrefixHash
from evolution.state.marks import RunMarks
from evolution.views.log_file import LogFile, first_difference
from evolution.views.run_logs import ARCHIVE, AUDIT, STAMPS, ExpectedLogs, RunLogs

Last = Mapping[str, Closing | None]


class ResumeState(NamedTuple):
    """The state of a run, as a start needs it.

    Attributes:
        expected: What its views have to hold.
        last: What was closed last of each agent; None where nothing was.
        problems: What is wrong with its views, one sentence each.
    """

    expected: ExpectedLogs
    last: Last
    problems: tuple[str, ...]


class _Text(NamedTuple):
    """The expected content of a log file, and its prefix hash in the newest closing, if any."""

    view: LogFile
    wanted: bytes
    noted: PrefixHash | None


def resume_state(marks: RunMarks, views: RunLogs) -> ResumeState:
    """Find out how far a run is; writes nothing."""
    last = last_closings(marks)
    newest = _newest(marks, last)
    try:
        expected = None if newest is None else _from_views(marks, views, last, newest)
    except msgspec.ValidationError:  # lines of another version: made again, and no damage
        return ResumeState(_from_space(marks, last), last, ())
    if expected is not None and not any(map(_problem, _texts(views, expected, last, newest))):
        return ResumeState(expected, last, ())
    expected = _from_space(marks, last)
    told = filter(_is_told, _texts(views, expected, last, newest))
    return ResumeState(
        expected, last, tuple(problem for text in told if (problem := _problem(text)))
    )


def archive_differences(marks: RunMarks, views: RunLogs) -> Iterator[str]:
    """Describe what is wrong with each agent's archive.jsonl, a sentence each; writes nothing.

    The run may be going on: what is noted is read before the files, and the files before the rest.
    """
    last = last_closings(marks)
    there = {name: view.content() for name, view in views.archives.items()}
    expected = _from_space(marks, last)
    for name, view in views.archives.items():
        noted, wanted, actual = (
            _noted(last[name], ARCHIVE),
            expected.archive_text(name),
            there[name],
        )
        least = 0 if noted is None else noted.size_bytes
        if not wanted.startswith(actual) or len(actual) < least:
            yield f"{view.path.name} of {name} {first_difference(actual, wanted)}"


def _from_space(marks: RunMarks, last: Last) -> ExpectedLogs:
    expected = ExpectedLogs(last)
    for record in records(marks):
        expected.take(record)
    return expected


def _newest(marks: RunMarks, last: Last) -> Closing | None:
    """Return the newest closing of all; None unless each agent has closed something."""
    closings = [closing for closing in last.values() if closing is not None]
    if len(closings) < len(last):
        return None
    return max(closings, key=lambda c: marks.sequence_of(c.manifest.agent, c.manifest.generation))


def _from_views(
    marks: RunMarks, views: RunLogs, last: Last, newest: Closing
) -> ExpectedLogs | None:
    """Put together what the views hold and what came after; None if one is not as noted."""
    expected = ExpectedLogs(last)
    for name, closing in last.items():
        archive = _begin(views.archives[name], closing, ARCHIVE)
        stamps = _begin(views.stamps[name], closing, STAMPS)
        if archive is None or stamps is None:
            return None
        expected.begin(name, archive, stamps)
    audit = _begin(views.audit, newest, AUDIT)
    if audit is None:
        return None
    for closing in last.values():
        if closing is not None and closing.manifest.generation != TEST:
            expected.add(closing)
    expected.begin_audit(audit)
    sequence = marks.sequence_of(newest.manifest.agent, newest.manifest.generation)
    for record in records(marks, sequence - 1):
        expected.note(record)
    return expected


def _begin(view: LogFile, closing: Closing | None, role: str) -> bytes | None:
    """The part of a view that a closing noted; None if it is not there any more."""
    noted = None if closing is None else closing.views.get(role)
    content = view.content()
    return content[: noted.size_bytes] if noted is not None and noted.holds_for(content) else None


def _texts(
    views: RunLogs, expected: ExpectedLogs, last: Last, newest: Closing | None
) -> Iterator[_Text]:
    for name, closing in last.items():
        archive, stamps = views.archives[name], views.stamps[name]
        yield _Text(archive, expected.archive_text(name), _noted(closing, ARCHIVE))
        yield _Text(stamps, expected.stamps_text(name), _noted(closing, STAMPS))
    yield _Text(views.audit, expected.audit_text(), _noted(newest, AUDIT))


def _noted(closing: Closing | None, role: str) -> PrefixHash | None:
    return None if closing is None else closing.views.get(role)


def _is_told(text: _Text) -> bool:
    """Return whether a person is told: not of stamps, which a copy of the folder has to lose."""
    return text.noted is not None and not text.view.is_cache


def _problem(text: _Text) -> str:
    """Describe what is wrong with a log file; empty if it only lacks what a kill left out."""
    content = text.view.content()
    least = 0 if text.noted is None else text.noted.size_bytes
    if text.wanted.startswith(content) and len(content) >= least:
        return ""
    return f"{text.view.path} {first_difference(content, text.wanted)}"
