"""What a run has come to, read from its views where they are as noted, else from the space.

The newest closing of an agent notes what its views were before it. Where they still are, little
else has to be read; where one is not, everything is put together from the space, and compared.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from hyperspace.kernel.state.closings import last_closings, records
from hyperspace.kernel.state.manifest import TEST, Closing, PrefixHash
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.views.log_file import LogFile, first_difference
from hyperspace.kernel.views.run_logs import ARCHIVE, AUDIT, STAMPS, ExpectedLogs, RunLogs

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


class _Check(NamedTuple):
    """A log file, its expected content, and its prefix hash in the newest closing, if any."""

    log: LogFile
    expected: bytes
    noted: PrefixHash | None

    @property
    def is_told(self) -> bool:
        """True if a person is told: not of stamps, which a copy of the folder has to lose."""
        return self.noted is not None and not self.log.is_cache

    def problem(self, content: bytes) -> str:
        """Describe what is wrong; empty if the file only lacks what a kill left out."""
        least = 0 if self.noted is None else self.noted.size_bytes
        if self.expected.startswith(content) and len(content) >= least:
            return ""
        return first_difference(content, self.expected)


def resume_state(marks: RunMarks, logs: RunLogs) -> ResumeState:
    """Find out how far a run is; writes nothing."""
    last = last_closings(marks)
    newest = None
    if all(last.values()):
        closings = filter(None, last.values())
        newest = max(
            closings, key=lambda c: marks.sequence_of(c.manifest.agent, c.manifest.generation)
        )
    try:
        expected = None if newest is None else _from_views(marks, logs, last, newest)
    except msgspec.ValidationError:  # lines of another version: made again, and no damage
        return ResumeState(_from_space(marks, last), last, ())
    if expected is not None and not any(_problems(_checks(logs, expected, last, newest))):
        return ResumeState(expected, last, ())
    expected = _from_space(marks, last)
    told = (check for check in _checks(logs, expected, last, newest) if check.is_told)
    return ResumeState(expected, last, tuple(_problems(told)))


def archive_differences(marks: RunMarks, logs: RunLogs) -> Iterator[str]:
    """Describe what is wrong with each agent's archive.jsonl, a sentence each; writes nothing.

    The run may be going on: what is noted is read before the files, and the files before the rest.
    """
    last = last_closings(marks)
    there = {name: log.content() for name, log in logs.archives.items()}
    expected = _from_space(marks, last)
    for name, log in logs.archives.items():
        check = _Check(log, expected.archive_text(name), _noted(last[name], ARCHIVE))
        if problem := check.problem(there[name]):
            yield f"{log.path.name} of {name} {problem}"


def _from_space(marks: RunMarks, last: Last) -> ExpectedLogs:
    expected = ExpectedLogs(last)
    for record in records(marks):
        expected.take(record)
    return expected


def _from_views(marks: RunMarks, logs: RunLogs, last: Last, newest: Closing) -> ExpectedLogs | None:
    """Put together what the views hold and what came after; None if one is not as noted."""
    expected = ExpectedLogs(last)
    for name, closing in last.items():
        archive = _begin(logs.archives[name], closing, ARCHIVE)
        stamps = _begin(logs.stamps[name], closing, STAMPS)
        if archive is None or stamps is None:
            return None
        expected.begin(name, archive, stamps)
    audit = _begin(logs.audit, newest, AUDIT)
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


def _begin(log: LogFile, closing: Closing | None, role: str) -> bytes | None:
    """The part of a view that a closing noted; None if it is not there any more."""
    noted = None if closing is None else closing.logs.get(role)
    content = log.content()
    return content[: noted.size_bytes] if noted is not None and noted.holds_for(content) else None


def _checks(
    logs: RunLogs, expected: ExpectedLogs, last: Last, newest: Closing | None
) -> Iterator[_Check]:
    for name, closing in last.items():
        archive, stamps = logs.archives[name], logs.stamps[name]
        yield _Check(archive, expected.archive_text(name), _noted(closing, ARCHIVE))
        yield _Check(stamps, expected.stamps_text(name), _noted(closing, STAMPS))
    yield _Check(logs.audit, expected.audit_text(), _noted(newest, AUDIT))


def _noted(closing: Closing | None, role: str) -> PrefixHash | None:
    return None if closing is None else closing.logs.get(role)


def _problems(checks: Iterable[_Check]) -> Iterator[str]:
    for check in checks:
        if problem := check.problem(check.log.content()):
            yield f"{check.log.path} {problem}"
