import statistics
from typing import Any

import pytest

from hyperspace.tasks.repository_rows import FEATURES, generate
from replication.policy.conditions import CONDITIONS, best, play, published_seeds
from replication.policy.records import BOUNDS, ArchivedPolicy
from replication.policy.study import PolicyStudy, play_study, summary_lines

ROWS = generate(1)


@pytest.fixture(scope="module")
def study() -> PolicyStudy:
    return play_study(ROWS, published_seeds(2), 30)


def bests(study: PolicyStudy, condition: str) -> list[ArchivedPolicy]:
    return [best(study.runs[condition, seed]) for seed in study.seeds]


@pytest.mark.parametrize(
    ("condition", "train"), [("hyperagent", 0.85), ("baseline", 0.85), ("no_archive", 0.80)]
)
def test_the_published_figures_come_out(study: PolicyStudy, condition: str, train: float) -> None:
    assert {entry.evaluation.train_accuracy for entry in bests(study, condition)} == {train}
    assert {entry.evaluation.test_accuracy for entry in bests(study, condition)} == {0.9}
    first = study.runs[condition, study.seeds[0]][0].evaluation
    assert (first.train_accuracy, first.test_accuracy) == (0.65, 0.8)
    assert (first.false_positives, first.false_negatives) == (3, 4)


def test_adaptive_and_frozen_meta_policies_are_told_not_to_be_separable(study: PolicyStudy) -> None:
    (sentence,) = [line for line in summary_lines(study) if line.startswith("adaptive")]
    assert "with 2 of 2 seeds; not separable" in sentence


def test_greedy_oscillates_between_a_lenient_parent_and_a_strict_child(study: PolicyStudy) -> None:
    runs = [study.runs["no_archive", seed] for seed in study.seeds]
    assert runs[0] == runs[1]
    assert {entry.evaluation.train_accuracy for entry in runs[0][2:]} == {0.65}
    assert {entry.agent.parent_id for entry in runs[0][2:]} == {"agent-001"}


def test_a_frozen_meta_policy_changes_its_focus_and_memory_alone(study: PolicyStudy) -> None:
    for entry in study.runs["baseline", study.seeds[0]]:
        meta = entry.agent.meta_policy
        steps = (meta.weight_step, meta.threshold_step, meta.exploration_scale)
        assert steps == (0.12, 0.07, 0.18)
        assert len(meta.memory) <= 1


def test_every_record_keeps_its_bounds_and_its_lineage(study: PolicyStudy) -> None:
    for run in study.runs.values():
        by_id = {entry.agent.agent_id: entry.agent for entry in run}
        for entry in run[1:]:
            agent = entry.agent
            assert agent.generation == by_id[str(agent.parent_id)].generation + 1
            assert agent.lineage_notes[-1].startswith(f"{agent.agent_id}: ")
            assert len(agent.lineage_notes) <= 6
            assert list(agent.task_policy.weights) == list(FEATURES)
            values: list[tuple[str, Any]] = [
                ("weights", weight) for weight in agent.task_policy.weights.values()
            ]
            values.append(("threshold", agent.task_policy.threshold))
            steps = ("weight_step", "threshold_step", "exploration_scale")
            values += [(name, getattr(agent.meta_policy, name)) for name in steps]
            for name, value in values:
                assert BOUNDS[name][0] <= value <= BOUNDS[name][1]
                assert value == round(value, 3)


def test_on_rows_that_it_solves_the_operator_goes_on_without_pressure() -> None:
    positive = [row for row in ROWS["train"] if row.label == "accept"]
    archive = play("hyperagent", {"train": positive, "test": ROWS["test"]}, 7, 30)
    assert best(archive).evaluation.train_accuracy == 1.0
    trains = [entry.evaluation.train_accuracy for entry in archive]
    assert statistics.fmean(trains[-5:]) > trains[0]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_equal_seeds_play_equal_runs(condition: str) -> None:
    assert play(condition, ROWS, 20, 8) == play(condition, ROWS, 20, 8)
