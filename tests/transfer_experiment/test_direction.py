"""Runs of a domain where lower is better: bests, thresholds and totals are turned around."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.replication.report.runs import errors, run
from tests.support.command import hyperspace
from tests.support.paths import ROOT
from transfer_experiment.analysis import analyse
from transfer_experiment.survey import BestAgent, total

FREIGHT = ROOT / "tests" / "support" / "tasks" / "freight.py"


def test_the_lowest_error_is_the_best_and_thresholds_are_reached_from_above() -> None:
    (agent,) = analyse(errors("a", 1, [0.9, 0.58, 0.4, 0.6])).agents
    assert (agent.best_val, agent.best_generation) == (0.4, 2)
    reached = {"0.50": 2, "0.55": 2, "0.60": 1, "0.65": 1, "0.70": 1}
    assert agent.efficiency.reached == reached
    assert (agent.efficiency.per_generation, agent.efficiency.calls_per_point) == (None, None)


def test_totals_name_who_has_the_lowest_error() -> None:
    totals = total([analyse(errors("a", 1, [0.9, 0.58])), analyse(errors("b", 2, [0.9, 0.4]))])
    assert (totals.best_val, totals.best) == (0.4, (BestAgent("", 2, "", 1),))


def test_where_nothing_is_said_higher_is_better() -> None:
    totals = total([analyse(run("a", 1, [0.1, 0.5])), analyse(run("b", 2, [0.1, 0.4]))])
    assert (totals.best_val, totals.best) == (0.5, (BestAgent("", 1, "", 1),))


@pytest.mark.long
def test_a_real_pair_is_told_as_its_summary_has_it(tmp_path: Path) -> None:
    numbers = ("--generations", "2", "--seed", "3", "--sandbox", "process")
    domain = ("--domain", f"{FREIGHT}:freight", "--models", "offline/climber", "offline/tinker")
    done = hyperspace("pair", *domain, *numbers, "--results", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    played: Any = json.loads(done.stdout)
    climber, tinker = ((row["best_val"], row["best_generation"]) for row in played["agents"])
    assert climber < tinker

    page = tmp_path / "page.html"
    said: Any = json.loads(hyperspace("analyze", played["run"], "--html", page, "--json").stdout)
    (analysis,) = said["runs"]
    assert analysis["higher_is_better"] is False
    bests = [(row["best_val"], row["best_generation"]) for row in analysis["agents"]]
    assert bests == [climber, tinker]
    assert {*analysis["agents"][0]["efficiency"]["reached"].values()} == {None}
    assert said["totals"]["best_val"] == climber[0]
    assert [best["agent"] for best in said["totals"]["best"]] == ["climber"]

    lines = hyperspace("analyze", played["run"]).stdout.splitlines()
    assert lines[0].endswith(", lower is better")
    assert f"climber: best val {climber[0]:.3f} at generation {climber[1]} of 2; " in lines[2]
    assert "≤ .50 at" in page.read_text()
