"""A person's own domain in a file: what is wrong with it is told, and its edits are on record."""

import json
from pathlib import Path
from typing import Any

import pytest

from hyperspace.cli.main import main
from tests.support.sandboxes import needs_bubblewrap

FILE = """
from hyperspace.tasks.base import SPLITS, Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.shapes.outcome import Outcome

SEED = '''
class TaskAgent:
    def __init__(self, model, log_file=""):
        pass

    def forward(self, inputs):
        return "3", []
'''

class Mine(GradedDomain):
    def verify(self, item, answer):
        {verify}
        return Outcome(1.0 if answer == "3" else 0.0, "three or not")

    def score(self, split, predictions):
        return {score}

def mine(data, options):
    items = {{s: [Item(s + str(n), {{"n": n, "s": s}}) for n in range(3)] for s in SPLITS}}
    seed = {{"task_agent.py": SEED.encode()}}
    return Mine("mine", items, smoke_inputs={{"n": 0}}, seed_files=seed)
"""
CHANGED_NOTHING = 1  # the agents know no way to a better answer
SCORE = "super().score(split, predictions)"


def written(path: Path, verify: str = "", score: str = SCORE) -> str:
    path.write_text(FILE.format(verify=verify, score=score))
    return f"{path}:mine"


def pair(folder: Path, spec: str, *more: str) -> int:
    models = ["--models", "offline/tinker", "offline/magpie"]
    return main(
        ["pair", *models, "--domain", spec, "--generations", "1", "--results", str(folder), *more]
    )


@needs_bubblewrap
@pytest.mark.parametrize(
    ("score", "told"),
    [
        ("None", "the score of no predictions on train is None, which is no number"),
        ("True", "the score of no predictions on train is True, which is no number"),
        ("1 / 0", "it failed while it was checked: ZeroDivisionError"),
        ("exit(0)", "it failed while it was checked: SystemExit: 0"),
    ],
)
def test_a_score_that_is_none_is_told_before_anything_is_played(
    score: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = written(tmp_path / "own.py", score=score)
    assert pair(tmp_path / "results", spec) == 2
    said = capsys.readouterr().err
    assert told in said and "--check tells all" in said
    assert not (tmp_path / "results").exists()


@needs_bubblewrap
def test_a_verifier_that_exits_ends_the_run_in_a_sentence_and_its_mending_is_on_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = written(tmp_path / "own.py", verify="raise SystemExit(0)")
    assert pair(tmp_path / "results", spec) != 0
    assert "verify of mine, for 'train" in capsys.readouterr().err
    written(tmp_path / "own.py")
    assert pair(tmp_path / "results", spec, "--json") == CHANGED_NOTHING
    told = capsys.readouterr()
    run = Path(json.loads(told.out)["run"])
    assert "was edited since" in told.err
    assert edits(run, capsys) == ["the file of the domain " + spec + " was edited"]


@pytest.mark.long
@needs_bubblewrap
def test_a_scorer_that_is_edited_before_a_run_goes_on_is_on_record_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = written(tmp_path / "own.py")
    assert pair(tmp_path / "results", spec, "--json") == CHANGED_NOTHING
    run = Path(json.loads(capsys.readouterr().out)["run"])
    (run / "summary.json").unlink()  # so that the same command takes it up again
    assert pair(tmp_path / "results", spec) == CHANGED_NOTHING
    assert "was edited" not in capsys.readouterr().err
    assert edits(run, capsys) == []
    written(tmp_path / "own.py", score=f"{SCORE} / 2")
    for _ in range(2):
        (run / "summary.json").unlink()
        assert pair(tmp_path / "results", spec) == CHANGED_NOTHING
    assert len(edits(run, capsys)) == 1


def edits(run: Path, capsys: pytest.CaptureFixture[str]) -> list[Any]:
    capsys.readouterr()
    assert main(["audit", str(run), "--kind", "domain", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["refused"]
    return [line["what"] for line in lines if line["kind"] == "domain"]


@pytest.mark.long
@needs_bubblewrap
def test_a_run_goes_on_and_is_replayed_with_the_file_that_it_has_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = written(tmp_path / "own.py")
    assert pair(tmp_path / "results", spec, "--json") == CHANGED_NOTHING
    run = Path(json.loads(capsys.readouterr().out)["run"])
    kept = run / "task" / "code" / "own.py"
    assert kept.read_text() == (tmp_path / "own.py").read_text()
    (tmp_path / "own.py").unlink()
    (run / "summary.json").unlink()
    assert main(["resume", str(run)]) == CHANGED_NOTHING
    assert "was edited" not in capsys.readouterr().err
    assert main(["replay", str(run)]) == 2
    assert f"if you trust it, add --domain {kept}:mine" in capsys.readouterr().err
    for named in (spec, f"{kept}:mine"):
        assert main(["replay", str(run), "--domain", named]) == 0
    assert main(["audit", str(run)]) == 0


@needs_bubblewrap
def test_an_export_carries_the_task_and_a_redacted_one_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pair(tmp_path / "r", written(tmp_path / "own.py"), "--json") == CHANGED_NOTHING
    run = json.loads(capsys.readouterr().out)["run"]
    for options, is_carried in (((), True), (("--redact",), False)):
        out = str(tmp_path / f"{is_carried}.zip")
        assert main(["export", run, "--out", out, "--json", *options]) == 0
        told = json.loads(capsys.readouterr().out)
        packed = {each["path"] for each in told["files"]}
        assert ("task/code/own.py" in packed) == is_carried
        assert ("task/code/own.py" in told["left_out"]) != is_carried
