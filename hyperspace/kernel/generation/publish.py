"""Step 7: files first, then one transaction. Before it the generation exists for no one."""

from collections.abc import Sequence

import anyio
import anyio.to_thread
from msgspec.structs import replace

from hyperspace.kernel.files import sync_folder, write_tree
from hyperspace.kernel.generation.attempt import Attempt, Took
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.extension import extensions
from hyperspace.kernel.generation.generation_files import Written, generation_files
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies
from hyperspace.kernel.state.manifest import Closing, Cursor, Manifest, Side
from hyperspace.kernel.views.stamps import HashedFolder, survey
from hyperspace.models.names import asked_name
from hyperspace.wall_clock import utc_now
from hyperspace.workspace.workspace import Strategy


async def publish(
    attempt: Attempt, made: Sequence[Candidate], visible: VisibleStrategies
) -> Closing:
    """Write a generation's files and then its marks.

    Others play on while the disk is waited for.

    Args:
        attempt: The attempt that made it.
        made: What it came to; after a tournament the winner first, and then who lost.
        visible: What was shown in it.

    Returns:
        The closing mark's content.
    """
    attempt.reach("publish")
    context, who, candidate = attempt.context, attempt.who, made[0]
    context.writer.check_ours()
    for lost in made[1:]:
        candidate.violations += lost.violations
    manifest = candidate.manifest(
        context, attempt.log.calls(), attempt.refused(), attempt.needs.raised()
    )
    target = context.folder.generation(who.name, candidate.generation)
    took = attempt.took()
    candidates: dict[Side, dict[str, str]] = {
        each.role: each.code for each in made if each.role == "blind" or each.role == "directed"
    }
    written = Written(
        candidate.code, candidates, visible.sources(), took, results_of=candidate.results_of
    )
    files = generation_files(context, manifest, written)
    await anyio.to_thread.run_sync(write_tree, attempt.folder, files)
    context.writer.check_ours()  # it may have been lost meanwhile
    attempt.folder.rename(target)
    sync_folder(target.parent)
    surveyed = survey(target)
    others = surveyed.hashes.keys() - files.keys()
    await anyio.to_thread.run_sync(context.writer.keep_files, target, others)
    closing = close(
        attempt, manifest, surveyed, took, visible.cursor, results_of=candidate.results_of
    )
    if candidate.is_unchanged and candidate.valid:
        closing = replace(closing, said=attempt.said())
    strategy = None
    if context.archives[who.name].is_new_best(manifest):
        strategy = Strategy(
            agent=who.name,
            model=asked_name(who.model.name).partition("?")[0],
            generation=int(manifest.generation),
            train_score=manifest.score("train"),
            val_score=manifest.score("val"),
            files=dict(candidate.code),
        )
    attempt.reach("commit")
    time = context.clock(who, candidate.generation)
    others = [mark for each in extensions(context) for mark in each.observations(manifest)]
    return context.writer.publish(closing, candidate.code, time, strategy, candidates, others)


def close(
    attempt: Attempt,
    manifest: Manifest,
    files: HashedFolder,
    took: Took,
    cursor: Cursor | None = None,
    results_of: int | None = None,
) -> Closing:
    """Put beside the manifest what the digest leaves out."""
    return Closing(
        manifest=manifest,
        files=files.hashes,
        audit_head=attempt.context.marks.audit_head(),
        **took._asdict(),
        closed_utc=utc_now(),
        timeouts=tuple(attempt.log.timeouts),
        answered_by=attempt.answered_by(),
        diverged=attempt.diverged,
        stamp=files.stamp,
        logs=attempt.context.logs.prefix_hashes(manifest.agent),
        cursor={} if cursor is None else cursor,
        ledger_bytes=attempt.context.ledger.sync(),
        results_of=results_of,
    )
