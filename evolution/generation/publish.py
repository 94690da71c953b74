"""Step 7: files first, then one transaction. Before it the generation exists for no one."""

from collections.abc import Sequence

from agents.models.names import asked_name
from agents.wall_clock import utc_now
from agents.workspace.workspace import Strategy
from evolution.files import sync_folder, write_tree
from evolution.generation.attempt import Attempt, Took
from evolution.generation.draft import Draft
from evolution.generation.generation_files import Written, generation_files
from evolution.generation.sight import Sight
from evolution.generation.team import Participant
from evolution.state.manifest import Closing, Cursor, Manifest, Side
from evolution.views.stamps import Survey, survey


def publish(attempt: Attempt, made: Sequence[Draft], sight: Sight) -> Closing:
    """Write a generation's files and then its marks.

    Args:
        attempt: The attempt that made it.
        made: What it came to; after a tournament the winner first, and then who lost.
        sight: What was shown in it.

    Returns:
        The closing mark's content.
    """
    attempt.reach("publish")
    team, who, draft = attempt.team, attempt.who, made[0]
    team.marks.check_lease()
    for lost in made[1:]:
        draft.violations += lost.violations
    manifest = draft.manifest(team, attempt.calls(), attempt.refused())
    target = team.folder.generation(who.name, draft.generation)
    took = attempt.took()
    candidates: dict[Side, dict[str, str]] = {one.role: one.code for one in made if one.role}
    written = Written(draft.code, candidates, sight.truth(), took)
    write_tree(attempt.folder, generation_files(team, manifest, written))
    attempt.folder.rename(target)
    sync_folder(target.parent)
    closing = close(attempt, manifest, survey(target), took, sight.cursor)
    strategy = None
    if team.archives[who.name].is_new_best(manifest):
        strategy = _strategy(who, manifest, draft.code)
    attempt.reach("commit")
    time = team.clock(who, draft.generation)
    return team.marks.publish(closing, draft.code, time, strategy, candidates)


def close(
    attempt: Attempt, manifest: Manifest, files: Survey, took: Took, cursor: Cursor | None = None
) -> Closing:
    """Put beside the manifest what the digest leaves out."""
    return Closing(
        manifest=manifest,
        files=files.hashes,
        audit_head=attempt.team.marks.audit_head(),
        seconds=took.seconds,
        closed_utc=utc_now(),
        attempt=took.attempt,
        calls=took.calls,
        cost_usd=took.cost_usd,
        strikes=tuple(attempt.clock.strikes),
        answered_by=attempt.answered_by(),
        diverged=attempt.diverged,
        stamp=files.stamp,
        views=attempt.team.views.noted(manifest.agent),
        cursor=cursor or {},
        ledger_bytes=attempt.team.ledger.sync(),
    )


def _strategy(who: Participant, manifest: Manifest, code: dict[str, str]) -> Strategy:
    return Strategy(
        agent=who.name,
        model=asked_name(who.model.name).partition("?")[0],
        generation=int(manifest.generation),
        train_score=manifest.score("train"),
        val_score=manifest.score("val"),
        files=dict(code),
    )
