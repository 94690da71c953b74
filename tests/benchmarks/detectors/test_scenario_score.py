"""Scores of turns that have something in common."""

from benchmarks.detectors.scenario import ScenarioTurn
from benchmarks.detectors.scenario_score import JudgedTurn, group_score

TAKEN = ScenarioTurn("ana", 2, verdict="adopted", peer="bob")
PART = ScenarioTurn("ana", 3, verdict="inspired", peer="bob")
OWN = ScenarioTurn("ana", 4)


def judged(turn: ScenarioTurn, *peers: str) -> JudgedTurn:
    """A turn in which it was found that these were adopted from."""
    return JudgedTurn(turn, frozenset(peers))


def test_another_peer_or_one_too_many_is_found_but_not_from_whom() -> None:
    turns = [judged(TAKEN, "bob"), judged(TAKEN, "eve"), judged(TAKEN, "bob", "eve"), judged(TAKEN)]
    score = group_score("case", "whole", turns)
    assert (score.recall.hits, score.recall.cases) == (3, 4)
    assert (score.from_whom.hits, score.from_whom.cases) == (1, 4)
    assert score.precision.value == 1.0
    assert score.left_alone.value is None


def test_little_that_was_taken_and_nothing_are_to_be_left_alone() -> None:
    score = group_score("case", "few", [judged(PART), judged(OWN), judged(OWN, "bob")])
    assert (score.left_alone.hits, score.left_alone.cases) == (2, 3)
    assert (score.precision.hits, score.precision.cases) == (0, 1)
    assert score.recall.value is None
