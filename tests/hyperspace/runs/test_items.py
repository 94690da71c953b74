"""The items that a generation was evaluated on are read from what lies in its folder."""

import json
from pathlib import Path

from hyperspace.runs.items import read_splits
from hyperspace.tasks.shapes.outcome import Outcome, encode_outcome


def evaluated(folder: Path, split: str, predictions: str, **report: object) -> Path:
    inside = folder / f"eval_{split}"
    inside.mkdir(parents=True)
    (inside / "predictions.csv").write_text(predictions)
    (inside / "report.json").write_text(json.dumps(report))
    return folder


def test_predictions_stand_beside_labels_and_errors(tmp_path: Path) -> None:
    rows = "id,prediction,label\nt-0,accept,accept\nt-1,reject,accept\nt-2,,reject\n"
    errors = {"t-2": "it crashed"}
    evaluated(tmp_path, "train", rows, score=0.5, metric="accuracy", errors=errors)
    (split,) = read_splits(tmp_path)
    assert (split.split, split.score, split.metric) == ("train", 0.5, "accuracy")
    assert [item.is_right for item in split.items] == [True, False, False]
    assert [item.error for item in split.items] == ["", "", "it crashed"]


def test_of_an_outcome_its_reason_its_score_and_the_answer_beside_are_told(tmp_path: Path) -> None:
    outcome = encode_outcome(Outcome(0.25, "5 apples in 15 moves")).replace('"', '""')
    evaluated(tmp_path, "val", f'id,prediction,score\nv-0,"{outcome}",0.25\n')
    (tmp_path / "eval_val" / "answers.jsonl").write_text('{"id":"v-0","answer":"up\\nleft"}\n')
    (item,) = read_splits(tmp_path)[0].items
    assert (item.prediction, item.score) == ("5 apples in 15 moves", 0.25)
    assert (item.label, item.is_right, item.answer) == (None, None, "up\nleft")


def test_a_link_in_place_of_predictions_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("id,prediction,label\na,b,c\n")
    evaluated(tmp_path, "train", "")
    (tmp_path / "eval_train" / "predictions.csv").unlink()
    (tmp_path / "eval_train" / "predictions.csv").symlink_to(tmp_path / "secret")
    (split,) = read_splits(tmp_path)
    assert not split.items
    assert "predictions.csv is no plain file" in split.notes[0]


def test_damaged_answers_are_noted_and_the_predictions_stay(tmp_path: Path) -> None:
    evaluated(tmp_path, "train", "id,prediction,label\na,b,c\n")
    (tmp_path / "eval_train" / "answers.jsonl").write_text("{")
    (split,) = read_splits(tmp_path)
    assert [item.id for item in split.items] == ["a"]
    assert split.notes == ("answers.jsonl is damaged",)


def test_of_the_test_split_nothing_is_read(tmp_path: Path) -> None:
    evaluated(tmp_path, "test", "id,prediction,label\na,b,c\n")
    assert read_splits(tmp_path) == ()
