"""Draws the boards that games are played on."""

import random
from typing import Any, Literal

from hyperspace.tasks.base import Item, Split
from hyperspace.tasks.streams import stream

SIZES = (6, 8, 10, 12)
GAMES: dict[Split, int] = {"train": 20, "val": 60, "test": 120}
ROCKS = (2, 6)  # least and most of a board that has any
MovesPerCell = Literal[3, 10]
MOVES_PER_CELL: tuple[MovesPerCell, ...] = (3, 10)

REFERENCES: dict[tuple[int, bool], dict[int, float]] = {
    (3, False): {6: 18.3, 8: 25.7, 10: 32.7, 12: 40.7},
    (3, True): {6: 15.3, 8: 23.9, 10: 31.4, 12: 39.3},
    (10, False): {6: 29.6, 8: 46.3, 10: 59.8, 12: 75.1},
    (10, True): {6: 21.6, 8: 39.6, 10: 53.5, 12: 69.2},
}
"""Mean apples of a player that looks for ways, by moves a cell and rocks, then by size.

Measured by `python -m benchmarks.episodes.snake_reference` on 200 games each.
"""


def draw_games(split: Split, rows_seed: int, moves_per_cell: int, epoch: int = 0) -> list[Item]:
    """Draw the games of a split, of each size equally many; half of those of test have rocks.

    No two splits or epochs have a game in common: the text that apples fall by names them.
    """
    rng = stream("snake", rows_seed, f"{split}/{epoch}")
    games: list[Item] = []
    for index in range(GAMES[split]):
        rocks = split == "test" and index % (2 * len(SIZES)) >= len(SIZES)
        size, seed = SIZES[index % len(SIZES)], f"{split}/{epoch}/{index}/{rng.getrandbits(64):x}"
        games.append(
            Item(f"{split}-{index:04d}", draw_board(size, moves_per_cell, rocks, seed, rng))
        )
    return games


def draw_board(
    size: int, moves_per_cell: int, rocks: bool, seed: str, rng: random.Random
) -> dict[str, Any]:
    """Draw the inputs of one game.

    Args:
        size: Cells on a side.
        moves_per_cell: Moves that it may take, for each cell of the board.
        rocks: Whether there are cells that nothing can enter.
        seed: What apples fall by.
        rng: Where rocks are drawn from.
    """
    return {
        "size": size,
        "cap": moves_per_cell * size * size,
        "reference": REFERENCES[moves_per_cell, rocks][size],
        "rocks": _draw_rocks(size, rng) if rocks else [],
        "seed": seed,
    }


def _draw_rocks(size: int, rng: random.Random) -> list[list[int]]:
    """Draw rocks until none is in the middle and the other cells hang together."""
    cells = [(row, column) for row in range(size) for column in range(size)]
    middle = (size // 2, size // 2)
    while True:
        rocks = rng.sample(cells, rng.randint(*ROCKS))
        if middle not in rocks and _is_playable(set(cells) - set(rocks), middle):
            return [list(cell) for cell in sorted(rocks)]


def _is_playable(cells: set[tuple[int, int]], start: tuple[int, int]) -> bool:
    """Whether all cells can be got to, and none is a dead end."""
    seen, queue = {start}, [start]
    for row, column in queue:
        beside = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        ways = [cell for cell in beside if cell in cells]
        if len(ways) < 2:
            return False
        fresh = [cell for cell in ways if cell not in seen]
        seen.update(fresh)
        queue += fresh
    return len(seen) == len(cells)
