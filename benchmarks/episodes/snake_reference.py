"""Apples that a player gets which goes to the food by the shortest way if it can get out again.

    python -m benchmarks.episodes.snake_reference [GAMES]

It goes a shortest way to the food if its tail can be reached once it is there; else it makes the
move that keeps the tail in reach and is farthest from the food. The means are the references of
`hyperspace/tasks/snake/boards.py`; the boards are drawn there as well, from a stream that no split
has.
"""

import sys
import time
from statistics import mean, stdev

from hyperspace.tasks.snake.boards import MOVES_PER_CELL, SIZES, draw_board
from hyperspace.tasks.snake.score import MOVES, SnakeGame
from hyperspace.tasks.streams import stream

Cell = tuple[int, int]
GAMES = 200


class Grid:
    """A board on which ways are looked for."""

    def __init__(self, size: int, rocks: frozenset[Cell]) -> None:
        self.cells = {(row, column) for row in range(size) for column in range(size)} - rocks

    def beside(self, cell: Cell) -> list[Cell]:
        """Cells beside a cell, in the order of the moves."""
        near = ((cell[0] + down, cell[1] + right) for down, right in MOVES.values())
        return [neighbour for neighbour in near if neighbour in self.cells]

    def way(self, start: Cell, goal: Cell, blocked: set[Cell]) -> list[Cell]:
        """Return a shortest way without its start; empty if there is none."""
        before, queue = {start: start}, [start]
        for cell in queue:
            if cell == goal:
                way = [cell]
                while before[way[-1]] != start:
                    way.append(before[way[-1]])
                return way[::-1]
            for neighbour in self.beside(cell):
                if neighbour not in before and (neighbour not in blocked or neighbour == goal):
                    before[neighbour] = cell
                    queue.append(neighbour)
        return []


def next_cell(grid: Grid, snake: list[Cell], food: Cell) -> Cell | None:
    """Return where the head goes; None if every cell beside it is taken."""
    way = grid.way(snake[0], food, set(snake))
    if way:
        there = [*reversed(way), *snake][: len(snake) + 1]
        if is_safe(grid, there):
            return way[0]
    free = [cell for cell in grid.beside(snake[0]) if cell not in snake]
    safe = [cell for cell in free if is_safe(grid, [cell, *snake[:-1]])]
    return max(safe or free, key=lambda cell: distance(cell, food), default=None)


def is_safe(grid: Grid, snake: list[Cell]) -> bool:
    """Whether the head can get to the tail, otherwise than by the move that would run into it."""
    head, tail = snake[0], snake[-1]
    if len(snake) < 3:
        return True
    return any(grid.way(cell, tail, set(snake)) for cell in grid.beside(head) if cell not in snake)


def distance(a: Cell, b: Cell) -> int:
    """Return the steps between two cells on an empty board."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def apples(size: int, moves_per_cell: int, rocks: bool, index: int) -> int:
    """Play a game."""
    rng = stream("snake", 0, f"reference/{size}/{rocks}/{index}")
    inputs = draw_board(size, moves_per_cell, rocks, f"reference-{index}", rng)
    game, words = SnakeGame(inputs), {move: word for word, move in MOVES.items()}
    grid = Grid(size, game.rocks)
    while not game.ending and game.food:
        snake = list(game.body)
        cell = next_cell(grid, snake, game.food)
        step = (cell[0] - snake[0][0], cell[1] - snake[0][1]) if cell else (0, 0)
        game.act(words.get(step, ""))
    return game.apples


def main(games: int = GAMES) -> None:
    """Print mean and spread for each sort of board."""
    print("size  moves a cell  rocks  apples (sd)   CPU ms a game")
    for moves_per_cell in MOVES_PER_CELL:
        for rocks in (False, True):
            for size in SIZES:
                start = time.process_time()
                counts = [apples(size, moves_per_cell, rocks, index) for index in range(games)]
                cpu_ms = (time.process_time() - start) * 1000 / games
                print(
                    f"{size:4}  {moves_per_cell:12}  {'yes' if rocks else 'no':5}"
                    f"  {mean(counts):.2f} ({stdev(counts):.1f})   {cpu_ms:.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
