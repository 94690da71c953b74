"""Step 8: what people and tools read. All of it is a view of the space and can be made again."""

from collections.abc import Iterable

from agents.wall_clock import utc_now
from evolution.archive import Archive, Entry
from evolution.events import GenerationClosed
from evolution.files import append_line, canonical_json, pretty_json, write_atomically
from evolution.manifest import TEST, Closing, Stop, Violation
from evolution.team import Participant, Team


def report(team: Team, who: Participant, closing: Closing, *, resumed: bool = False) -> None:
    """Take a closed generation into the archive, the summary and the progress display."""
    archive = team.archives[who.name]
    entry = archive.add(closing.manifest)
    if not resumed:
        team.marks.check_lease()
        append_line(team.folder.archive(who.name), archive_line(entry))
        for violation in closing.manifest.violations:
            append_line(team.folder.audit, audit_line(closing, violation))
        write_summary(team, who)
    team.emit(_closed(who, closing, archive, resumed=resumed))


def rebuild_views(team: Team, closings: dict[str, list[Closing]]) -> None:
    """Write archive.jsonl, audit.jsonl and the summaries afresh from the space."""
    for who in team.participants:
        lines = map(archive_line, team.archives[who.name].entries)
        write_atomically(team.folder.archive(who.name), _lines(lines))
        write_summary(team, who)
    ordered = sorted(
        (closing for found in closings.values() for closing in found),
        key=lambda closing: closing.closed_utc,
    )
    violations = (
        audit_line(closing, violation)
        for closing in ordered
        for violation in closing.manifest.violations
    )
    stops = map(stop_line, team.marks.stops())
    write_atomically(team.folder.audit, _lines([*violations, *stops]))


def write_summary(team: Team, who: Participant) -> None:
    """Write an agent's summary.json."""
    archive = team.archives[who.name]
    best = archive.best
    summary = {
        "model": who.name,
        "archive_size": len(archive.entries),
        "best_val": None if best is None else best.val_score,
        "best_train": None if best is None else best.train_score,
        "best_generation": None if best is None else best.generation,
        "model_name": who.model.name,
    }
    write_atomically(team.folder.agent(who.name) / "summary.json", pretty_json(summary))


def archive_line(entry: Entry) -> dict[str, object]:
    """One line of archive.jsonl."""
    return {
        "current_genid": entry.generation,
        "parent": entry.parent,
        "valid": entry.valid,
        "fitness": entry.fitness,
        "train_score": entry.train_score,
        "val_score": entry.val_score,
        "best": entry.is_best,
    }


def audit_line(closing: Closing, violation: Violation) -> dict[str, object]:
    """One line of audit.jsonl."""
    return {
        "agent": closing.manifest.agent,
        "generation": closing.manifest.generation,
        "kind": violation.topic,
        "what": violation.what,
        "path": violation.path,
        "verdict": violation.verdict,
        "reason": violation.reason,
        "evidence": violation.evidence,
        "recorded_utc": closing.closed_utc,
    }


def record_stop(team: Team, reached: str) -> None:
    """Put a pause at a limit on record: in the space, and in the audit that is a view of it."""
    stop = Stop(reached, utc_now())
    team.marks.check_lease()
    team.marks.record_stop(stop)
    append_line(team.folder.audit, stop_line(stop))


def stop_line(stop: Stop) -> dict[str, object]:
    """The line of audit.jsonl for a pause at a limit; it is nobody's in particular."""
    return {
        "agent": "",
        "generation": None,
        "kind": "budget",
        "what": "the run reached a limit",
        "path": "",
        "verdict": "paused",
        "reason": stop.reached,
        "evidence": {},
        "recorded_utc": stop.stopped_utc,
    }


def _closed(
    who: Participant, closing: Closing, archive: Archive, *, resumed: bool
) -> GenerationClosed:
    manifest = closing.manifest
    if manifest.generation == TEST:
        raise TypeError("the final evaluation is no generation")
    return GenerationClosed(
        agent=who.name,
        generation=manifest.generation,
        valid=manifest.valid,
        train_score=manifest.score("train"),
        val_score=manifest.score("val"),
        best_val=None if archive.best is None else archive.best.val_score,
        error=manifest.error,
        seconds=closing.seconds,
        calls=closing.calls,
        cost_usd=closing.cost_usd,
        resumed=resumed,
    )


def _lines(values: Iterable[object]) -> bytes:
    return b"".join(canonical_json(value) + b"\n" for value in values)
