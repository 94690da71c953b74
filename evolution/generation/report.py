"""Step 8: what people and tools read. All of it is a view of the space and can be made again."""

from agents.wall_clock import utc_now
from evolution.events import GenerationClosed
from evolution.files import pretty_json, write_atomically
from evolution.generation.team import Participant, Team
from evolution.state.archive import Archive
from evolution.state.manifest import TEST, Closing, Stop


def report(team: Team, who: Participant, closing: Closing) -> None:
    """Take a closed generation into the archive, the views and the progress display."""
    archive = team.archives[who.name]
    entry = archive.add(closing.manifest)
    team.marks.check_lease()
    team.views.add(entry, closing)
    write_summary(team, who)
    team.emit(closed_event(closing, archive))


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


def record_stop(team: Team, reached: str) -> None:
    """Put a pause at a limit on record: in the space, and in the audit that is a view of it."""
    stop = Stop(reached, utc_now())
    team.marks.check_lease()
    team.marks.record(stop)
    team.views.add_incident(stop)


def closed_event(closing: Closing, archive: Archive) -> GenerationClosed:
    """What observers are told of a closed generation."""
    manifest = closing.manifest
    if manifest.generation == TEST:
        raise TypeError("the final evaluation is no generation")
    return GenerationClosed(
        agent=manifest.agent,
        generation=manifest.generation,
        valid=manifest.valid,
        train_score=manifest.score("train"),
        val_score=manifest.score("val"),
        best_val=None if archive.best is None else archive.best.val_score,
        error=manifest.error,
        seconds=closing.seconds,
        calls=closing.calls,
        cost_usd=closing.cost_usd,
    )
