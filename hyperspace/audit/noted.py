"""What audit.jsonl tells of a run, without an audit: of a long run, that takes minutes."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.audit.audit import AuditTotal
from hyperspace.kernel.state.folder import RunFolder

MOST_BYTES: Final = 64_000_000


class _Line(msgspec.Struct, frozen=True):
    agent: str
    generation: int | str | None
    kind: str
    what: str
    path: str
    verdict: str
    reason: str
    recorded_utc: str
    evidence: dict[str, Any] = {}


class NotedRecords(NamedTuple):
    """The lines of audit.jsonl.

    Attributes:
        records: In the form of an audit's.
        totals: Counts of them.
        problem: What cannot be read, as a sentence's end; empty for nothing.
    """

    records: tuple[dict[str, Any], ...]
    totals: tuple[AuditTotal, ...]
    problem: str


def read_noted(run: Path) -> NotedRecords:
    """Read the record of what the guard did, as the run wrote it down."""
    path = RunFolder(run).audit
    try:
        content = read_whole(path, MOST_BYTES)
    except Unreadable as reason:
        return NotedRecords((), (), "" if reason.is_missing else f"audit.jsonl {reason}")
    records: list[dict[str, Any]] = []
    damaged = 0
    for line in content.split(b"\n")[:-1]:  # one that is being written has no end yet
        try:
            records.append(msgspec.structs.asdict(decode_json(line, _Line)))
        except msgspec.MsgspecError:
            damaged += 1
    problem = f"audit.jsonl has {damaged} damaged lines" if damaged else ""
    return NotedRecords(tuple(records), totals_of(records), problem)


def totals_of(records: Iterable[dict[str, Any]]) -> tuple[AuditTotal, ...]:
    """Count records by agent, kind and verdict."""
    counts = Counter((line["agent"], line["kind"], line["verdict"]) for line in records)
    return tuple(AuditTotal(*key, count) for key, count in sorted(counts.items()))
