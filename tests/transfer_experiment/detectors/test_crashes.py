from hypothesis import given
from hypothesis import strategies as st

from hyperspace.runs.records import RunAgent
from tests.replication.report.runs import errors, run
from tests.support.runs.traced import details
from transfer_experiment.detectors import crashes as detector
from transfer_experiment.detectors.crashes import ABLE, CRASHED
from transfer_experiment.findings import AgentFindings, Finding

SCORES = st.lists(st.one_of(st.none(), st.sampled_from((0.0, 0.01, 0.011, 0.4, 0.41, 0.9))))


def crashes(*scores: float | None) -> list[Finding]:
    return crashes_of(RunAgent("a", run("arm", 1, scores).agents[0].generations))


def crashes_of(agent: RunAgent) -> list[Finding]:
    return list(detector.crashes(agent, AgentFindings()))


def test_two_generations_at_the_bottom_between_good_ones_are_a_crash() -> None:
    (crash,) = crashes(0.5, 0.0, 0.01, 0.6)
    names = ("length", "recovered", "score_before", "score_after")
    assert (crash.agent, crash.generation, *details(crash, *names)) == ("a", 1, 2, 3, 0.5, 0.6)


def test_a_missing_score_counts_as_zero() -> None:
    assert [crash.details["length"] for crash in crashes(0.5, None, None, None, 0.6)] == [3]


def test_one_bad_generation_is_no_crash() -> None:
    assert crashes(0.5, 0.0, 0.6) == []


def test_a_score_in_between_ends_the_streak() -> None:
    assert crashes(0.5, 0.0, 0.0, 0.2, 0.6) == []
    assert [crash.generation for crash in crashes(0.5, 0.0, 0.2, 0.0, 0.0, 0.6)] == [3]


def test_who_never_could_has_nothing_to_recover() -> None:
    assert crashes(0.0, 0.0, 0.4, 0.0, 0.0, 0.6) == []


def test_a_crash_without_recovery_is_none() -> None:
    assert crashes(0.5, 0.0, 0.0, 0.0) == []


def test_where_lower_is_better_a_crash_is_an_error_that_rises() -> None:
    (agent,) = errors("arm", 1, [5.0, 9.95, 10.0, 2.0]).agents
    (crash,) = crashes_of(agent)
    assert details(crash, "length", "score_before", "score_after") == (2, 5.0, 2.0)
    (agent,) = errors("arm", 1, [5.0, 0.0, 0.0, 2.0]).agents
    assert crashes_of(agent) == []


@given(SCORES)
def test_every_crash_is_what_its_definition_says(scores: list[float | None]) -> None:
    values = [score or 0.0 for score in scores]
    for crash in crashes(*scores):
        length = crash.details["length"]
        assert isinstance(length, int) and length >= 2
        end = crash.generation + length
        assert crash.details["recovered"] == end
        assert all(value <= CRASHED for value in values[crash.generation : end])
        assert values[end] > ABLE and any(v > ABLE for v in values[: crash.generation])
        assert values[crash.generation - 1] > CRASHED


@given(SCORES)
def test_as_many_crashes_as_words_of_the_definition(scores: list[float | None]) -> None:
    letters = "".join(_letter(score or 0.0) for score in scores)
    _, able, rest = letters.partition("A")
    expected = sum(1 for part in (able + rest).split("A")[1:-1] if _is_streak(part))
    assert len(crashes(*scores)) == expected


def _letter(score: float) -> str:
    return "A" if score > ABLE else "0" if score <= CRASHED else "m"


def _is_streak(between: str) -> bool:
    """Whether what stands between two good scores ends in two or more at the bottom."""
    return between.endswith("00")
