"""A candidate whose code did not change keeps its parent's results, where these are all there is.

The task agent throws dice, so what was evaluated again has other answers.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.events import Event, GenerationClosed
from hyperspace.runs.finding import read_scored
from replication.report.build import study_of
from replication.solo import run_solo
from tests.support.command import hyperspace
from tests.support.paths import ROOT
from tests.support.runs.solos import planned

DICING = "tests/support/tasks/dicing.py:dicing"
STUCK = ("--model", "offline/stuck", "--iterations", "3", "--no-controls", "--eval-model")
EVALUATION = "offline/grader"


def play(results: Path, how: str, *options: str) -> Path:
    """Play a solo run of an agent that changes nothing; returns its folder."""
    domain = ("--domain", f"{DICING}?how={how}")
    done = hyperspace(
        *("solo", *STUCK, EVALUATION, *domain, *options, "--results", results, "--json"), cwd=ROOT
    )
    assert done.returncode == 1, done.stderr
    return Path(json.loads(done.stdout)["run"])


def metadata(run: Path, generation: int) -> Any:
    return json.loads((run / "stuck" / f"gen_{generation}" / "metadata.json").read_text())


def answers(run: Path, generation: int, split: str = "val") -> bytes:
    return (run / "stuck" / f"gen_{generation}" / f"eval_{split}" / "answers.jsonl").read_bytes()


@pytest.mark.long
def test_an_unchanged_candidate_has_its_parents_results_and_answers(tmp_path: Path) -> None:
    run = play(tmp_path, "plain")
    assert "results_of" not in metadata(run, 0)
    for generation in (1, 2, 3):
        assert metadata(run, generation)["results_of"] == 0
        assert metadata(run, generation)["val_score"] == metadata(run, 0)["val_score"]
        for split in ("train", "val"):
            assert answers(run, generation, split) == answers(run, 0, split)


@pytest.mark.long
def test_what_was_not_evaluated_is_replayed(tmp_path: Path) -> None:
    options = ("--iterations", "2", "--no-controls", "--results", tmp_path, "--json")
    domain = ("--domain", "tests/support/tasks/corridor.py:corridor")
    done = hyperspace("solo", "--model", "offline/stuck", *domain, *options, cwd=ROOT)
    run = Path(json.loads(done.stdout)["run"])
    assert metadata(run, 2)["results_of"] == 0
    replayed = hyperspace("replay", run, *domain, cwd=ROOT)
    assert "as recorded" in replayed.stdout + replayed.stderr
    audited = hyperspace("audit", run, cwd=ROOT)
    assert audited.returncode == 0, audited.stdout


@pytest.mark.long
@pytest.mark.parametrize("how", ["asks", "errs", "runs"])
def test_what_asked_failed_or_is_run_as_code_is_evaluated_again(tmp_path: Path, how: str) -> None:
    run = play(tmp_path, how)
    assert metadata(run, 1)["valid"]
    assert "results_of" not in metadata(run, 1)
    assert answers(run, 1) != answers(run, 0)


@pytest.mark.long
def test_a_copy_is_no_second_evaluation_that_tells_of_noise(tmp_path: Path) -> None:
    run = play(tmp_path, "plain")
    (experiment,) = study_of(read_scored(run), "here").report.experiments
    assert not experiment.noise


@pytest.mark.long
def test_after_a_tournament_there_are_the_answers_of_the_one_code(tmp_path: Path) -> None:
    run = play(tmp_path, "plain", "--arm", "d")
    folders = [run / "stuck" / f"gen_{generation}" for generation in range(4)]
    held = {folder for folder in folders if (folder / "blind").is_dir()}
    assert held
    for generation, folder in enumerate(folders):
        assert (folder in held) == bool(metadata(run, generation).get("tournament"))
        assert (folder in held) != (folder / "eval_train" / "answers.jsonl").is_file()
    for folder in folders:
        which = f"{run}#stuck/{folder.name}"
        domain = ("--domain", f"{DICING}?how=plain")
        shown = hyperspace("play", which, "--split", "train", "--item", "1", *domain, cwd=ROOT)
        assert shown.returncode == 0, shown.stderr


@pytest.mark.long
def test_each_epoch_of_validation_items_is_evaluated(tmp_path: Path) -> None:
    run = play(tmp_path, "plain", "--rotate-val", "2")
    told = {generation: metadata(run, generation).get("results_of") for generation in range(4)}
    assert told[1] == 0
    assert told[2] is None
    assert all(source // 2 == number // 2 for number, source in told.items() if source is not None)


def test_answers_that_are_changed_meanwhile_end_the_run(tmp_path: Path) -> None:
    (one,) = planned(*STUCK, EVALUATION, "--results", str(tmp_path), domain=f"{ROOT}/{DICING}")

    def change(event: Event) -> None:
        if isinstance(event, GenerationClosed) and event.generation == 1:
            (answers,) = tmp_path.glob("**/gen_0/eval_val/answers.jsonl")
            answers.write_bytes(answers.read_bytes().replace(b"val0-0", b"val0-9"))

    with pytest.raises(RunDamaged, match="was changed since its generation was closed"):
        run_solo(one.options, change)
