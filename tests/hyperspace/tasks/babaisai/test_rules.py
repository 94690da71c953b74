import random
from typing import Any

import pytest

from hyperspace.tasks.babaisai.score import BabaGame, play
from tests.support.baba_maps import level
from tests.support.tasks.episodes import Scripted

RULE = "BABA IS YOU . . ."
HUGE = "x" * 10_000_000
NO_ACTIONS = ["", "north", "up up", HUGE, "\ud800", "up\0", "NaN", None, 3, ["up"], "👍"]


def played(*rows: str, actions: str) -> BabaGame:
    game = BabaGame(level(*rows))
    for action in actions.split():
        assert game.observe() is not None
        game.act(action)
    return game


def cells(game: BabaGame, kind: str) -> list[tuple[int, int]]:
    """Where the objects of a kind are, as (x, y)."""
    situation, width = game.situation, game.board.width
    pairs = zip(situation.kinds, situation.cells, strict=True)
    return [(cell % width, cell // width) for name, cell in pairs if name == kind]


def words(game: BabaGame, word: str) -> list[tuple[int, int]]:
    """Where the blocks of a word lie, as (x, y)."""
    width = game.board.width
    pairs = zip(game.board.words, game.situation.blocks, strict=True)
    return [(cell % width, cell // width) for name, cell in pairs if name == word]


def sentences(game: BabaGame) -> tuple[str, ...]:
    return game.board.rules(game.situation.blocks).sentences


def test_a_level_is_won_by_walking_onto_what_wins() -> None:
    game = played("KEY IS WIN . . .", "baba . key . . .", RULE, actions="right right")
    assert (game.ending, game.score, game.steps) == ("won", 1.0, 2)
    assert game.observe() is None


def test_objects_that_no_rule_names_are_walked_over() -> None:
    game = played("baba key . . . .", RULE, actions="right")
    assert (cells(game, "baba"), game.ending) == ([(2, 1)], "")


def test_what_stops_is_not_entered() -> None:
    game = played("WALL IS STOP . . .", "baba wall . . . .", RULE, actions="right")
    assert (cells(game, "baba"), game.steps) == ([(1, 2)], 1)


def test_the_ring_is_not_entered() -> None:
    assert cells(played("baba . .", "BABA IS YOU", actions="up left"), "baba") == [(1, 1)]


def test_blocks_are_pushed_several_at_once() -> None:
    game = played("baba WIN KEY . . .", RULE, actions="right")
    assert (cells(game, "baba"), words(game, "win"), words(game, "key")) == (
        [(2, 1)],
        [(3, 1)],
        [(4, 1)],
    )


@pytest.mark.parametrize("row", ["baba WIN KEY", "baba WIN ball"])
def test_blocks_stop_at_the_ring_and_at_objects(row: str) -> None:
    game = played(row, "BABA IS YOU", actions="right")
    assert (cells(game, "baba"), words(game, "win")) == ([(1, 1)], [(2, 1)])


def test_rules_are_read_in_rows_and_columns_and_not_backwards() -> None:
    game = BabaGame(
        level("KEY . WIN IS BALL", "IS . . . .", "WIN . . . .", ". BABA IS YOU .", "baba . . . .")
    )
    assert sentences(game) == ("key is win", "baba is you")


def test_a_rule_holds_from_the_step_after_it_is_made() -> None:
    game = played("baba KEY . IS WIN .", "baba key . . . .", RULE, actions="right")
    assert sentences(game) == ("key is win", "baba is you")
    assert (cells(game, "baba"), game.ending) == ([(2, 1), (2, 2)], "")


def test_a_rule_that_the_step_breaks_still_wins() -> None:
    column = ("BABA . ball .", "IS . baba .", "YOU . . .", ". BALL IS WIN", ". baba . .")
    game = played(*column, actions="up")
    assert sentences(game) == ("baba is you",)
    assert game.ending == "won"


def test_a_row_of_walkers_moves_as_one() -> None:
    game = played("WALL IS STOP . . .", "baba baba . . . .", RULE, actions="right")
    assert cells(game, "baba") == [(2, 2), (3, 2)]


def test_walkers_that_stop_stand_in_each_others_way_only_at_the_end() -> None:
    rows = ("BABA IS STOP", "baba baba .", "BABA IS YOU")
    game = played(*rows, actions="right")
    assert cells(game, "baba") == [(2, 2), (3, 2)]
    game.act("right")
    assert cells(game, "baba") == [(2, 2), (3, 2)]


def test_an_object_becomes_another() -> None:
    game = played("baba KEY . IS DOOR .", ". . key . . key", RULE, actions="right")
    assert (cells(game, "key"), cells(game, "door")) == ([], [(3, 2), (6, 2)])


def test_two_kinds_that_become_each_other_are_exchanged() -> None:
    game = played(
        "KEY IS DOOR . . .", "DOOR IS KEY . . .", "key . . . . door", "baba . . . . .", RULE,
        actions="right",
    )  # fmt: skip
    assert (cells(game, "door"), cells(game, "key")) == ([(1, 3)], [(6, 3)])


def test_a_level_in_which_nothing_is_you_is_set_back_and_that_is_told() -> None:
    game = played(". . baba . .", ". BABA IS YOU .", ". . . . .", actions="down")
    observation = game.observe()
    assert observation is not None
    assert observation["notice"].startswith("nothing was you any more")
    assert (cells(game, "baba"), game.steps, game.resets) == ([(3, 1)], 1, 1)
    assert sentences(game) == ("baba is you",)


def test_steps_are_bounded_idle_ones_too() -> None:
    game = BabaGame(level("baba . .", "BABA IS YOU", cap=3))
    for _ in range(3):
        assert game.observe() is not None
        game.act("idle")
    assert (game.ending, game.score, game.observe()) == ("ran out of steps", 0.0, None)


@pytest.mark.parametrize("action", NO_ACTIONS, ids=range(len(NO_ACTIONS)))
def test_what_is_no_action_stands_idle_and_is_told(action: Any) -> None:
    game = BabaGame(level(". baba .", "BABA IS YOU"))
    game.act(action)
    observation = game.observe()
    assert observation is not None
    assert observation["notice"].endswith("stood idle")
    assert (observation["prev_action"], observation["steps_left"]) == ("idle", 99)
    assert (cells(game, "baba"), game.malformed) == ([(2, 1)], 1)
    game.act(" Left\n")
    assert (cells(game, "baba"), game.malformed, game.notice) == ([(1, 1)], 1, "")


def test_what_is_told_is_seen_from_the_first_that_is_you() -> None:
    game = BabaGame(level("KEY IS WIN . . .", ". . key baba . .", ". ball . . . .", RULE))
    observation = game.observe()
    assert observation is not None
    assert observation["observation"].splitlines() == [
        "Active rules:",
        "key is win",
        "baba is you",
        "",
        "Seen from baba, which is you:",
        "key 1 left",
        "ball 2 left and 1 down",
        "block key 3 left and 1 up",
        "block is 2 left and 1 up",
        "block win 1 left and 1 up",
        "block baba 3 left and 2 down",
        "block is 2 left and 2 down",
        "block you 1 left and 2 down",
    ]


def test_an_object_in_ones_own_cell_is_here() -> None:
    observation = played("baba ball key", "BABA IS YOU", actions="right").observe()
    assert observation is not None
    assert "\nball here\n" in observation["observation"]


def test_whatever_is_done_blocks_lie_apart_and_inside_and_stop_stays_empty() -> None:
    rows = ("WALL IS STOP . KEY", ". wall . key .", "WIN baba . IS .", ". DOOR . . .")
    rng, game = random.Random(5), BabaGame(level(*rows, "BABA IS YOU . .", cap=3000))
    while game.observe() is not None:
        game.act(rng.choice(("up", "right", "down", "left")))
        situation, rules = game.situation, game.board.rules(game.situation.blocks)
        assert len(set(situation.blocks)) == len(situation.blocks)
        assert game.board.inside.issuperset(situation.blocks + situation.cells)
        assert not set(situation.blocks) & set(situation.cells)
        if "wall is stop" in rules.sentences and "wall" not in rules.you:
            assert not set(cells(game, "wall")) & set(cells(game, "baba"))
    assert game.steps > 20


def test_a_board_is_drawn() -> None:
    game = BabaGame(level("KEY . baba", "BABA IS YOU"))
    assert game.draw().splitlines() == [
        "#    #    #    #    #",
        "#    KEY  .    baba #",
        "#    BABA IS   YOU  #",
        "#    #    #    #    #",
        "baba is you",
        "step 0 of 100, going on",
    ]


def test_code_that_fails_or_answers_no_pair_has_lost() -> None:
    class Fails:
        def forward(self, inputs: dict[str, Any]) -> str:
            return inputs["nothing"]

    inputs = level("KEY IS WIN . . .", "baba key . . . .", RULE)
    assert play(inputs, Fails()) == 0.0
    assert play(inputs, Scripted("right")) == 1.0
