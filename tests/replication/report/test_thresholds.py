"""Thresholds: the published ones where they can tell runs apart, else some that can."""

from hypothesis import given
from hypothesis import strategies as st

from replication.report.build import study_of
from replication.report.outputs.cells import thresholds
from replication.report.records import THRESHOLDS, Arm
from replication.report.thresholds import thresholds_for
from tests.replication.report.runs import errors, run

scores = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)


def chosen(domain: str, *vals: float) -> tuple[float, ...]:
    return thresholds_for(domain, [Arm("a", "", (run("a", 1, vals, domain=domain),))])


def test_scores_that_start_above_most_fixed_ones_get_their_own() -> None:
    assert chosen("repo_quality", 0.65, 0.85, 0.95) == (0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
    assert chosen("repo_quality", 0.6, 0.9)[0] == 0.65
    assert chosen("repo_quality", 0.95, 0.98) == (0.96, 0.97, 0.98)
    assert chosen("mine.py:low", 0.0, 0.3) == (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)


def test_the_published_task_tables_and_scores_among_the_fixed_ones_keep_those() -> None:
    for domain in ("", "imo_grading"):
        assert chosen(domain, 0.8, 0.95) == THRESHOLDS
    assert chosen("repo_quality", 0.4, 0.6) == THRESHOLDS


def test_errors_that_fall_get_thresholds_that_fall_in_their_own_unit() -> None:
    runs = (errors("a", 1, [6.75, 3.4]), errors("a", 2, [5.0, 3.6]))
    arms = [Arm("a", "", runs)]
    assert thresholds_for("freight", arms, higher_is_better=False) == (6.5, 6, 5.5, 5, 4.5, 4, 3.5)
    worse = [Arm("a", "", (errors("a", 1, [0.5, 0.2]),))]
    scores = thresholds_for("mine.py:error", worse, higher_is_better=False)
    assert scores == (0.45, 0.4, 0.35, 0.3, 0.25, 0.2)


def test_runs_that_never_got_better_keep_the_fixed_ones() -> None:
    assert chosen("repo_quality", 0.8, 0.8) == THRESHOLDS


@given(scores, scores)
def test_thresholds_ascend_are_few_and_tell_the_start_from_the_best(one: float, two: float) -> None:
    low, high = sorted((one, two))
    found = chosen("repo_quality", low, high)
    assert list(found) == sorted(set(found))
    assert len(found) <= 7
    if found != THRESHOLDS:
        assert all(low < least <= high for least in found)


def test_a_report_shows_the_thresholds_that_it_chose() -> None:
    runs = [run("a", 1, [0.9, 0.91, 0.93], domain="repo_quality")]
    (experiment,) = study_of(runs, "here").report.experiments
    table = thresholds(experiment.arms)
    assert table.headings == ("arm", "0.91", "0.92", "0.93")
    assert table.rows == [("a", "1 (1/1)", "2 (1/1)", "2 (1/1)")]
