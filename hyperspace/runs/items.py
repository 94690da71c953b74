"""The items that a generation was evaluated on: predictions beside labels or scores, and answers.

As they lie in `eval_train/` and `eval_val/`; of the test split nothing is read here.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.evaluation.answers import AnswerLine
from hyperspace.kernel.state.manifest import Side
from hyperspace.runs.episodes import answer_file
from hyperspace.runs.files import inner, number, read_json, truth, words
from hyperspace.tasks.shapes.outcome import INVALID, decode_outcome

SPLITS: Final[tuple[Literal["train", "val"], ...]] = ("train", "val")
MOST_ITEMS: Final = 10_000


class EvaluatedItem(msgspec.Struct, frozen=True):
    """One item.

    Attributes:
        id: Its id.
        prediction: What the code said; of an outcome, why it has its score.
        label: The true answer; None where the file has none.
        score: The item's own score; None where a label decides.
        error: Why there is no prediction; empty if there is one.
        answer: The artefact, or the actions of an episode, one a line; empty where none is kept.
        is_right: Whether prediction and label are equal; None where there is no label.
    """

    id: str
    prediction: str
    label: str | None = None
    score: float | None = None
    error: str = ""
    answer: str = ""
    is_right: bool | None = None


class EvaluatedSplit(msgspec.Struct, frozen=True, kw_only=True):
    """One split as a generation was evaluated on it.

    Attributes:
        split: `train` or `val`.
        score: Its score; None if no file says it.
        metric: What the score is; empty if no file says it.
        staged_only: Whether the first items alone were evaluated.
        items: In the order of the file.
        notes: What cannot be read.
    """

    split: str
    score: float | None = None
    metric: str = ""
    staged_only: bool = False
    items: tuple[EvaluatedItem, ...] = ()
    notes: tuple[str, ...] = ()


def read_splits(folder: Path) -> tuple[EvaluatedSplit, ...]:
    """Read the splits that a generation was evaluated on.

    Args:
        folder: The generation's.
    """
    metadata = read_json(folder / "metadata.json", dict[str, Any]) or {}
    winner = next((side for side in get_args(Side) if metadata.get("winner") == side), "")
    splits = (_split(folder, split, winner) for split in SPLITS)
    return tuple(split for split in splits if split is not None)


def _split(folder: Path, split: Literal["train", "val"], winner: str) -> EvaluatedSplit | None:
    inside = folder / f"eval_{split}"
    notes: list[str] = []
    report = read_json(inside / "report.json", dict[str, Any]) or {}
    errors = {name: text for name, text in inner(report, "errors").items() if isinstance(text, str)}
    answers = _answers(answer_file(folder, split, winner), notes)
    try:
        content = read_whole(inside / "predictions.csv")
    except Unreadable as reason:
        if reason.is_missing and not report:
            return None
        notes.append(f"predictions.csv {reason}")
        content = b""
    items = tuple(_items(content, errors, answers, notes))
    return EvaluatedSplit(
        split=split,
        score=number(report, "score"),
        metric=words(report, "metric"),
        staged_only=bool(truth(report, "staged_only")),
        items=items,
        notes=tuple(notes),
    )


def _items(
    content: bytes, errors: Mapping[str, str], answers: Mapping[str, str], notes: list[str]
) -> Iterator[EvaluatedItem]:
    rows = csv.DictReader(io.StringIO(content.decode("utf-8", "replace"), newline=""))
    try:
        for count, row in enumerate(rows):
            if count == MOST_ITEMS:
                notes.append(f"predictions.csv has more than {MOST_ITEMS} items; these are read")
                return
            yield _item(row, errors, answers)
    except csv.Error as error:
        notes.append(f"predictions.csv cannot be read from line {rows.line_num} on ({error})")


def _item(
    row: Mapping[str, str | None], errors: Mapping[str, str], answers: Mapping[str, str]
) -> EvaluatedItem:
    # Published files may call their columns otherwise: the id is first and the prediction second.
    name, beside, *_ = [*map(str, islice(row.values(), 2)), "", ""]
    prediction = row.get("prediction", beside) or ""
    outcome = decode_outcome(prediction) if prediction.startswith('{"') else INVALID
    is_outcome = outcome is not INVALID
    text, label = row.get("score"), row.get("label")
    return EvaluatedItem(
        id=name,
        prediction=outcome.reason if is_outcome else prediction,
        label=label,
        score=outcome.score if is_outcome else _number(text),
        error=errors.get(name, ""),
        answer=answers.get(name, ""),
        is_right=None if label is None else prediction.strip() == label.strip(),
    )


def _answers(path: Path, notes: list[str]) -> dict[str, str]:
    try:
        lines = read_whole(path).split(b"\n")
        decoded = [decode_json(line, AnswerLine) for line in lines if line]
    except Unreadable as reason:
        if not reason.is_missing:
            notes.append(f"{path.name} {reason}")
        return {}
    except msgspec.MsgspecError:
        notes.append(f"{path.name} is damaged")
        return {}
    return {line.id: line.answer for line in decoded}


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
