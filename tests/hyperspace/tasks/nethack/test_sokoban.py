"""Levels of boulders, played by rules that are written apart from their generator."""

import pytest

from hyperspace.tasks.nethack.items import BOXOBAN
from hyperspace.tasks.nethack.sokoban import (
    BOULDERS,
    LEAST_PUSHES,
    MOST_STEPS,
    BoulderLevel,
    draw_level,
)

STEPS = {"north": -1j, "south": 1j, "east": 1, "west": -1}


def places(level: BoulderLevel, sign: str) -> set[complex]:
    return {
        complex(x, y)
        for y, row in enumerate(level.rows)
        for x, character in enumerate(row)
        if character == sign
    }


def pushes(level: BoulderLevel) -> int:
    """Play the plan to the end, which has to be a solution; how many of its steps push."""
    walls, boulders, goals = (places(level, sign) for sign in "#$.")
    (player,), count = places(level, "@"), 0
    for word in level.plan:
        assert boulders != goals
        player += STEPS[word]
        assert player not in walls
        if player in boulders:
            count += 1
            beyond = player + STEPS[word]
            assert beyond not in walls | boulders
            boulders = boulders - {player} | {beyond}
    assert boulders == goals
    return count


@pytest.mark.long
@pytest.mark.parametrize("task", BOXOBAN)
def test_every_level_is_solved_by_its_plan_within_the_steps(task: str) -> None:
    for seed in range(4):
        level = draw_level(task, seed)
        assert [len(row) for row in level.rows] == [10] * 10
        assert len(places(level, "$")) == len(places(level, ".")) == BOULDERS
        assert pushes(level) >= LEAST_PUSHES[task]
        assert len(level.plan) <= MOST_STEPS


@pytest.mark.long
def test_equal_seeds_give_equal_levels_and_others_others() -> None:
    hard, medium = BOXOBAN
    assert draw_level(hard, 1) == draw_level(hard, 1)
    levels = [draw_level(task, seed).rows for task in (hard, medium) for seed in range(3)]
    assert len(set(levels)) == 6
