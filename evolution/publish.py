"""Step 7: files first, then one transaction. Before it the generation exists for no one."""

from collections.abc import Mapping, Sequence

from agents.models.names import asked_name
from agents.wall_clock import utc_now
from agents.workspace import Strategy, predictions_csv
from domains.base import SPLITS, Composite, Split
from evolution.attempt import Attempt
from evolution.draft import Draft
from evolution.files import pretty_json, sync_folder, tree_hashes, write_tree
from evolution.manifest import (
    Candidate,
    Choosing,
    Closing,
    Cursor,
    Manifest,
    SplitResult,
    Tournament,
)
from evolution.sight import Sight
from evolution.team import Participant, Team


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
    _write_files(attempt, manifest, made, sight)
    attempt.folder.rename(target)
    sync_folder(target.parent)
    closing = close(attempt, manifest, tree_hashes(target), sight.cursor)
    strategy = None
    if team.archives[who.name].is_new_best(manifest):
        strategy = _strategy(who, manifest, draft.code)
    attempt.reach("commit")
    candidates = {one.role: one.code for one in made if one.role}
    time = team.clock(who, draft.generation)
    return team.marks.publish(closing, draft.code, time, strategy, candidates)


def close(
    attempt: Attempt, manifest: Manifest, files: dict[str, str], cursor: Cursor | None = None
) -> Closing:
    """Put beside the manifest what the digest leaves out."""
    return Closing(
        manifest=manifest,
        files=files,
        audit_head=attempt.team.marks.audit_head(),
        seconds=round(attempt.seconds(), 3),
        closed_utc=utc_now(),
        attempt=attempt.number,
        calls=attempt.call_count,
        cost_usd=attempt.cost_usd,
        strikes=tuple(attempt.clock.strikes),
        answered_by=attempt.answered_by(),
        diverged=attempt.diverged,
        cursor=cursor or {},
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


def _write_files(attempt: Attempt, manifest: Manifest, made: Sequence[Draft], sight: Sight) -> None:
    team = attempt.team
    files = _repo(team, made[0].code)
    files["metadata.json"] = pretty_json({**_metadata(attempt, manifest), "shown": sight.truth()})
    for split in SPLITS:
        result = manifest.splits.get(split)
        if result is not None:
            files |= evaluation_files(team, split, result)
    if manifest.tournament is not None:
        for draft in made:
            candidate = _candidate_files(team, draft, draft.judged(team.domain))
            files |= {f"{draft.role}/{path}": data for path, data in candidate.items()}
    write_tree(attempt.folder, files)


def _repo(team: Team, code: Mapping[str, str]) -> dict[str, bytes]:
    files = {f"repo/{path}": text.encode() for path, text in code.items()}
    return files | {f"repo/{path}": data for path, data in team.runtime.items()}


def _candidate_files(team: Team, draft: Draft, candidate: Candidate) -> dict[str, bytes]:
    """The code and the result on train of one candidate of a tournament."""
    train = candidate.train
    metadata = {
        "forked_from": candidate.forked_from,
        "valid": candidate.valid,
        "train_score": None if train is None else train.score,
        "error": candidate.error,
        "error_class": candidate.error_class,
        "gates": candidate.gates,
    }
    files = {**_repo(team, draft.code), "metadata.json": pretty_json(metadata)}
    return files if train is None else files | evaluation_files(team, "train", train)


def evaluation_files(team: Team, split: Split, result: SplitResult) -> dict[str, bytes]:
    """The predictions and the report of one split, by path below the generation's folder."""
    labels = team.domain.labels(split)
    report: dict[str, object] = {
        "metric": team.domain.metric,
        "higher_is_better": team.domain.higher_is_better,
        "score": result.score,
        "items": result.items,
        "staged_only": result.staged_only,
        "errors": result.errors,
    }
    if isinstance(team.domain, Composite):
        report["domains"] = team.domain.part_scores(split, result.predictions)
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
    report: dict[str, object] = {
        "metric": team.domain.metric,
        "items": len(items),
        "scaled_score": team.domain.score("train", predictions),
    }
    return {
        "eval_train/staged/predictions.csv": predictions_csv(predictions, labels),
        "eval_train/staged/report.json": pretty_json(report),
    }


def _metadata(attempt: Attempt, manifest: Manifest) -> dict[str, object]:
    return {
        "generation": manifest.generation,
        "parent": manifest.parent,
        "forked_from": manifest.forked_from,
        "run_full_eval": "val" in manifest.splits,
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
        "attempt": attempt.number,
        "calls": attempt.call_count,
        "cost_usd": attempt.cost_usd,
        "seconds": round(attempt.seconds(), 3),
        **_told(manifest.tournament),
        **_chosen(manifest.choosing),
        **({} if manifest.ensemble is None else {"ensemble": manifest.ensemble}),
    }


def _chosen(choosing: Choosing | None) -> dict[str, object]:
    """What metadata say of a parent that the agent's own code was asked for."""
    if choosing is None:
        return {}
    return {"parent_chosen_by": choosing.by, "selection_error": choosing.error}


def _told(tournament: Tournament | None) -> dict[str, object]:
    """What metadata say of a tournament; nothing where there was none."""
    if tournament is None:
        return {}
    trains = {"blind_score": tournament.blind.train, "directed_score": tournament.directed.train}
    scores = {name: train and train.score for name, train in trains.items()}
    return {"tournament": True, "winner": tournament.winner, **scores}
