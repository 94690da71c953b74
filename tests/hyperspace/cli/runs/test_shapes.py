"""Runs on tasks of every shape: what is on record, what is in the files, what a replay says."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.evaluation.answers import read_answers
from tests.support.command import failed, finished, hyperspace
from tests.support.paths import ROOT

MODELS = ("--models", "offline/stuck", "offline/stuck", "--generations", "1")
CORRIDOR, SQUARES, ESSAYS = (
    f"{ROOT}/tests/support/tasks/{name}.py:{name}" for name in ("corridor", "squares", "essays")
)


def play(domain: str, results: Path, *options: str) -> Path:
    done = hyperspace("pair", "--domain", domain, *MODELS, *options, "--results", results, "--json")
    finished(done)
    (record,) = results.glob("*/*/*/run_config.json")
    return record.parent


def val_report(run: Path, generation: int = 0) -> Any:
    return json.loads((run / f"stuck/gen_{generation}/eval_val/report.json").read_text())


@pytest.mark.long
def test_a_played_run_is_played_again_from_its_record(tmp_path: Path) -> None:
    run = play(CORRIDOR, tmp_path, "--rotate-val", "1")
    replayed = hyperspace("replay", run, "--domain", CORRIDOR)
    assert "as recorded" in replayed.stdout, replayed.stderr
    again = hyperspace("resume", run)
    finished(again)


@pytest.mark.long
def test_the_answers_beside_the_record_are_those_that_it_has_the_hashes_of(tmp_path: Path) -> None:
    run = play(CORRIDOR, tmp_path, "--rotate-val", "1")
    folder = run / "stuck/gen_1/incumbent/eval_val"
    lines = list(read_answers(folder / "answers.jsonl"))
    assert [line.id for line in lines] == sorted(f"val1-{n}" for n in range(10))
    predictions = (folder / "predictions.csv").read_text()
    for line in lines:
        assert hashlib.sha256(line.answer.encode()).hexdigest() in predictions
    first, second = (run / "stuck/archive.jsonl").read_text().splitlines()
    rescored = json.loads(second)["rescored"]
    assert rescored["generation"] == 0
    assert rescored["val_score"] != json.loads(first)["val_score"]
    assert json.loads(second)["best"] is False, "equal code on equal items is no new best"


@pytest.mark.long
def test_a_judge_is_asked_for_each_answer_and_paid_for_like_any_model(tmp_path: Path) -> None:
    run = play(ESSAYS, tmp_path, "--judge", "offline/grader")
    trace = (run / "stuck/gen_0/llm_calls.jsonl").read_text().splitlines()
    items = [json.loads(line)["item"] for line in trace]
    assert sorted(items) == sorted(f"{s}-{n}/judge" for s in ("train", "val") for n in range(4))
    assert 0 < val_report(run)["score"] <= 1
    replayed = hyperspace("replay", run, "--domain", ESSAYS)
    assert "as recorded" in replayed.stdout, replayed.stderr


@pytest.mark.long
def test_a_judge_that_answers_nonsense_twice_gives_the_worst_grade(tmp_path: Path) -> None:
    run = play(f"{ESSAYS}?readable=no", tmp_path, "--judge", "offline/grader")
    rows = (run / "stuck/gen_0/eval_val/predictions.csv").read_text().splitlines()[1:]
    assert len(rows) == 4
    assert all("the judge gave no grade" in row for row in rows)
    trace = (run / "stuck/gen_0/llm_calls.jsonl").read_text()
    assert trace.count('"ordinal":1') == 8, "each was asked once more"


@pytest.mark.long
@pytest.mark.parametrize(
    ("domain", "options", "says"),
    [
        (ESSAYS, (), "graded by a model; name one with --judge MODEL"),
        (SQUARES, ("--judge", "offline/grader"), "squares is scored without a judge; leave it out"),
        (SQUARES, ("--rotate-val", "2"), "squares has one set of validation items; leave it out"),
        (CORRIDOR, ("--rotate-val", "2", "--visible", "val=rounded"), "use one of the two"),
    ],
)
def test_options_that_a_task_cannot_use_are_refused(
    domain: str, options: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    done = hyperspace("pair", "--domain", domain, *MODELS, *options, "--results", tmp_path)
    assert says in failed(done, 2)
    assert not any(tmp_path.iterdir())
