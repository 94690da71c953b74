"""A target score and patience: where a run ends, what is on record of it, and how it goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import PAIR, failed, hyperspace
from tests.support.runs.steered import SteeredRun

pytestmark = pytest.mark.long


def pair(results: Path, *options: str) -> Any:
    words = ("--generations", "6", "--seed", "42", *options, "--results", str(results))
    done = hyperspace("pair", *PAIR, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_target_ends_a_pair_after_a_round_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    first = pair(tmp_path, "--target-score", "0.84")
    assert first["ended"]["agent"] == "tinker"
    assert "test_exposed" not in first
    assert pair(tmp_path) == first  # a start that names no target keeps the one before
    higher = pair(tmp_path, "--target-score", "0.93")
    assert (higher["ended"]["generation"], higher["test_exposed"]) == (4, True)
    whole = pair(tmp_path, "--target-score", "none")
    assert "ended" not in whole
    assert whole["digest"] == pair(tmp_path / "other")["digest"]
    for read in ("audit", "replay"):
        assert hyperspace(read, whole["run"]).returncode == 0
    assert json.loads(hyperspace("watch", whole["run"], "--once", "--json").stdout)["end"] is None


def test_patience_counts_rounds_without_a_new_best_of_anybody(tmp_path: Path) -> None:
    ended = pair(tmp_path, "--patience", "2")
    assert (ended["ended"]["reason"], ended["ended"]["value"]) == ("patience", 2)
    assert (
        "--patience none goes on" in hyperspace("resume", ended["run"], "--generations", "9").stderr
    )
    assert pair(tmp_path, "--patience", "none")["digest"] == pair(tmp_path / "o")["digest"]


@pytest.mark.parametrize("position", ["tinker:1:evaluate", "magpie:1:report", "tinker:6:evaluate"])
def test_a_run_that_ends_early_does_so_wherever_it_was_killed(
    tmp_path: Path, position: str
) -> None:
    words = ("--generations", "6", "--seed", "42", "--target-score", "0.84")
    run = SteeredRun(tmp_path / "k", "repo_quality/tinker_vs_magpie/seed42", "pair", *PAIR, *words)
    if position != "tinker:6:evaluate":
        run.play_until(position)
    run.play()
    said = json.loads((run.path / "summary.json").read_bytes())
    assert said["digest"] == pair(tmp_path / "w", "--target-score", "0.84")["digest"]
    assert said["ended"]["generation"] == 1


def test_the_best_code_lies_in_the_run_and_is_made_again(tmp_path: Path) -> None:
    result = pair(tmp_path)
    best = Path(result["run"]) / "best"
    score = json.loads((best / "score.json").read_bytes())
    assert score["digest"] == result["digest"]
    assert score["val_score"] == max(agent["best_val"] for agent in result["agents"])
    assert [each["generation"] for each in score["ancestry"]][-1] == 0
    code = (best / "repo" / "task_agent.py").read_bytes()
    assert code == (best.parent / score["code"] / "task_agent.py").read_bytes()
    (best / "repo" / "task_agent.py").write_text("nothing\n")
    assert "other code than the best" in hyperspace("audit", best.parent).stderr
    pair(tmp_path)
    assert (best / "repo" / "task_agent.py").read_bytes() == code
    assert hyperspace("audit", best.parent).returncode == 0


@pytest.mark.parametrize("value", ["0", "-1", "soon"])
def test_a_patience_that_is_none_is_refused(tmp_path: Path, value: str) -> None:
    words = ("--patience", value, "--results", tmp_path)
    assert "--patience" in failed(hyperspace("pair", *PAIR, *words), 2)
