"""What is kept of a finished run's traces (`--keep-traces`), and what stands in their place.

Traces go only when the run is finished and its summary is written: until then the analysis of
adoption reads them. An attempt that was never closed keeps its trace.
"""

import msgspec

from evolution.files import pretty_json, sha256_hex, write_atomically
from evolution.state.folder import DROPPED, TRACE, RunFolder
from evolution.state.manifest import best_of
from evolution.state.marks import RunMarks
from evolution.state.options.launch import KeepTraces


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


def drop_traces(folder: RunFolder, marks: RunMarks, keep: KeepTraces) -> None:
    """Drop the traces of closed attempts that are not to be kept. Safe to call again."""
    for agent in marks.config.agents if keep != "all" else ():
        manifests = (closing.manifest for closing in marks.closings(agent))
        best = best_of(manifests) if keep == "best" else None
        for closing in marks.closings(agent):
            if best is not None and closing.manifest.generation == best.generation:
                continue
            trace = folder.closed(closing) / TRACE
            try:
                data = trace.read_bytes()
            except FileNotFoundError:  # gone already, or going in another process
                continue
            told = Dropped(keep, data.count(b"\n"), len(data), sha256_hex(data))
            write_atomically(trace.with_name(DROPPED), pretty_json(told))
            trace.unlink(missing_ok=True)
