from typing import Any

import pytest

from hyperspace.tasks.snake.score import LONGEST_ACTION, SnakeGame, play
from tests.support.tasks.episodes import Scripted

HUGE = "x" * 10_000_000
NO_MOVES = ["", "north", "right right", HUGE, "\ud800", "right\0", "nan", None, 3, ["up"], "👍"]


def inputs(**others: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {"size": 6, "cap": 100, "reference": 5.0, "rocks": [], "seed": "d"}
    return {**usual, **others}


def game(**others: Any) -> SnakeGame:
    return SnakeGame(inputs(**others))


def eaten(length: int) -> SnakeGame:
    """A game whose snake lies straight in a row of a large board, its head on the right."""
    board = game(size=12, rocks=[], seed="b")
    while len(board.body) < length:
        row, column = board.body[0]
        board.food = (row, column + 1)
        board.act("right")
    board.food = (0, 0)
    return board


def test_a_snake_begins_as_one_cell_in_the_middle() -> None:
    observation = game().observe()
    assert observation is not None
    assert (observation["snake"], observation["heading"]) == ([[3, 3]], "right")
    assert observation["food"] != [3, 3]


def test_eating_grows_by_one_cell() -> None:
    board = game()
    board.food = (3, 4)
    board.act("right")
    assert (list(board.body), board.apples) == ([(3, 4), (3, 3)], 1)
    board.food = (0, 0)
    board.act("up")
    assert list(board.body) == [(2, 4), (3, 4)]


def test_the_wall_ends_a_game_that_keeps_its_apples() -> None:
    board = eaten(3)
    for _ in range(12):
        if board.observe() is not None:
            board.act("down")
    assert board.ending == "ran into the wall"
    assert board.score == 2 / 5


def test_the_last_cell_is_in_the_way_although_it_would_move_on() -> None:
    board = eaten(4)
    for action in ("up", "left", "down"):
        board.act(action)
    assert board.ending == "ran into itself"


def test_a_longer_loop_is_free() -> None:
    board = eaten(4)
    for action in ("up", "left", "left", "down"):
        board.act(action)
    assert board.ending == ""


def test_a_rock_ends_a_game() -> None:
    board = game(rocks=[[3, 4]])
    board.act("right")
    assert board.ending == "ran into a rock"


def test_food_lies_on_free_cells_alone() -> None:
    rocks = [[0, column] for column in range(6)]
    falls = {game(rocks=rocks, seed=f"{number}").food for number in range(300)}
    cells = {(row, column) for row in range(1, 6) for column in range(6)}
    assert falls == cells - {(3, 3)}


def test_a_full_board_is_won() -> None:
    board = game(size=2)
    for action in ("up", "left", "down"):
        board.food = {"up": (0, 1), "left": (0, 0), "down": (1, 0)}[action]
        board.act(action)
    assert (board.ending, board.apples) == ("filled the board", 3)
    assert board.observe() is None


def test_moves_are_bounded() -> None:
    board = game(cap=4, seed="c")
    board.food = (0, 5)
    for action in ("up", "left", "down", "right"):
        assert board.observe() is not None
        board.act(action)
    assert (board.ending, board.observe()) == ("ran out of moves", None)


@pytest.mark.parametrize("action", NO_MOVES, ids=range(len(NO_MOVES)))
def test_what_is_no_move_goes_straight_on_and_is_told(action: Any) -> None:
    board = game()
    board.food = (0, 0)
    board.act(action)
    observation = board.observe()
    assert observation is not None
    assert observation["notice"].endswith("went straight on")
    assert (list(board.body), board.malformed, board.steps) == ([(3, 4)], 1, 1)
    board.act("up")
    observation = board.observe()
    assert observation is not None
    assert observation["notice"] == ""


@pytest.mark.parametrize("action", ["Up", " up\n", "UP" + " " * (LONGEST_ACTION - 2)])
def test_case_and_blanks_around_a_move_do_not_matter(action: str) -> None:
    board = game()
    board.act(action)
    assert (board.heading, board.malformed) == ("up", 0)


def test_what_is_observed_cannot_be_changed() -> None:
    board = game(rocks=[[0, 0]])
    observation = board.observe()
    assert observation is not None
    observation["snake"][0][0] = observation["rocks"][0][0] = observation["food"][0] = 99
    again = board.observe()
    assert again is not None
    assert 99 not in (again["snake"][0][0], again["rocks"][0][0], again["food"][0])


def test_a_board_is_drawn() -> None:
    board = game(size=4, rocks=[[0, 0]], cap=9)
    board.food = (2, 3)
    board.act("right")
    board.food = (0, 3)
    assert board.draw().splitlines() == [
        "# . . *",
        ". . . .",
        ". . o @",
        ". . . .",
        "apples 1, move 1 of 9, heading right",
    ]


def test_code_that_fails_keeps_what_it_has_eaten() -> None:
    class Fails(Scripted):
        def forward(self, inputs: dict[str, Any]) -> tuple[Any, list[Any]]:
            if len(inputs["snake"]) > 1:
                raise ZeroDivisionError
            row, column = inputs["snake"][0]
            down, right = inputs["food"][0] - row, inputs["food"][1] - column
            return ("down" if down > 0 else "up") if down else "right" if right > 0 else "left", []

    assert play(inputs(reference=4.0), Fails()) == 0.25


def test_code_that_answers_no_pair_ends_its_game() -> None:
    class Odd:
        def forward(self, inputs: dict[str, Any]) -> str:
            return "up" if inputs else ""

    assert play(inputs(), Odd()) == 0.0
