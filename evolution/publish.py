"""Step 7: files first, then one transaction. Before it the generation exists for no one."""

from collections.abc import Mapping

from agents.models.names import asked_name
from agents.wall_clock import utc_now
from agents.workspace import Strategy, predictions_csv
from domains.base import SPLITS, Split
from evolution.attempt import Attempt, Took
from evolution.draft import Draft
from evolution.files import pretty_json, sync_folder, write_tree
from evolution.manifest import Closing, Manifest, SplitResult
from evolution.stamps import Survey, survey
from evolution.team import Participant, Team


def publish(attempt: Attempt, draft: Draft) -> Closing:
    """Write a generation's files and then its marks.

    Returns:
        The closing mark's content.
    """
    attempt.reach("publish")
    team, who = attempt.team, attempt.who
    team.marks.check_lease()
    manifest = draft.manifest(team, attempt.calls(), attempt.refused)
    target = team.folder.generation(who.name, draft.generation)
    took = attempt.took()
    write_tree(attempt.folder, generation_files(team, manifest, draft.code, took))
    attempt.folder.rename(target)
    sync_folder(target.parent)
    closing = close(attempt, manifest, survey(target), took)
    strategy = None
    if team.archives[who.name].is_new_best(manifest):
        strategy = _strategy(who, manifest, draft.code)
    attempt.reach("commit")
    return team.marks.publish(closing, draft.code, who.turn, strategy)


def close(attempt: Attempt, manifest: Manifest, files: Survey, took: Took) -> Closing:
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
    )


def took_of(closing: Closing) -> Took:
    """What the attempt took that closed a generation."""
    return Took(closing.attempt, closing.calls, closing.cost_usd, closing.seconds)


def _strategy(who: Participant, manifest: Manifest, code: dict[str, str]) -> Strategy:
    return Strategy(
        agent=who.name,
        model=asked_name(who.model.name).partition("?")[0],
        generation=int(manifest.generation),
        train_score=manifest.score("train"),
        val_score=manifest.score("val"),
        files=dict(code),
    )


def generation_files(
    team: Team, manifest: Manifest, code: Mapping[str, str], took: Took
) -> dict[str, bytes]:
    """What is written of a generation beside its trace and its edits, by path.

    All of it follows from what the space holds of it, so that a lost file can be made again.
    """
    files = {f"repo/{path}": text.encode() for path, text in code.items()}
    files |= {f"repo/{path}": data for path, data in team.runtime.items()}
    files["metadata.json"] = pretty_json(_metadata(manifest, took))
    for split in SPLITS:
        result = manifest.splits.get(split)
        if result is not None:
            files |= evaluation_files(team, split, result)
    return files


def evaluation_files(team: Team, split: Split, result: SplitResult) -> dict[str, bytes]:
    """The predictions and the report of one split, by path below the generation's folder."""
    labels = team.domain.labels(split)
    report = {
        "metric": team.domain.metric,
        "higher_is_better": team.domain.higher_is_better,
        "score": result.score,
        "items": result.items,
        "staged_only": result.staged_only,
        "errors": result.errors,
    }
    files = {
        f"eval_{split}/predictions.csv": predictions_csv(result.predictions, labels),
        f"eval_{split}/report.json": pretty_json(report),
    }
    if split == "train":
        files |= _staged_files(team, result)
    return files


def _staged_files(team: Team, result: SplitResult) -> dict[str, bytes]:
    items = team.domain.items("train")[: team.domain.staged_items]
    labels = {item.id: team.domain.labels("train")[item.id] for item in items}
    predictions = {key: text for key, text in result.predictions.items() if key in labels}
    report = {
        "metric": team.domain.metric,
        "items": len(items),
        "scaled_score": team.domain.score("train", predictions),
    }
    return {
        "eval_train/staged/predictions.csv": predictions_csv(predictions, labels),
        "eval_train/staged/report.json": pretty_json(report),
    }


def _metadata(manifest: Manifest, took: Took) -> dict[str, object]:
    return {
        "generation": manifest.generation,
        "parent": manifest.parent,
        "valid": manifest.valid,
        "train_score": manifest.score("train"),
        "val_score": manifest.score("val"),
        "fitness": manifest.fitness,
        "error": manifest.error,
        "error_class": manifest.error_class,
        "gates": manifest.gates,
        "violations": sum(found.was_refused for found in manifest.violations),
        "seen": manifest.seen,
        "is_initial": manifest.generation == 0,
        **took._asdict(),
    }
