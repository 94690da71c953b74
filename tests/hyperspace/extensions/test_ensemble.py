"""What several generations answer together."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.extensions.ensemble.ensemble import combined, form_ensemble, majority
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.state.manifest import SplitResult
from hyperspace.options.fleet import FleetTerms
from hyperspace.options.solo import SoloTerms
from hyperspace.tasks.registry import load
from tests.support.runs.some_fleet import SomeFleet, alike
from tests.support.tasks.freight import Freight

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


@pytest.mark.parametrize("size", [1, 1_001])
def test_an_ensemble_of_one_or_of_too_many_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="2 to 1,000"):
        SoloTerms(experiment="e", arm="a", ensemble_size=size)


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[SomeFleet]:
    with SomeFleet(tmp_path / "run", FleetTerms(members=alike(1))) as fleet:
        yield fleet


def members(fleet: SomeFleet, size: int) -> tuple[int, ...]:
    """Who makes the ensemble of the generation that comes next."""
    candidate = Candidate("a", fleet.context.archives["a"].next_generation(), 0, {}, ())
    candidate.splits = {"val": SplitResult({}, 0.5, 10)}
    terms = SoloTerms(experiment="e", arm="a", optimise="ensemble", ensemble_size=size)
    ensemble = form_ensemble(fleet.context, candidate, terms)
    assert ensemble is not None
    return ensemble.members


def test_what_is_measured_chooses_no_member(fleet: SomeFleet) -> None:
    for train, val in ((0.5, 0.9), (0.8, 0.1), (0.6, 0.8), (0.8, 0.7)):
        fleet.close("a", val, train=train)
    assert [members(fleet, size) for size in (2, 3, 4, 9)] == [
        (4, 1),  # of equals on train the earliest
        (4, 1, 3),
        (4, 1, 3, 2),
        (4, 1, 3, 2, 0),
    ]


def test_a_generation_without_a_validation_score_is_no_member(fleet: SomeFleet) -> None:
    fleet.close("a", None, train=0.9)
    fleet.close("a", 0.1, train=0.2)
    assert members(fleet, 5) == (2, 1)
