"""Plays snake: each move that seems free gets points by a few rules, and the best one is made.

A rule looks at the board as it would be after the move. Points are summed, each times its weight;
of moves with equal points the first one in the order of MOVES is made.
"""

from typing import Any

MOVES = [("up", -1, 0), ("right", 0, 1), ("down", 1, 0), ("left", 0, -1)]
BODY_SEEN = 4  # cells of the snake, from its head on, that are kept clear of
WALK_BOUND = 2  # steps that are searched for a way to the food
ROOM_BOUND = 3  # free cells that are counted
Cell = tuple[int, int]


class Board:
    """A board: its open cells, the snake with its head first, the food, and what is blocked."""

    def __init__(self, size: int, rocks: frozenset[Cell], snake: list[Cell], food: Cell) -> None:
        self.size, self.rocks, self.snake, self.food = size, rocks, snake, food
        self.head, self.tail = snake[0], snake[-1]
        self.blocked = rocks | set(snake[:BODY_SEEN])

    def neighbours(self, cell: Cell) -> list[Cell]:
        """Cells beside a cell that seem open."""
        row, column = cell
        return [
            (row + down, column + right)
            for _, down, right in MOVES
            if 0 <= row + down < self.size
            and 0 <= column + right < self.size
            and (row + down, column + right) not in self.blocked
        ]

    def after(self, head: Cell) -> "Board":
        """The board after the head has moved to a cell."""
        grown = self.snake if head == self.food else self.snake[:-1]
        return Board(self.size, self.rocks, [head, *grown], self.food)


def apart(a: Cell, b: Cell) -> int:
    """Steps between two cells on an empty board."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def near_food(board: Board) -> int:
    """The nearer the food, the better."""
    return -apart(board.head, board.food)


def walk_to_food(board: Board) -> int:
    """The same by the shortest free way, if one is seen within WALK_BOUND steps."""
    seen = edge = {board.head}
    for steps in range(WALK_BOUND):
        if board.food in edge:
            return -steps
        edge = {cell for near in edge for cell in board.neighbours(near)} - seen
        seen = seen | edge
    return -WALK_BOUND


def room(board: Board) -> int:
    """Free cells that the head can still get to, counted up to ROOM_BOUND."""
    seen, queue = {board.head}, [board.head]
    for cell in queue:
        for neighbour in board.neighbours(cell):
            if neighbour not in seen and len(seen) <= ROOM_BOUND:
                seen.add(neighbour)
                queue.append(neighbour)
    return len(seen) - 1


def exits(board: Board) -> int:
    """Open cells beside the head."""
    return len(board.neighbours(board.head))


def near_tail(board: Board) -> int:
    """The nearer the tail, the better."""
    return -apart(board.head, board.tail)


def near_middle(board: Board) -> int:
    """The nearer the middle, the better."""
    return -apart(board.head, (board.size // 2, board.size // 2))


RULES = [
    (near_food, 1),
    (walk_to_food, 0),
    (room, 0),
    (exits, 0),
    (near_tail, 0),
    (near_middle, 0),
]


def points(board: Board) -> int:
    """The points of a board."""
    return sum(weight * rule(board) for rule, weight in RULES if weight)


class TaskAgent:
    """Plays one game, a move at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the next move and the (empty) conversation."""
        snake = [(row, column) for row, column in inputs["snake"]]
        rocks = frozenset((row, column) for row, column in inputs["rocks"])
        board = Board(inputs["size"], rocks, snake, tuple(inputs["food"]))
        best, most = inputs["heading"], None
        for name, down, right in MOVES:
            cell = (board.head[0] + down, board.head[1] + right)
            if cell in board.neighbours(board.head):
                worth = points(board.after(cell))
                if most is None or worth > most:
                    best, most = name, worth
        return best, []
