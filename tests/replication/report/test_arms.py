"""One arm in numbers."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hyperspace.kernel.errors import RunUsageError
from replication.report.arms import summary_of
from replication.report.build import study_of
from replication.report.records import Arm
from tests.replication.report.runs import run


def test_rates_are_over_evolved_generations_alone() -> None:
    arm = summary_of(Arm("a", "", (run("a", 1, [0.9, 0.0, 0.5, None]),)))
    assert arm.scoring_rate == 1 / 3
    assert arm.valid_rate == 2 / 3
    assert (arm.self_modification_rate, arm.self_modification_known) == (None, 0)


def test_edits_of_the_meta_agent_count_where_they_are_known() -> None:
    one = run("a", 1, [0.1, 0.2, 0.3, 0.4])
    known = (None, True, False, None)
    generations = tuple(
        replace(found, meta_edited=edited)
        for found, edited in zip(one.agents[0].generations, known, strict=True)
    )
    arm = summary_of(
        Arm("a", "", (replace(one, agents=(replace(one.agents[0], generations=generations),)),))
    )
    assert (arm.self_modification_rate, arm.self_modification_known) == (0.5, 2)


def test_thresholds_count_the_best_so_far_and_the_runs_that_reached_them() -> None:
    runs = (run("a", 1, [0.1, 0.56, 0.2]), run("a", 2, [0.1, 0.2, 0.3, 0.52]), run("a", 3, [0.0]))
    reached = {
        one.score: (one.runs, one.generation) for one in summary_of(Arm("a", "", runs)).reached
    }
    none = (0, None)
    assert reached == {0.5: (2, 3), 0.55: (1, None), 0.6: none, 0.65: none, 0.7: none}


def test_a_run_that_never_reached_a_threshold_is_later_than_all_that_did() -> None:
    late, early, never = [0.0] * 60 + [0.52], [0.0, 0.0, 0.56], [0.0, 0.3]
    runs = [run("a", seed, vals) for seed, vals in enumerate((late, early, early, never))]
    (half, more, *_) = summary_of(Arm("a", "", tuple(runs[:3]))).reached
    assert [(one.runs, one.generation) for one in (half, more)] == [(3, 2), (2, 2)]
    (half, more, *_) = summary_of(Arm("a", "", tuple(runs))).reached
    # The middle of 2, 2, 60 and never; then of 2, 2, never and never.
    assert [(one.runs, one.generation) for one in (half, more)] == [(3, 31), (2, None)]


shares = st.integers(0, 100).map(lambda hundredths: hundredths / 100)


@pytest.mark.long
@given(st.lists(st.lists(shares, min_size=1, max_size=6), min_size=1, max_size=6))
def test_a_higher_score_is_never_reached_earlier(vals: list[list[float]]) -> None:
    runs = tuple(run("a", seed, scores) for seed, scores in enumerate(vals))
    reached = summary_of(Arm("a", "", runs)).reached
    medians = [inf if one.generation is None else one.generation for one in reached]
    assert medians == sorted(medians)
    assert all(one.generation is None or one.runs * 2 >= len(runs) for one in reached)


def test_gain_is_best_minus_seed_and_the_earliest_of_equals_is_the_best() -> None:
    arm = summary_of(Arm("a", "", (run("a", 1, [0.1, 0.4, 0.4]),)))
    assert arm.imp_at_k == 0.3
    assert arm.results[0].generation == 1


def test_more_arms_than_can_be_compared_are_refused() -> None:
    runs = [run(f"a{number}", 1, [0.1, 0.5]) for number in range(101)]
    with pytest.raises(RunUsageError, match=r"101 arms, and 100 are compared at most; name one"):
        study_of(runs, "somewhere")
    study_of(runs, "somewhere", against="a0")
