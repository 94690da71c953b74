"""Marks as lines for people: a run's closings say what the generation came to."""

from typing import Any

import pytest

from hyperspace.runs.spaces.listing import OF_A_RUN, PLAIN, facts
from markspace import Action

GENERATION: dict[str, Any] = {
    "manifest": {
        "parent": 2,
        "error": "",
        "splits": {"train": {"score": 0.5, "items": 2}, "val": {"score": 0.75}},
    },
    "calls": 5,
}
FAILED: dict[str, Any] = {
    "manifest": {"parent": 1, "error": "compile gate", "splits": {}},
    "calls": 3,
}


def closing(result: Any) -> dict[str, Any]:
    """Return what a run's wording says of a closing mark."""
    return dict(facts(Action(scope="generations", action="close", result=result), OF_A_RUN))


def test_a_closing_says_what_the_generation_came_to() -> None:
    told = {"action": "close", "parent": 2, "train": 0.5, "val": 0.75, "calls": 5}
    assert closing(GENERATION) == told
    failed = {"action": "close", "parent": 1, "error": "compile gate", "calls": 3}
    assert closing(FAILED) == failed


def test_a_space_that_is_no_runs_is_listed_by_the_names_in_its_results() -> None:
    action = Action(scope="a", action="close", result=GENERATION)
    assert dict(facts(action, PLAIN)) == {"action": "close", "result": "{manifest, calls}"}


@pytest.mark.parametrize(
    "result",
    [
        {"manifest": 3},
        {"manifest": []},
        {"manifest": {"splits": 7, "parent": {}, "error": None}},
        {"manifest": {"splits": {"train": "high", "val": {"score": [1]}}}, "calls": "many"},
        {"steering": {"verb": "pause"}},
    ],
)
def test_what_closes_no_generation_is_named_by_its_parts(result: dict[str, Any]) -> None:
    names = ", ".join(result)
    assert closing(result) == {"action": "close", "result": f"{{{names}}}"}
