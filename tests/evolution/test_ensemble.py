"""What several generations answer together."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.registry import load
from evolution.ensemble import combined, majority
from evolution.solo import SoloTerms
from tests.support.freight import Freight

TABLE = load("repo_quality")
ANSWERS = st.lists(st.sampled_from(["yes", "no", " Yes", "NO ", "maybe"]), min_size=1, max_size=7)


@pytest.mark.parametrize(
    ("answers", "together"),
    [
        (["a", "b", "b"], "b"),
        (["a", "b"], "a"),
        (["b", "a", "c"], "b"),
        (["x", "Yes ", "yes"], "Yes "),
        (["a"], "a"),
    ],
)
def test_the_most_frequent_answer_counts_and_of_equals_the_first(
    answers: list[str], together: str
) -> None:
    assert majority(answers) == together


@given(ANSWERS)
def test_a_majority_of_more_than_half_wins_in_any_order(answers: list[str]) -> None:
    plain = [answer.strip().lower() for answer in answers]
    winners = [answer for answer in plain if 2 * plain.count(answer) > len(plain)]
    if winners:
        assert majority(answers).strip().lower() == winners[0]
        assert majority(answers[::-1]).strip().lower() == winners[0]


def test_items_that_a_member_left_out_are_answered_by_the_others() -> None:
    answers = [{"1": "a"}, {"1": "b", "2": "b"}, {"2": "c", "1": "b"}]
    assert combined(TABLE, answers) == {"1": "b", "2": "b"}


def test_a_domain_of_numbers_says_itself_what_answers_come_to() -> None:
    class Averaged(Freight):
        def combine(self, answers: Sequence[str]) -> str:
            return str(sum(map(float, answers)) / len(answers))

    assert combined(Averaged(""), [{"1": "1"}, {"1": "4"}]) == {"1": "2.5"}


def test_an_ensemble_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        SoloTerms(experiment="e", arm="a", ensemble_size=1)
