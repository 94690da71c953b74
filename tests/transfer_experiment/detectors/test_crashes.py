from hypothesis import given
from hypothesis import strategies as st

from transfer_experiment.detectors.crashes import ABLE, CRASHED, Crash, Scored, find_crashes

SCORES = st.lists(st.one_of(st.none(), st.sampled_from((0.0, 0.01, 0.011, 0.4, 0.41, 0.9))))


def crashes(*scores: float | None) -> list[Crash]:
    return find_crashes("a", (Scored(at, score) for at, score in enumerate(scores)))


def test_two_generations_at_the_bottom_between_good_ones_are_a_crash() -> None:
    assert crashes(0.5, 0.0, 0.01, 0.6) == [Crash("a", 1, 2, 3, 0.5, 0.6)]


def test_a_missing_score_counts_as_zero() -> None:
    assert [crash.length for crash in crashes(0.5, None, None, None, 0.6)] == [3]


def test_one_bad_generation_is_no_crash() -> None:
    assert crashes(0.5, 0.0, 0.6) == []


def test_a_score_in_between_ends_the_streak() -> None:
    assert crashes(0.5, 0.0, 0.0, 0.2, 0.6) == []
    assert [crash.generation for crash in crashes(0.5, 0.0, 0.2, 0.0, 0.0, 0.6)] == [3]


def test_who_never_could_has_nothing_to_recover() -> None:
    assert crashes(0.0, 0.0, 0.4, 0.0, 0.0, 0.6) == []


def test_a_crash_without_recovery_is_none() -> None:
    assert crashes(0.5, 0.0, 0.0, 0.0) == []


@given(SCORES)
def test_every_crash_is_what_its_definition_says(scores: list[float | None]) -> None:
    values = [score or 0.0 for score in scores]
    for crash in crashes(*scores):
        end = crash.generation + crash.length
        assert crash.length >= 2 and crash.recovered == end
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
