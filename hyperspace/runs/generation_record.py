"""What is on record of one generation beside its scores and code: gates, cost, edits, violations.

Of a run of ours from the closing mark, of any other from `metadata.json`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.errors import RunError
from hyperspace.kernel.generation.observing.accesses import Accesses, read_accesses
from hyperspace.kernel.generation.observing.watch import ObservedEdit
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Closing
from hyperspace.kernel.state.opening import reading
from hyperspace.runs.files import inner, number, read_json, whole, words
from hyperspace.runs.records import Generation
from markspace.errors import StoreError

EDITS: Final = "edits.jsonl"


class GuardRecord(msgspec.Struct, frozen=True):
    """One thing that the guard refused, or that a content policy found.

    Attributes:
        kind: `edit-scope`, `policy`, `budget` or `attack`.
        what: What was tried.
        path: Workspace path concerned; empty when there is none.
        verdict: What the guard did about it.
        reason: Why.
        evidence: Details; texts of it may be an agent's.
    """

    kind: str
    what: str
    path: str
    verdict: str
    reason: str
    evidence: dict[str, Any] = {}


class GenerationRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The record of one generation.

    Attributes:
        gates: Gate name to `passed` or the failure.
        error_class: Whose fault its error was; empty without one.
        violations: What the guard did in it.
        attempt: Abandoned attempts before the one that was closed.
        closed_utc: When it was closed; empty if that is not on record.
        seconds: Wall time of the attempt that was closed.
        calls: Model calls made or served.
        cost_usd: What they cost.
        edits: Each observed state of each file that the agent touched, in time.
        accesses: What was read, listed and written; None where nobody watched.
        notes: What cannot be read.
    """

    gates: Mapping[str, str] = {}
    error_class: str = ""
    violations: tuple[GuardRecord, ...] = ()
    attempt: int = 0
    closed_utc: str = ""
    seconds: float | None = None
    calls: int | None = None
    cost_usd: float | None = None
    edits: tuple[ObservedEdit, ...] = ()
    accesses: Accesses | None = None
    notes: tuple[str, ...] = ()


def folder_of(turn: Generation) -> Path | None:
    """Return the folder of a generation; None of one that was read from a table."""
    return None if turn.trace.path is None else turn.trace.path.parent


def read_generation_record(run: Path, agent: str, turn: Generation) -> GenerationRecord:
    """Read what is on record of a generation; what cannot be read stands in its notes.

    Args:
        run: The run's folder.
        agent: Its name.
        turn: The generation, as it was read.
    """
    folder = folder_of(turn)
    if folder is None:
        return GenerationRecord()
    closing: Closing | None = None
    notes: list[str] = []
    if turn.records is not None:
        try:
            closing = _closing(run, agent, turn.generation)
        except (RunError, StoreError) as error:
            notes.append(f"the space cannot be read ({error}): this is what metadata.json says")
    record = _of_metadata(folder) if closing is None else _of_closing(closing)
    edits = tuple(_edits(folder, notes))
    return msgspec.structs.replace(
        record, edits=edits, accesses=read_accesses(folder), notes=tuple(notes)
    )


def _closing(run: Path, agent: str, generation: int) -> Closing:
    folder = RunFolder(run)
    with reading(folder, read_record_of(run).configuration) as marks:
        return marks.closing(agent, generation)


def _of_closing(closing: Closing) -> GenerationRecord:
    manifest = closing.manifest
    return GenerationRecord(
        gates=manifest.gates,
        error_class=manifest.error_class,
        violations=tuple(
            GuardRecord(v.topic, v.what, v.path, v.verdict, v.reason, v.evidence)
            for v in manifest.violations
        ),
        attempt=closing.attempt,
        closed_utc=closing.closed_utc,
        seconds=closing.seconds,
        calls=closing.calls,
        cost_usd=closing.cost_usd,
    )


def _of_metadata(folder: Path) -> GenerationRecord:
    fields = read_json(folder / "metadata.json", dict[str, Any]) or {}
    gates = inner(fields, "gates")
    return GenerationRecord(
        gates={name: text for name, text in gates.items() if isinstance(text, str)},
        error_class=words(fields, "error_class"),
        attempt=whole(fields, "attempt") or 0,
        seconds=number(fields, "seconds"),
        calls=whole(fields, "calls"),
        cost_usd=number(fields, "cost_usd"),
    )


def _edits(folder: Path, notes: list[str]) -> Iterator[ObservedEdit]:
    """Read the observed edits; a damaged line is one that is missing."""
    try:
        content = read_whole(folder / EDITS)
    except Unreadable as reason:
        if not reason.is_missing:
            notes.append(f"{EDITS} {reason}")
        return
    damaged = 0
    for line in filter(None, content.split(b"\n")):
        try:
            yield decode_json(line, ObservedEdit)
        except msgspec.MsgspecError:
            damaged += 1
    if damaged:
        notes.append(f"{EDITS} has {damaged} damaged lines, which are left out")


def guard_record(line: Mapping[str, Any]) -> GuardRecord:
    """Return a line of audit.jsonl, as an audit tells it, without whose it is."""
    return msgspec.convert(
        {name: line[name] for name in GuardRecord.__struct_fields__}, GuardRecord
    )
