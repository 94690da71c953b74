"""What an agent reads of a failure: its own words, but not of what it saw under validation."""

import pytest

from hyperspace.kernel.evaluation.failures import ended_too_often, error_in_sight, no_finite_score

UNASKED = "protocol: an answer to 'what validation asked', which was not asked"
VAL = ended_too_often("val", 3, UNASKED)


def test_an_error_of_train_keeps_its_words() -> None:
    error = ended_too_often("train", 3, UNASKED)
    assert error_in_sight(error, by_class=True) == error_in_sight(error, by_class=False) == error


@pytest.mark.parametrize("error", ["", "import gate: ImportError: no module", "TypeError: val"])
def test_other_errors_are_told_as_they_are(error: str) -> None:
    assert error_in_sight(error, by_class=False) == error


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (VAL, "the task agent ended 3 times on val: protocol"),
        (ended_too_often("val", 3, "exited: it exited with status 77"), "exited"),
        (ended_too_often("val", 3, "CanaryError: 1"), "error"),
        (no_finite_score("val", float("-inf")), "the score on val is no finite number: error"),
    ],
)
def test_under_validation_the_class_of_a_failure_is_all_that_is_told(
    error: str, shown: str
) -> None:
    told = error_in_sight(error, by_class=True)
    assert told.rpartition(": ")[2] == shown.rpartition(": ")[2]
    assert told.startswith(("the task agent ended 3 times on val: ", "the score on val is no"))


def test_where_scores_are_not_told_exactly_all_failures_look_alike() -> None:
    failures = (VAL, ended_too_often("val", 3, "output: 9"), no_finite_score("val", float("nan")))
    assert {error_in_sight(error, by_class=False) for error in failures} == {
        "the evaluation on val failed: error"
    }
