"""What people read and quote of a run, held against its space: its summaries, and its record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from guards.parsing import decode_json
from guards.scope.regular_files import read_whole
from hyperspace.kernel.files import sha256_hex
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.manifest import TEST, Closing
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.provenance import hashes_of_record, recorded_hashes
from hyperspace.kernel.state.replacements import Changes
from hyperspace.kernel.views.citation import returned_models
from hyperspace.summaries.best_code import is_best_code
from hyperspace.summaries.outcome import differing, tally

Result = Callable[[RunFolder, RunMarks], Mapping[str, Any]]
"""Reads from a run's space what its summary.json has to say, and from files that are as closed."""

_REDACTED = {"adoptions", "returned_models"}  # quotes from traces, and names with hosts


def in_space(folder: RunFolder, marks: RunMarks) -> dict[str, Any]:
    """Return what the summary of every kind of run says."""
    return {**tally(marks).fields(), "run": folder.root.name}


def wrong_summaries(
    folder: RunFolder,
    marks: RunMarks,
    closings: Sequence[Closing],
    result: Result,
    *,
    is_redacted: bool,
) -> Iterator[str]:
    """Find what the summaries of a finished run have otherwise than its space; one line each.

    Args:
        folder: Where its files lie.
        marks: Its open space, whose chain was verified.
        closings: Its closing marks.
        result: Reads what its summary.json has to say.
        is_redacted: Whether files were redacted or not kept since they were closed.
    """
    if not marks.has_finals:
        return
    name = folder.summary.name
    if folder.summary.is_file():
        fields = {**result(folder, marks), "returned_models": returned_models(closings)}
        del fields["run"]  # the folder, which may have been moved
        kept = {k: v for k, v in fields.items() if not (is_redacted and k in _REDACTED)}
        for field in differing(folder.summary, kept):
            yield f"{name}: {field} is not what the space says"
    elif holder_of(marks.space) is None:  # else it may be about to be written
        yield f"{name} is missing, and the run is finished"
    for agent in marks.config.agents:
        archive = Archive(agent)
        for closing in closings:
            if closing.manifest.agent == agent and closing.manifest.generation != TEST:
                archive.add(closing.manifest)
        for field in differing(folder.agent_summary(agent), archive.summary()):
            yield f"{agent}/{name}: {field} is not what the space says"


def wrong_record(folder: RunFolder, marks: RunMarks, changes: Changes) -> Iterator[str]:
    """Find what run_config.json has otherwise than when it was written; one line each.

    Args:
        folder: Where it lies.
        marks: The run's open space, whose chain was verified.
        changes: What is on record of files that were replaced since, by path within the run.
    """
    recorded, name = recorded_hashes(marks.space), folder.record.name
    content = read_whole(folder.record)
    redacted = changes.get(name)
    if not recorded or (redacted and redacted[-1].after == sha256_hex(content)):
        return
    expected = recorded[-1].fields
    actual = hashes_of_record(decode_json(content, dict[str, Any])).fields
    for field in sorted({name for name, _ in expected.items() ^ actual.items()}):
        yield f"{name}: {field} is not what the run was begun with"


def wrong_best(folder: RunFolder, marks: RunMarks) -> Iterator[str]:
    """Find whether the best code of a finished run is other code than its space knows as that."""
    if marks.has_finals and holder_of(marks.space) is None and not is_best_code(folder, marks):
        yield f"{folder.best.name} holds other code than the best generation's"
