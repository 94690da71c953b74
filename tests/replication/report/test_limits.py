"""The best score that a domain can give, as far as a source tells it."""

from msgspec.structs import replace

from hyperspace.runs.records import Run
from replication.report.limits import constant_of, limit_of
from replication.report.records import Arm
from tests.replication.report.runs import errors, run


def ranked(vals: list[float], fitnesses: list[float], **more: float) -> Run:
    """A run whose generations have a fitness beside their score."""
    plain = run("a", 1, vals)
    (agent,) = plain.agents
    rows = tuple(
        replace(row, fitness=fitness, **more)
        for row, fitness in zip(agent.generations, fitnesses, strict=True)
    )
    return replace(plain, agents=(replace(agent, generations=rows),))


def limit(domain: str, *runs: Run, higher: bool | None = None) -> float | None:
    return limit_of(domain, [Arm("a", "", runs)], higher_is_better=higher)


def test_scores_that_are_their_own_fitness_are_shares_and_end_at_1() -> None:
    assert limit("mine", ranked([0.2, 0.9], [0.2, 0.9]), higher=True) == 1.0


def test_an_error_whose_fitness_is_1_is_the_limit_and_without_one_none_is_known() -> None:
    assert limit("freight", errors("a", 1, [0.9, 0.0]), higher=False) == 0.0
    assert limit("freight", errors("a", 1, [0.9, 0.1]), higher=False) is None


def test_a_fitness_that_several_scores_fill_tells_no_limit() -> None:
    assert limit("mine", ranked([80.0, 90.0], [1.0, 1.0]), higher=True) is None
    assert limit("mine", ranked([50.0, 80.0], [0.5, 1.0]), higher=True) == 80.0


def test_sources_without_a_fitness_have_a_limit_only_where_the_task_is_ours() -> None:
    assert limit("", run("a", 1, [0.5])) == limit("repo_quality", run("a", 1, [0.5])) == 1.0
    assert limit("mine", run("a", 1, [0.5, 1.0])) is None


def test_a_score_beyond_it_shows_that_it_is_no_limit() -> None:
    assert limit("", run("a", 1, [0.5, 85.0])) is None
    assert limit("", run("a", 1, [0.5, 1.0], test=1.5)) is None


def test_the_fitness_of_an_ensemble_says_nothing_of_a_score() -> None:
    assert limit("mine", ranked([0.5, 0.7], [1.0, 1.0], ensemble=1.0), higher=True) is None


def test_one_run_alone_is_not_a_measure_that_cannot_move() -> None:
    one, other = run("a", 1, [0.5]), run("b", 2, [0.5])
    assert constant_of([Arm("a", "", (one,))], "val") is None
    assert constant_of([Arm("a", "", (one,)), Arm("b", "", (other,))], "val") == (0.5, 2, 0)
    assert constant_of([Arm("a", "", (one,))], "test") is None
