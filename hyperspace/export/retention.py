"""What is kept of a finished run's traces (`--keep-traces`), and what stands in their place.

Traces go only when the run is finished, when its space tells that they go, and its summary is
written: until then the analysis of adoption reads them. An attempt that was never closed keeps its
trace. What they showed of adoption is then in summary.json alone, and its hash on record.
"""

from typing import Any

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.files import canonical_json, pretty_json, sha256_hex, write_atomically
from hyperspace.kernel.state.folder import DROPPED, TRACE, RunFolder
from hyperspace.kernel.state.manifest import best_of
from hyperspace.kernel.state.mark_writer import MarkWriter
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.replacements import FileChange, Replacement, replacements
from hyperspace.options.launch import KeepTraces
from markspace import MarkSpace


class Dropped(msgspec.Struct, frozen=True):
    """The file in place of a trace that was not kept.

    Attributes:
        keep_traces: The option that dropped it.
        calls: How many calls it held.
        size_bytes: Its size.
        sha256: Its hash, as in the generation's closing mark.
    """

    keep_traces: KeepTraces
    calls: int
    size_bytes: int
    sha256: str


def record_dropped(
    folder: RunFolder, marks: RunMarks, writer: MarkWriter, keep: KeepTraces, adoptions: Any
) -> None:
    """Put on record which traces of closed attempts are not to be kept, and what they show.

    Safe to call again: none is named twice.

    Args:
        folder: The run's.
        marks: Its open space.
        writer: Writes to it.
        keep: Which traces are kept.
        adoptions: Those that summary.json is to tell; None for a run that has none to tell of.
    """
    named = dropped(marks)
    files = tuple(
        FileChange(path, digest, None)
        for path, digest in sorted(_not_kept(folder, marks, keep).items())
        if path not in named
    )
    if files:
        writer.record_replacement(Replacement("not kept", files, adoptions_sha256(adoptions)))


def drop_traces(folder: RunFolder, marks: RunMarks, keep: KeepTraces) -> None:
    """Drop the traces that are on record as not kept. Safe to call again.

    One that is not as it was closed stays, for the audit to tell.
    """
    named = dropped(marks)
    for path, digest in _not_kept(folder, marks, keep).items():
        trace = folder.root / path
        try:
            data = trace.read_bytes()
        except FileNotFoundError:  # gone already, or going in another process
            continue
        if path in named and sha256_hex(data) == digest:
            told = Dropped(keep, data.count(b"\n"), len(data), digest)
            write_atomically(trace.with_name(DROPPED), pretty_json(told))
            trace.unlink(missing_ok=True)


def adoptions_on_record(space: MarkSpace) -> str | None:
    """Return the hash of the adoptions that a run's summary may tell; None if none is on record."""
    on_record = (record.adoptions_sha256 for record in replacements(space).values())
    return next(filter(None, reversed([*on_record])), None)


def adoptions_sha256(adoptions: Any) -> str | None:
    """Return the hash of adoptions, as a summary tells them; None for None."""
    told = msgspec.to_builtins(adoptions)
    return None if told is None else sha256_hex(canonical_json(told))


def told_sha256(summary: bytes) -> str | None:
    """Return the hash of the adoptions that a summary.json tells; None if it tells of none."""
    try:
        return adoptions_sha256(decode_json(summary, _Summary).adoptions)
    except msgspec.MsgspecError:  # it is torn or none of ours, and tells nothing
        return None


def told_otherwise(folder: RunFolder, space: MarkSpace) -> str:
    """Return what is wrong with the adoptions in a run's summary.json; empty if nothing is.

    A summary that is lost tells nothing, and nothing wrong.
    """
    expected = adoptions_on_record(space)
    try:
        told = expected and told_sha256(read_whole(folder.summary))
    except Unreadable:
        return ""
    if told in (None, expected):
        return ""
    return (
        f"{folder.summary} tells other adoptions than were put on record when the traces that show "
        "them were dropped"
    )


class _Summary(msgspec.Struct):
    adoptions: list[Any] | None = None


def dropped(marks: RunMarks) -> set[str]:
    """Return the traces that are on record as not kept, as paths within the run."""
    records = replacements(marks.space).values()
    return {f.path for record in records if record.reason == "not kept" for f in record.files}


def _not_kept(folder: RunFolder, marks: RunMarks, keep: KeepTraces) -> dict[str, str]:
    """Return the hash of each trace that an option does not keep, by its path within the run."""
    traces: dict[str, str] = {}
    for agent in marks.config.agents if keep != "all" else ():
        manifests = (closing.manifest for closing in marks.closings(agent))
        best = best_of(manifests) if keep == "best" else None
        for closing in marks.closings(agent):
            is_best = best is not None and closing.manifest.generation == best.generation
            if TRACE in closing.files and not is_best:
                trace = folder.closed(closing) / TRACE
                traces[trace.relative_to(folder.root).as_posix()] = closing.files[TRACE]
    return traces
