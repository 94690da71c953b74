"""Domains where lower is better: gains, bests, thresholds and sentences are turned around."""

import json
from pathlib import Path

import pytest

from hyperspace.runs.finding import read_scored
from hyperspace.runs.records import Run
from replication.report.arms import summary_of
from replication.report.build import study_of
from replication.report.outputs.text import report_lines
from replication.report.records import Arm, ExperimentReport
from replication.report.tree import best_run
from tests.replication.report.runs import errors, run
from tests.support.command import hyperspace
from tests.support.paths import ROOT

FREIGHT = ROOT / "tests" / "support" / "tasks" / "freight.py"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real run of a domain whose score is a mean error."""
    results = tmp_path_factory.mktemp("results")
    numbers = ("--iterations", "2", "--seed", "1", "--no-controls", "--sandbox", "process")
    domain = ("--domain", f"{FREIGHT}:freight", "--model", "offline/climber")
    done = hyperspace("solo", *domain, *numbers, "--results", results, "--json")
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["run"])


@pytest.mark.long
def test_a_real_run_of_such_a_domain_gains_what_its_summary_says(played: Path) -> None:
    summary = json.loads((played / "summary.json").read_text())
    study = study_of(read_scored(played), "here")
    (experiment,) = study.report.experiments
    (arm,) = experiment.arms
    assert arm.imp_at_k == pytest.approx(summary["imp_at_k"])
    assert summary["imp_at_k"] > 0
    assert arm.val is not None
    assert arm.val.median == summary["best_val_score"] < summary["initial_val_score"]
    assert experiment.higher_is_better is False
    assert experiment.verdict[0].startswith("Lower scores are better here")
    assert any("First generation at or below" in line for line in report_lines(study))


def falling(arm: str, seed: int, best: float) -> Run:
    """A run from an error of 0.9 to its best, ranked by fitness, that gets worse at the end."""
    return errors(arm, seed, [0.9, best, best + 0.02])


def report(*runs: Run) -> ExperimentReport:
    (only,) = study_of(runs, "somewhere").report.experiments
    return only


def test_the_better_arm_is_named_first_and_the_difference_keeps_its_sign() -> None:
    low = [falling("a", seed, 0.1 + seed / 100) for seed in range(8)]
    high = [falling("b", seed, 0.4 + seed / 50) for seed in range(8)]
    experiment = report(*low, *high)
    (comparison,) = experiment.comparisons
    assert comparison.difference is not None
    assert comparison.difference < 0
    assert comparison.verdict == "separable"
    assert "By best validation score a is better than b by 0.3" in experiment.verdict[1]


def test_thresholds_are_reached_from_above_and_the_lowest_run_is_the_best() -> None:
    runs = (errors("a", 1, [0.9, 0.58, 0.4]), errors("a", 2, [0.9, 0.62, 0.66]))
    arm = Arm("a", "", runs)
    reached = {row.score: (row.runs, row.generation) for row in summary_of(arm).reached}
    assert reached[0.5] == (1, None)
    assert reached[0.6] == (1, None)
    assert reached[0.65] == (2, 1)
    assert best_run(Arm("a", "", runs[::-1])).seed == 1
    assert summary_of(arm).imp_at_k == pytest.approx((0.5 + 0.28) / 2)


def test_where_nothing_is_said_higher_is_better() -> None:
    experiment = report(run("a", 1, [0.1, 0.5]), run("b", 1, [0.1, 0.4]))
    assert experiment.higher_is_better is None
    assert not any("Lower" in sentence for sentence in experiment.verdict)
    assert [arm.imp_at_k for arm in experiment.arms] == [0.4, 0.3]
