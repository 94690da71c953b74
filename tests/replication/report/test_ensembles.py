"""Runs that are ranked by ensembles: the best has the best fitness, and both scores are shown."""

import json
from pathlib import Path

import pytest

from hyperspace.runs.finding import read_scored
from replication.report.build import study_of
from replication.report.outputs.cells import medians
from tests.replication.report.runs import ours, write_generation
from tests.support.runs.solos import Solo, solo


@pytest.fixture
def ranked(tmp_path: Path) -> Path:
    """A run whose best generation is not the one with the best score of its own."""
    folder = ours(tmp_path, "arm_a_full", 1, [0.5, 0.7, 0.6])
    for at, (alone, together) in enumerate([(0.5, 0.5), (0.7, 0.6), (0.6, 0.9)]):
        told = {"valid": True, "val_score": alone, "fitness": together}
        ensemble = {"members": [at], "val_score": together}
        write_generation(folder / "climber" / f"gen_{at}", {**told, "ensemble": ensemble})
    return tmp_path


def test_the_best_has_the_best_fitness_and_the_ensembles_score_stands_beside(ranked: Path) -> None:
    ours(ranked, "arm_b_freeze", 1, [0.5, 0.8])
    (experiment,) = study_of(read_scored(ranked), "here").report.experiments
    together, alone = experiment.arms
    (result,) = together.results
    assert (result.generation, result.val, result.ensemble) == (2, 0.6, 0.9)
    assert (together.ensemble, alone.ensemble, alone.results[0].ensemble) == (0.9, None, None)
    assert any(
        sentence.startswith("Ranked by ensembles: arm_a_full.") for sentence in experiment.verdict
    )
    table = medians(experiment.arms)
    column = table.headings.index("ensemble")
    assert [row[column] for row in table.rows] == ["0.900", "-"]


def test_without_ensembles_nothing_is_said_of_them(tmp_path: Path) -> None:
    ours(tmp_path, "arm_a_full", 1, [0.5, 0.7])
    (experiment,) = study_of(read_scored(tmp_path), "here").report.experiments
    assert "ensemble" not in medians(experiment.arms).headings
    assert not any("ensembles" in sentence for sentence in experiment.verdict)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Solo:
    options = ("--optimise", "ensemble", "--ensemble-size", "2", "--sandbox", "process")
    return solo(tmp_path_factory.mktemp("played"), *options, iterations=1)


@pytest.mark.long
def test_a_real_run_is_reported_with_what_its_summary_says(played: Solo) -> None:
    (experiment,) = study_of(read_scored(played.path), "here").report.experiments
    (result,) = experiment.arms[0].results
    summary = json.loads((played.path / "summary.json").read_text())
    assert result.generation == summary["best_gen"]
    assert result.val == summary["best_val_score"]
    assert result.ensemble == summary["ensemble"]["val_score"]
