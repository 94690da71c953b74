"""What the guard did in a run, as JSON."""

import msgspec

from hyperspace.audit.audit import AuditTotal
from hyperspace.audit.noted import NotedRecords
from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.judged import audit_of
from hyperspace.runs.generation_record import GuardRecord, guard_record

MOST_RECORDS = 1_000


class WhoseRecord(msgspec.Struct, frozen=True):
    """One thing that the guard did.

    Attributes:
        agent: Whose; empty for what is the whole run's.
        generation: In which generation, or `test`; null where that is not on record.
        recorded_utc: When (ISO 8601); empty where that is not on record.
        record: The thing; without evidence unless texts are asked for.
    """

    agent: str
    generation: int | str | None
    recorded_utc: str
    record: GuardRecord


class AuditAnswer(msgspec.Struct, frozen=True):
    """The audit of a run.

    Attributes:
        records: What the guard refused, put back, rewrote or flagged, and what the mark space
            denied.
        count: How many there are in all.
        totals: Counts by agent, kind and verdict.
        through: What got past the guard, or was done to the files since; empty unless texts are
            asked for.
        through_count: How many lines that are.
        entries: Entries in the audit chain; null where the run is too long to be audited for an
            answer. The records are then those of audit.jsonl.
        head: Head of the chain; empty there.
        verified: Whether it verifies; null there.
        problem: Where it breaks.
    """

    records: tuple[WhoseRecord, ...]
    count: int
    totals: tuple[AuditTotal, ...]
    through: tuple[str, ...]
    through_count: int
    entries: int | None
    head: str
    verified: bool | None
    problem: str


def answer(question: Question) -> AuditAnswer:
    """Audit a run."""
    audit, with_texts = audit_of(question), question.with_texts
    records, first = audit.records, question.whole("from", 0)
    whole = None if isinstance(audit, NotedRecords) else audit
    through = () if whole is None else whole.through
    return AuditAnswer(
        records=tuple(
            WhoseRecord(
                line["agent"],
                line["generation"],
                line["recorded_utc"],
                guard_record(line if with_texts else {**line, "evidence": {}}),
            )
            for line in records[first : first + MOST_RECORDS]
        ),
        count=len(records),
        totals=audit.totals,
        through=through[:MOST_RECORDS] if with_texts else (),
        through_count=len(through),
        entries=None if whole is None else whole.entries,
        head="" if whole is None else whole.head,
        verified=None if whole is None else whole.verified,
        problem=audit.problem,
    )


ENDPOINT = ApiEndpoint(
    "audit",
    "/api/runs/{run}/audit",
    answer,
    AuditAnswer,
    "What the guard did, what got past it, and whether the audit chain verifies.",
    (
        ("content", "1: also evidence, which may quote agents"),
        ("from", f"first record, from 0; {MOST_RECORDS} are answered at most"),
    ),
    of="ours",
)
