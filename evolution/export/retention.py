"""What is kept of a finished run's traces (`--keep-traces`), and what stands in their place.

Traces go only when the run is finished, when its space tells that they go, and its summary is
written: until then the analysis of adoption reads them. An attempt that was never closed keeps its
trace.
"""

import msgspec

from evolution.files import pretty_json, sha256_hex, write_atomically
from evolution.state.folder import DROPPED, TRACE, RunFolder
from evolution.state.manifest import best_of
from evolution.state.mark_writer import MarkWriter
from evolution.state.marks import RunMarks
from evolution.state.options.launch import KeepTraces
from evolution.state.replacements import FileChange, Replacement, replacements


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
    folder: RunFolder, marks: RunMarks, writer: MarkWriter, keep: KeepTraces
) -> None:
    """Put on record which traces of closed attempts are not to be kept.

    Safe to call again: none is named twice.
    """
    named = _dropped(marks)
    files = tuple(
        FileChange(path, digest, None)
        for path, digest in sorted(_not_kept(folder, marks, keep).items())
        if path not in named
    )
    if files:
        writer.record_replacement(Replacement("not kept", files))


def drop_traces(folder: RunFolder, marks: RunMarks, keep: KeepTraces) -> None:
    """Drop the traces that are on record as not kept. Safe to call again.

    One that is not as it was closed stays, for the audit to tell.
    """
    named = _dropped(marks)
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


def _dropped(marks: RunMarks) -> set[str]:
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
