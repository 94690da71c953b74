"""The files of a generation beside its trace and its edits: what people and tools read.

All of it follows from what the space holds of the generation, so a lost file can be made again.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import UNSET

from hyperspace.kernel.evaluation.evaluate import mean_score, pass_names
from hyperspace.kernel.files import pretty_json
from hyperspace.kernel.generation.attempt import Took
from hyperspace.kernel.generation.extension import extensions
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.state.manifest import INCUMBENT, JudgedCandidate, Manifest, Side, SplitResult
from hyperspace.tasks.base import SPLITS, Composite, Domain, Split
from hyperspace.tasks.shapes.graded import item_scores
from hyperspace.workspace.workspace import predictions_csv


class Written(NamedTuple):
    """The parts of a generation's files that its manifest does not hold.

    Attributes:
        code: Path to text of the editable files.
        candidates: The same of both candidates of a tournament, by role; empty where there was
            none.
        shown: What each folder of peer code was (`VisibleStrategies.sources`).
        took: What the attempt took.
        results_of: Generation whose results it has, if it was not evaluated itself.
    """

    code: Mapping[str, str]
    candidates: Mapping[Side, Mapping[str, str]]
    shown: list[dict[str, Any]]
    took: Took
    results_of: int | None = None


def generation_files(context: RunContext, manifest: Manifest, written: Written) -> dict[str, bytes]:
    """Path to content."""
    files = _repo(context, written.code)
    metadata = {**_metadata(manifest, written.took), "shown": written.shown}
    metadata |= {} if written.results_of is None else {"results_of": written.results_of}
    for extension in extensions(context):
        metadata |= extension.metadata(manifest)
    files["metadata.json"] = pretty_json(metadata)
    domain = context.rounds.domain(manifest.agent, int(manifest.generation))
    for split in SPLITS:
        result = manifest.splits.get(split)
        if result is not None:
            files |= evaluation_files(domain, split, result)
    if manifest.rescored is not None and manifest.rescored.val is not None:
        again = evaluation_files(domain, "val", manifest.rescored.val)
        files |= {f"{INCUMBENT}/{path}": data for path, data in again.items()}
    if manifest.tournament is not None:
        for role, code in written.candidates.items():
            candidate = _candidate_files(context, code, manifest.tournament.of(role))
            files |= {f"{role}/{path}": data for path, data in candidate.items()}
    return files


def _repo(context: RunContext, code: Mapping[str, str]) -> dict[str, bytes]:
    files = {f"repo/{path}": text.encode() for path, text in code.items()}
    return files | {f"repo/{path}": data for path, data in context.runtime.items()}


def _candidate_files(
    context: RunContext, code: Mapping[str, str], candidate: JudgedCandidate
) -> dict[str, bytes]:
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
    files = {**_repo(context, code), "metadata.json": pretty_json(metadata)}
    return files if train is None else files | evaluation_files(context.domain, "train", train)


def evaluation_files(domain: Domain, split: Split, result: SplitResult) -> dict[str, bytes]:
    """The predictions and the report of one split, by path below the generation's folder."""
    labels = domain.labels(split)
    report: dict[str, object] = {
        "metric": domain.metric,
        "higher_is_better": domain.higher_is_better,
        "score": result.score,
        "items": result.items,
        "staged_only": result.staged_only,
        "errors": result.errors,
    }
    if result.repeats is not UNSET:
        report["scores"] = result.scores
    if isinstance(domain, Composite):
        passes = [domain.part_scores(split, answers.predictions) for answers in result.passes]
        parts = {part: mean_score(scores[part] for scores in passes) for part in passes[0]}
        report["domains"] = parts
    files = {
        f"eval_{split}/predictions.csv": _predictions(domain, split, result.predictions, labels),
        f"eval_{split}/report.json": pretty_json(report),
    }
    if split == "train":
        files |= _staged_files(domain, result)
    return files | _further_files(domain, split, result, labels)


def _predictions(
    domain: Domain,
    split: Split,
    predictions: Mapping[str, str],
    labels: Mapping[str, str],
) -> bytes:
    return predictions_csv(predictions, labels, item_scores(domain, split, predictions))


def _further_files(
    domain: Domain, split: Split, result: SplitResult, labels: Mapping[str, str]
) -> dict[str, bytes]:
    """Return the files of the passes after the first."""
    files: dict[str, bytes] = {}
    names = pass_names(len(result.passes))
    for name, score, answers in zip(names, result.scores, result.passes, strict=True):
        if name:
            report = {"score": score, "errors": answers.errors}
            files[f"eval_{split}/{name}/predictions.csv"] = _predictions(
                domain, split, answers.predictions, labels
            )
            files[f"eval_{split}/{name}/report.json"] = pretty_json(report)
    return files


def _staged_files(domain: Domain, result: SplitResult) -> dict[str, bytes]:
    items = domain.items("train")[: domain.staged_items]
    labels = {item.id: domain.labels("train")[item.id] for item in items}
    passes = [
        {key: text for key, text in answers.predictions.items() if key in labels}
        for answers in result.passes
    ]
    report = {
        "metric": domain.metric,
        "items": len(items),
        "scaled_score": mean_score(domain.score("train", predictions) for predictions in passes),
    }
    return {
        "eval_train/staged/predictions.csv": _predictions(domain, "train", passes[0], labels),
        "eval_train/staged/report.json": pretty_json(report),
    }


def _metadata(manifest: Manifest, took: Took) -> dict[str, object]:
    choosing, tournament, told = manifest.choosing, manifest.tournament, dict[str, object]()
    if tournament is not None:
        sides = {"blind_score": tournament.blind.train, "directed_score": tournament.directed.train}
        scores = {name: train and train.score for name, train in sides.items()}
        told = {"tournament": True, "winner": tournament.winner, **scores}
    chosen = choosing and {"parent_chosen_by": choosing.by, "selection_error": choosing.error}
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
        "violations": sum(violation.was_refused for violation in manifest.violations),
        "seen": manifest.seen,
        "is_initial": manifest.generation == 0,
        **took._asdict(),
        **told,
        **(chosen or {}),
        **pass_scores(manifest),
    }


def pass_scores(manifest: Manifest) -> dict[str, object]:
    """Return the metadata of passes, split by split; empty where there was one."""
    return {
        f"{split}_scores": result.scores
        for split, result in manifest.splits.items()
        if result.repeats is not UNSET
    }
