"""What a team is judged by: its best agent, and its curve at equal cost."""

import pytest
from msgspec.structs import replace

from hyperspace.options.fleet import TeamMeasure
from replication.report.grouping import experiments_of
from replication.report.measures import area, measures_of, primary_of, time_to, value_of
from replication.report.records import Arm
from tests.replication.report.fleets import team
from tests.replication.report.runs import errors


def test_a_team_is_its_best_agent_by_validation_whatever_the_others_have() -> None:
    run = team("f", 1, [[0.5, 0.6], [0.5, 0.8]], [0.9, 0.7])
    assert (run.best_val, run.test) == (0.8, 0.7)
    copied = team("f", 1, [[0.5, 0.8], [0.5, 0.8]], [0.7, 0.7])
    assert (copied.best_val, copied.test) == (0.8, 0.7), "copies alone raise nothing"


def test_of_equally_good_agents_the_earliest_counts() -> None:
    later_first = team("f", 1, [[0.5, 0.6, 0.8], [0.5, 0.8, 0.7]], [0.1, 0.2])
    assert later_first.test == 0.2
    assert team("f", 1, [[0.5, 0.8], [0.5, 0.8]], [0.1, 0.2]).test == 0.1


def test_the_area_counts_the_generations_of_all_agents_one_by_one() -> None:
    pair = team("f", 1, [[0.5, 0.6, 0.7], [0.4, None, 0.9]])
    assert area(pair) == pytest.approx((0.6 + 0.6 + 0.7 + 0.9) / 4)
    alone = team("f_alone", 1, [[0.5, 0.6, 0.6, 0.7, 0.9]])
    assert area(alone) == area(pair)


def test_a_run_that_is_not_complete_has_no_area_and_no_time() -> None:
    run = team("f", 1, [[0.5, 0.6], [0.5]])
    assert area(run) is not None
    (first, second) = run.agents
    unfinished = replace(run, agents=(first, replace(second, planned=1)))
    assert (area(unfinished), time_to(unfinished, 0.55)) == (None, None)


def test_the_time_to_a_score_is_in_generations_of_all_agents() -> None:
    run = team("f", 1, [[0.5, 0.6, 0.7], [0.4, 0.65, 0.9]])
    assert [time_to(run, score) for score in (0.5, 0.6, 0.65, 0.9, 0.95)] == [0, 1, 2, 4, 5]


def test_where_lower_is_better_a_score_is_reached_from_above() -> None:
    run = errors("f", 1, [0.5, 0.3])
    assert [time_to(run, score) for score in (0.6, 0.4, 0.1)] == [0, 1, 2]


def arms(*measures: TeamMeasure | None) -> tuple[Arm, ...]:
    runs = [team("f", seed, [[0.5, 0.6]], [0.7], set_) for seed, set_ in enumerate(measures)]
    return experiments_of(runs)[0].arms


def test_a_measure_is_primary_where_every_run_was_played_with_it() -> None:
    of_test, of_area = TeamMeasure("team_test"), TeamMeasure("area")
    assert primary_of(arms(of_test, of_test)) == "test"
    assert primary_of(arms(of_test, of_area)) is None
    assert primary_of(arms(of_test, None)) is None
    assert measures_of("area") == ("area", "test", "val")
    assert measures_of(None) == ("val", "test")


def test_a_threshold_is_that_of_the_file() -> None:
    run = team("f", 1, [[0.5, 0.6, 0.7]], measure=TeamMeasure("time_to", 0.65))
    assert value_of(run, "time_to") == 2
    assert value_of(team("f", 1, [[0.5, 0.6]]), "time_to") is None
