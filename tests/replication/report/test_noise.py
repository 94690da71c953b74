"""What counts as noise, and what is no repetition."""

from replication.report.build import study_of
from tests.replication.report.runs import arm


def test_a_best_of_n_is_a_control_and_says_nothing_of_noise() -> None:
    runs = [*arm("arm_a_full", {1: 0.5, 2: 0.6}), *arm("best_of_n", {1: 0.4, 2: 0.3})]
    (experiment,) = study_of(runs, "somewhere").report.experiments
    assert [summary.control for summary in experiment.arms] == ["", "best_of_n"]
    assert list(experiment.noise) == []


def test_a_best_of_n_of_tournaments_is_one_too() -> None:
    runs = [*arm("arm_d_annealing", {1: 0.5}), *arm("best_of_n_annealing", {1: 0.4})]
    (experiment,) = study_of(runs, "somewhere").report.experiments
    assert [summary.control for summary in experiment.arms] == ["", "best_of_n"]
    assert list(experiment.noise) == []
