"""Pairs of a model that answers only as small ones were seen to: it gets somewhere."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import hyperspace, kill_at
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.small_model import Size, small_model

pytestmark = [pytest.mark.long, needs_bubblewrap]


def arguments(results: Path, models: tuple[str, str], domain: str, *more: str) -> list[str | Path]:
    numbers = ("--generations", "5", "--seed", "1")
    played = ("--domain", domain, *numbers, "--results", results, "--json")
    return ["pair", "--models", *models, *played, *more]


def play(results: Path, models: tuple[str, str], domain: str, *more: str) -> Any:
    done = hyperspace(*arguments(results, models, domain, *more), timeout_s=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def archive(result: Any, agent: str) -> list[Any]:
    lines = (Path(result["run"]) / agent / "archive.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("domain", ["repo_quality", "email_validation"])
def test_shown_its_task_it_raises_the_score_in_five_generations(
    domain: str, tmp_path: Path
) -> None:
    with small_model("0.5b") as half, small_model("1.5b") as one:
        result = play(tmp_path, (half, one), domain)
    for agent in result["agents"]:
        first, *others = archive(result, agent["name"])
        assert all(entry["valid"] for entry in others)
        assert agent["best_val"] > first["val_score"], agent


def test_as_published_its_calls_in_the_text_make_edits(tmp_path: Path) -> None:
    with small_model("edits") as first, small_model("edits") as second:
        result = play(tmp_path, (first, second), "repo_quality", "--seed-agent", "published")
    run = Path(result["run"])
    seed = (run / "small-edits" / "gen_0/repo/task_agent.py").read_text()
    assert (run / "small-edits" / "gen_1/repo/task_agent.py").read_text() != seed


@pytest.mark.parametrize("size", ["0.5b"])
def test_a_run_that_is_killed_in_the_middle_ends_as_one_that_is_not(
    size: Size, tmp_path: Path
) -> None:
    with small_model(size) as model:
        models = model, model
        undisturbed = play(tmp_path / "a", models, "repo_quality")
        killed = arguments(tmp_path / "b", models, "repo_quality")
        kill_at(tmp_path / "log", "small-0.5b_b:2:call:2", *killed)
        again = play(tmp_path / "b", models, "repo_quality")
    assert again["digest"] == undisturbed["digest"]
    replayed = hyperspace("replay", again["run"])
    assert replayed.returncode == 0, replayed.stderr


def test_other_weights_behind_a_name_are_on_record_and_in_the_report(tmp_path: Path) -> None:
    weights = {"n_ctx": 8000, "n_params": 500_000, "ftype": "Q4_1"}
    with small_model("0.5b", weights) as model, small_model("1.5b") as other:
        killed = arguments(tmp_path / "a", (model, other), "repo_quality")
        kill_at(tmp_path / "log", "small-0.5b:2:call:1", *killed)
        weights["ftype"] = "Q8_0"
        done = hyperspace(*killed, timeout_s=300)
        assert done.returncode == 0, done.stderr
        (run,) = (tmp_path / "a/repo_quality").glob("*/seed1")
        assert f"{model} was small, 500,000 parameters, Q4_1 before: the scores from" in done.stderr
        undisturbed = play(tmp_path / "b", (model, other), "repo_quality")
    assert json.loads((run / "summary.json").read_text())["weights"] == {
        model: ["small, 500,000 parameters, Q4_1", "small, 500,000 parameters, Q8_0"]
    }
    assert hyperspace("digest", run).stdout.split()[-1] == undisturbed["digest"]
    report = hyperspace("report", run, "--html", tmp_path / "report.html")
    told = " ".join(report.stdout.split())
    assert f"{model}: small, 500,000 parameters, Q4_1, then small, 500,000 parameters" in told
    assert "Weights of models on servers nearby" in (tmp_path / "report.html").read_text()
