"""The published solo runs: exactly the published medians, and what five seeds cannot show.

Where the published table is not there, a small one of the same form and the same bests is.
"""

from pathlib import Path

import pytest

from hyperspace.runs.table import read_table
from replication.report.build import Study, study_of
from replication.report.outputs.text import report_lines
from replication.report.records import ExperimentReport
from tests.replication.report.runs import PUBLISHED

BESTS = {
    "arm_a_full": (0.58, 0.64, 0.51, 0.57, 0.65),
    "arm_b_freeze": (0.51, 0.67, 0.0, 0.58, 0.62),
    "arm_c_random": (0.61, 0.09, 0.6, 0.0, 0.57),
    "arm_d_annealing": (0.59, 0.64),
}
NAME = "replication_scores.csv"
COLUMNS = "arm,seed,generation,parent,forked_from,valid,train_score,val_score,full_eval"


@pytest.fixture(scope="module", params=["the published table", "a small table"])
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Study:
    path = PUBLISHED / NAME
    if request.param == "a small table":
        path = small_table(tmp_path_factory.mktemp("small"))
    elif not PUBLISHED.is_dir():
        pytest.skip(f"no published scores in {PUBLISHED}")
    return study_of(read_table(path), str(path))


def small_table(folder: Path) -> Path:
    """Five generations a run; the best is there twice, and an invalid one claims more."""
    lines = [
        f"{arm},seed{42 + at},{generation},{generation - 1 if generation else ''},,{told}"
        for arm, bests in BESTS.items()
        for at, best in enumerate(bests)
        for generation, told in enumerate(generations(best))
    ]
    (folder / NAME).write_text("\n".join([COLUMNS, *lines]))
    return folder / NAME


def generations(best: float) -> tuple[str, ...]:
    middle = f"True,0.9,{round(best / 2, 2)},True"
    top = f"True,0.1,{best},True"
    return ("True,0.0,0.0,False", middle, top, "False,1.0,1.0,True", top)


@pytest.fixture(scope="module")
def report(study: Study) -> ExperimentReport:
    (only,) = study.report.experiments
    return only


@pytest.mark.long
def test_medians_of_the_best_validation_scores_are_the_published_ones(
    report: ExperimentReport,
) -> None:
    medians = {arm.arm: arm.val.median for arm in report.arms if arm.val}
    assert medians == {
        "arm_a_full": 0.58,
        "arm_b_freeze": 0.58,
        "arm_c_random": 0.57,
        "arm_d_annealing": 0.615,
    }


def test_each_seed_has_its_published_best(report: ExperimentReport) -> None:
    found = {arm.arm: tuple(result.val for result in arm.results) for arm in report.arms}
    assert found == BESTS


def test_test_scores_are_not_in_the_file_and_are_not_made_up(report: ExperimentReport) -> None:
    assert all(arm.test is None for arm in report.arms)
    assert not [one for one in report.comparisons if one.measure == "test"]
    assert "Test scores are not in the file replication_scores.csv." in report.notes


def test_no_comparison_separates_the_arms_and_none_could_have(report: ExperimentReport) -> None:
    assert len(report.comparisons) == 6
    reach = {(len(one.seeds), one.ties, one.smallest_p) for one in report.comparisons}
    assert reach == {(5, 0, 0.0625), (2, 0, 0.5), (2, 1, 1.0)}
    assert {one.verdict for one in report.comparisons} == {
        "cannot be separated with this many seeds"
    }
    assert all(one.low is None and one.detectable is None for one in report.comparisons)


def test_the_report_says_so_and_why(study: Study) -> None:
    text = " ".join(" ".join(report_lines(study)).split())
    assert "By best validation score no two arms are separated" in text
    assert "arm_a_full - arm_d_annealing: 1 of 2 seeds tie exactly; the smallest p" in text
    assert "6 of 6 comparisons cannot be separated with this many seeds" in text
    assert "0.5 from 2 pairs, 0.0625 from 5 pairs" in text
    assert "8 for 6 comparisons at once, 6 for a single one" in text


def test_intervals_of_five_seeds_are_their_range_and_say_what_they_hold(
    report: ExperimentReport,
) -> None:
    full, *_, annealing = report.arms
    assert full.val is not None
    assert annealing.val is not None
    assert (full.val.low, full.val.high, full.val.coverage) == (0.51, 0.65, 0.9375)
    assert (annealing.val.low, annealing.val.high, annealing.val.coverage) == (0.59, 0.64, 0.5)


def test_the_earliest_of_equals_is_the_best_and_what_is_invalid_is_none(tmp_path: Path) -> None:
    (found,) = study_of(read_table(small_table(tmp_path)), NAME).report.experiments
    at = {result.generation for arm in found.arms for result in arm.results if result.val}
    assert at == {2}
    assert {arm.valid_rate for arm in found.arms} == {0.75}
    halves = [arm.reached[0] for arm in found.arms]
    assert [(one.runs, one.generation) for one in halves] == [(5, 2), (4, 2), (3, 2), (2, 2)]
