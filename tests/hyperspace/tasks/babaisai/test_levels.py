from collections import Counter

import pytest

from benchmarks.episodes.baba_levels import solved
from hyperspace.tasks.babaisai.levels import KINDS, NAMES, SCENES, draw_level, renamed
from hyperspace.tasks.babaisai.pool import read_pool
from hyperspace.tasks.babaisai.score import BabaGame
from hyperspace.tasks.babaisai.solver import shortest_plan
from tests.support.baba_maps import level

EASY = "two_room-break_stop-goto_win"


def test_there_are_40_kinds_of_10_scenes() -> None:
    assert len(KINDS) == len(set(KINDS)) == 40
    assert {kind.partition("-distr")[0] for kind in KINDS} == set(SCENES)


@pytest.mark.parametrize("kind", KINDS)
def test_levels_of_each_kind_have_their_parts_and_blocks_lie_apart(kind: str) -> None:
    for number in range(5):
        drawn = draw_level(kind, number)
        assert drawn == draw_level(kind, number)
        game = BabaGame(drawn)
        situation = game.situation
        cells = situation.blocks + situation.cells
        assert len(set(cells)) == len(cells)
        assert game.board.inside.issuperset(cells)
        sentences = game.board.rules(situation.blocks).sentences
        assert "baba is you" in sentences
        assert ("ball is win" in sentences) == ("make_win" not in kind and "wall_win" not in kind)
        needs_break = any(part in kind for part in ("break_stop", "make_you", "wall_win"))
        assert ("wall is stop" in sentences) == needs_break


def test_a_plan_wins_in_as_many_steps_as_it_has() -> None:
    drawn = draw_level(EASY, 0)
    plan = shortest_plan(drawn)
    assert plan is not None
    game = BabaGame(drawn)
    for action in plan:
        assert game.observe() is not None
        game.act(action)
    assert (game.ending, game.steps) == ("won", len(plan))


def test_no_shorter_plan_is_left_out() -> None:
    rows = ("KEY IS WIN . .", "baba . . . key", "BABA IS YOU . .")
    assert shortest_plan(level(*rows)) == ["right"] * 4
    assert shortest_plan(level(*rows, cap=3)) is None


@pytest.mark.parametrize(
    "rows",
    [
        ("KEY IS WIN", "baba . .", "BABA IS YOU"),
        ("KEY IS WIN", "BABA IS YOU", ". . key"),
        ("KEY . WIN", "baba . key", "BABA IS YOU"),
    ],
)
def test_what_cannot_be_won_has_no_plan(rows: tuple[str, ...]) -> None:
    assert shortest_plan(level(*rows)) is None


def test_a_search_is_bounded() -> None:
    assert shortest_plan(draw_level(EASY, 0), most_states=50) is None


def test_names_are_exchanged_in_blocks_and_objects() -> None:
    drawn = draw_level("make_win-distr_obj_rule", 0)
    other = renamed(drawn, ("key", "door", "ball"))
    for part in ("blocks", "objects"):
        words = [word for word, _, _ in drawn[part]]
        swapped = [word for word, _, _ in other[part]]
        exchange = dict(zip(NAMES, ("key", "door", "ball"), strict=True))
        assert swapped == [exchange.get(word, word) for word in words]
    assert renamed(other, ("door", "ball", "key")) == drawn


def test_the_pool_has_equally_many_levels_of_every_kind_and_none_twice() -> None:
    pool = read_pool()
    assert tuple(pool) == KINDS
    assert Counter(len(levels) for levels in pool.values()) == {16: 33, 8: 7}
    layouts = {
        str((sorted(drawn["blocks"]), sorted(drawn["objects"])))
        for kind, levels in pool.items()
        for drawn in (draw_level(kind, number) for number, _ in levels)
    }
    assert len(layouts) == 33 * 16 + 7 * 8
    assert all(0 < plan <= 100 for levels in pool.values() for _, plan in levels)


@pytest.mark.parametrize("kind", ["goto_win", "make_win-distr_rule", EASY, "two_room-make_you"])
def test_the_pool_is_what_the_command_finds(kind: str) -> None:
    levels, layouts = read_pool()[kind], set[str]()
    again = solved(kind, layouts)
    assert tuple(next(again) for _ in levels[:4]) == levels[:4]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_level_of_the_pool_is_solved_by_a_plan_of_the_length_it_notes(kind: str) -> None:
    for number, length in read_pool()[kind]:
        plan = shortest_plan(draw_level(kind, number))
        assert plan is not None
        assert len(plan) == length
