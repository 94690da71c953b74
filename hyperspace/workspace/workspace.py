"""The materializer: from what the space holds to files that a model knows how to work with.

The result is a mapping from workspace path to content; a sandbox lays it out. The shape of the
tree is in docs/reference/run-layout.md.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from hyperspace.tasks.base import Item
from hyperspace.workspace.visibility import Visibility

EVALS = "evals"
STATEMENT = f"{EVALS}/problem_statement.md"
"""What the host states as the problem of a try, where it states one."""
TASK = "task"
README = "README.md"
STRATEGIES = "strategies"
EVERYTHING = Visibility()
_ENCODER = msgspec.json.Encoder(order="deterministic")
SHOWN_CHARACTERS = 1000  # of a prediction: a history of long ones must fit into a workspace


class Strategy(msgspec.Struct, frozen=True):
    """A peer's published strategy, as it is laid out below `strategies/`.

    Attributes:
        agent: Who published it.
        model: That agent's model, as named on the command line without options.
        generation: Its generation.
        train_score: Train score; None if it was not evaluated.
        val_score: Validation score; None if it was not evaluated.
        files: Path to text of its editable files.
    """

    agent: str
    model: str
    generation: int
    train_score: float | None
    val_score: float | None
    files: Mapping[str, str]

    @property
    def folder(self) -> str:
        """Its folder below `strategies/`."""
        return f"{self.agent}_gen{self.generation}"


class PastGeneration(msgspec.Struct, frozen=True):
    """One of the agent's own generations, as it is laid out below `evals/`.

    Attributes:
        generation: Its number.
        parent: What it was forked from; None for generation 0.
        valid: Whether it could become a parent.
        error: Why not.
        metric: What the scores are.
        train_score: Train score; None if it was not evaluated.
        val_score: Validation score; None if it was not evaluated.
        train_predictions: Train item id to prediction.
        staged_only: True when only the staged pass was run.
        task_agent: Text of its task agent; empty if it had none.
        higher_is_better: Direction of the scores.
        train_scores: Score of each train item, where items are graded.
    """

    generation: int
    parent: int | None
    valid: bool
    error: str
    metric: str
    train_score: float | None
    val_score: float | None
    train_predictions: Mapping[str, str]
    staged_only: bool
    task_agent: str
    higher_is_better: bool = True
    train_scores: Mapping[str, float] | None = None


class TrainRows(msgspec.Struct, frozen=True):
    """The part of the train split that an agent may see.

    Attributes:
        items: Label-free inputs.
        labels: True answers by item id; empty texts where items have no label.
        task_files: Files of the task, by path below `task/`.
    """

    items: Sequence[Item]
    labels: Mapping[str, str]
    task_files: Mapping[str, bytes] = {}


def materialize(
    code: Mapping[str, str],
    runtime: Mapping[str, bytes],
    train: TrainRows,
    history: Iterable[PastGeneration],
    strategies: Iterable[Strategy],
    visible: Visibility = EVERYTHING,
    of_peers: Visibility | None = None,
) -> dict[str, bytes]:
    """Lay out a workspace; equal arguments give equal bytes.

    Args:
        code: The agent's own code, path to text.
        runtime: The frozen runtime, path to content.
        train: Train rows in sight.
        history: The agent's own generations to show, any order.
        strategies: Peers' strategies to show, any order.
        visible: Which results of evaluation may be in any of it.
        of_peers: Which of them may be in `strategies/`; None for the same.

    Returns:
        Workspace path to content.
    """
    files = dict(runtime)
    files.update({path: text.encode() for path, text in code.items()})
    files.update(_below(TASK, _task_files(train.task_files, visible)))
    if visible.train == "full":
        rows = [_train_row(item, train.labels[item.id]) for item in train.items]
        files[f"{EVALS}/train_items.jsonl"] = _ENCODER.encode_lines(rows)
    for past in history:
        files.update(_below(f"{EVALS}/gen_{past.generation}", _past_files(past, train, visible)))
    for strategy in strategies:
        laid_out = _strategy_files(strategy, of_peers or visible)
        files.update(_below(f"{STRATEGIES}/{strategy.folder}", laid_out))
    return files


def predictions_csv(
    predictions: Mapping[str, str],
    labels: Mapping[str, str],
    scores: Mapping[str, float] | None = None,
) -> bytes:
    """Render predictions, cut where long, beside true labels; missing ones are left empty.

    Args:
        predictions: Item id to prediction.
        labels: True answers of all items by id.
        scores: Score of each item where items are graded; they stand in the labels' place.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "prediction", "label" if scores is None else "score"])
    for name, label in labels.items():
        beside = label if scores is None else scores.get(name, 0.0)
        writer.writerow([name, predictions.get(name, "")[:SHOWN_CHARACTERS], beside])
    return text.getvalue().encode()


def _task_files(files: Mapping[str, bytes], visible: Visibility) -> Mapping[str, bytes]:
    """Leave out scorers where train is not shown: one may hold what decides its items."""
    if visible.train == "full":
        return files
    return {path: data for path, data in files.items() if path.endswith(README)}


def _train_row(item: Item, label: str) -> dict[str, object]:
    return {"id": item.id, "inputs": item.inputs, **({"label": label} if label else {})}


def _past_files(past: PastGeneration, train: TrainRows, visible: Visibility) -> dict[str, bytes]:
    files = {
        "metadata.json": _ENCODER.encode(
            {
                "generation": past.generation,
                "parent": past.parent,
                "valid": past.valid,
                "error": past.error,
                **visible.scores(past.train_score, past.val_score),
            }
        )
    }
    if past.task_agent:
        files["task_agent.py"] = past.task_agent.encode()
    if past.train_score is not None and visible.train == "full":
        files["eval_train/predictions.csv"] = predictions_csv(
            past.train_predictions, train.labels, past.train_scores
        )
    if past.train_score is not None and visible.train != "none":
        report = {"items": len(train.items), "staged_only": past.staged_only}
        files["eval_train/report.json"] = _report(past, past.train_score, report)
    if past.val_score is not None and visible.val != "none":
        files["eval_val/report.json"] = _val_report(past, past.val_score, visible)
    return files


def _val_report(past: PastGeneration, score: float, visible: Visibility) -> bytes:
    told = {"staged_only": False}
    if visible.val != "scores":  # what is rounded is the fitness, whatever the metric is
        past = msgspec.structs.replace(past, metric="fitness", higher_is_better=True)
    return _report(past, score, told)


def _report(past: PastGeneration, score: float, more: Mapping[str, object]) -> bytes:
    report = {"metric": past.metric, "higher_is_better": past.higher_is_better, "score": score}
    return _ENCODER.encode({**report, **more})


def _strategy_files(strategy: Strategy, visible: Visibility) -> dict[str, bytes]:
    files = {path: text.encode() for path, text in strategy.files.items()}
    files["metadata.json"] = _ENCODER.encode(
        {
            "agent": strategy.agent,
            "model": strategy.model,
            "generation": strategy.generation,
            **visible.scores(strategy.train_score, strategy.val_score),
        }
    )
    return files


def _below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{path}": data for path, data in files.items()}
