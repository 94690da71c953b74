"""What was observed of a generation while it was made: edits in time, accesses step by step."""

from collections.abc import Iterator
from typing import Final

from hyperspace.dashboard.pages.facts import PagePart
from hyperspace.dashboard.pages.parts import named
from hyperspace.reporting.page import Markup, folded, note, table
from hyperspace.runs.generation_record import GenerationRecord

MOST_ROWS: Final = 300


def activity_parts(record: GenerationRecord) -> Iterator[PagePart]:
    """Return edits and accesses; nothing if there are none."""
    if record.edits:
        yield PagePart("edits", "Edits in time", _edits(record))
    accesses = record.accesses
    if accesses is None:
        return
    rows = [
        (str(row.step), row.kind, named(row.path), str(row.count), str(len(row.lines) or ""))
        for row in accesses.records[:MOST_ROWS]
    ]
    headings = ("after reply", "what", "path", "times", "new lines")
    caption = f"Accesses that the kernel reported{_first_of(len(accesses.records))}"
    shown = table(headings, rows, caption=caption, numeric=(0, 3, 4))
    parts = [folded("What was read, listed and written", shown)]
    if accesses.unobserved:
        parts.insert(0, note(f"Some may be missing: {accesses.unobserved[:300]}"))
    yield PagePart("accesses", "Accesses", *parts)


def _edits(record: GenerationRecord) -> Markup:
    """Each observed state of each file, in time."""
    rows = [
        (
            edit.seen_utc[11:23],
            named(edit.path),
            "gone" if edit.sha256 is None else edit.sha256[:12],
            "" if edit.size_bytes is None else str(edit.size_bytes),
            str(edit.after_call),
            "as ingest found it" if edit.final else "cause inferred" if edit.inferred else "",
        )
        for edit in record.edits[:MOST_ROWS]
    ]
    headings = ("time (UTC)", "file", "SHA-256", "bytes", "after reply", "")
    caption = f"Observed states of files{_first_of(len(record.edits))}"
    return table(headings, rows, caption=caption, numeric=(3, 4))


def _first_of(count: int) -> str:
    return f": the first {MOST_ROWS} of {count}" if count > MOST_ROWS else ""
