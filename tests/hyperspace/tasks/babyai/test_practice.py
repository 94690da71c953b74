import random
from statistics import mean
from typing import Any

import pytest

from hyperspace.tasks.babyai.domain import BabyAi
from hyperspace.tasks.babyai.items import FAMILIES
from hyperspace.tasks.babyai.score import ACTIONS, PracticeRoom, Thing, draw_room
from tests.support.tasks.episodes import seed_agent


def published() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "score"}
    exec(BabyAi(1).task_files()["score.py"], names)  # noqa: S102 - it is ours
    return names


def room(mission: str, *things: tuple[tuple[int, int], Thing]) -> PracticeRoom:
    """A room with the agent in the middle of its left wall, looking right."""
    grid: dict[tuple[int, int], Thing | None] = {
        (x, y): None for x in range(1, 7) for y in range(1, 7)
    }
    grid |= dict(things)
    return PracticeRoom(grid, (1, 3), 0, mission, 64)


def done_after(level: PracticeRoom, actions: str) -> bool:
    """Letters: left, right, forward, pick up, drop, toggle."""
    words = dict(zip("lrfpdt", ACTIONS, strict=True))
    for letter in actions:
        assert not level.success
        level.act(words[letter])
    return level.success


RED, BLUE = Thing("red", "ball"), Thing("blue", "box")


@pytest.mark.parametrize(
    ("mission", "actions"),
    [
        ("go to the red ball", "f"),
        ("go to the ball", "llfrrf"),
        ("pick up the red ball", "fp"),
        ("pick up the red ball, then go to the blue box", "fpfflf"),
        ("go to the blue box after you pick up the red ball", "fpfflf"),
        ("put the red ball next to the blue box", "fpffld"),
    ],
)
def test_a_mission_is_done_by_its_last_step(mission: str, actions: str) -> None:
    level = room(mission, ((3, 3), RED), ((4, 1), BLUE))
    assert done_after(level, actions)


def test_diagonally_is_not_next_to() -> None:
    level = room("put the red ball next to the blue box", ((3, 3), RED), ((5, 1), BLUE))
    assert not done_after(level, "fpffld")
    assert done_after(level, "prfld")


def test_a_locked_door_opens_with_the_key_of_its_colour_in_hand() -> None:
    door, key = Thing("grey", "door", "locked"), Thing("grey", "key")
    level = room("open the grey door", ((2, 3), key), ((1, 2), door))
    assert not done_after(level, "lt"), "without a key"
    assert level.observe()["observation"].splitlines()[:2] == [
        "a wall 1 step left",
        "a locked grey door 1 step forward",
    ]
    assert not done_after(level, "rp")
    assert level.observe()["observation"].startswith("carrying a grey key")
    assert done_after(level, "lt")


@pytest.mark.long
def test_the_published_room_is_the_same_one() -> None:
    names = published()
    agent = seed_agent(BabyAi(1))
    inputs = [item.inputs for item in BabyAi(1).items("train")]
    scores = [names["play"](each, agent) for each in inputs]
    assert scores == [names["play"](each, agent) for each in inputs]
    assert 0.15 < mean(scores) < 0.45


@pytest.mark.parametrize("family", FAMILIES)
def test_levels_are_such_that_something_is_to_be_done(family: str) -> None:
    for seed in range(30):
        level = draw_room(family, random.Random(seed))
        assert not level.success
        level.act("turn left")
        assert level.steps == 1
        assert level.most == (64 if family in ("goto", "pickup") else 128)
