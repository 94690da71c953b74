"""The rules of snake, and the score of a game: the same code plays on the host and in practice.

`play(inputs, agent)` plays the game of a train item with `agent.forward(observation)`, which
returns a pair of an action and anything, and returns the item's score.
"""

import random
from collections import deque
from typing import Any

MOVES = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
LONGEST_ACTION = 20  # characters; what is longer is no move


class SnakeGame:
    """One game. Cells are (row, column), (0, 0) is the upper left one.

    Attributes:
        size: Cells on a side of the board.
        cap: Moves after which the game ends.
        reference: Apples that count as a score of 1.
        rocks: Cells that nothing can enter.
        body: Cells of the snake, its head first.
        food: Where the apple lies; None if the board is full.
        heading: The last move; it is made again when an action is malformed.
        steps: Moves made.
        malformed: How many actions were none.
        notice: What was wrong with the last action; empty if nothing was.
        ending: Why the game is over; empty while it goes on.
    """

    def __init__(self, inputs: dict[str, Any]) -> None:
        self.size: int = inputs["size"]
        self.cap: int = inputs["cap"]
        self.reference: float = inputs["reference"]
        self.rocks = frozenset((row, column) for row, column in inputs["rocks"])
        cells = [(row, column) for row in range(self.size) for column in range(self.size)]
        self._open = [cell for cell in cells if cell not in self.rocks]
        self._inside = frozenset(self._open)
        self._random = random.Random(inputs["seed"])  # noqa: S311 - where apples fall, no secret
        self.body = deque([(self.size // 2, self.size // 2)])
        self._covered = set(self.body)
        self.heading = "right"
        self.steps = self.malformed = 0
        self.notice = self.ending = ""
        self.food = self._drop()

    def observe(self) -> dict[str, Any] | None:
        """Return what the player is told before a move; None once the game is over."""
        if self.ending:
            return None
        return {
            "size": self.size,
            "snake": [[row, column] for row, column in self.body],
            "food": list(self.food or ()),
            "rocks": [[row, column] for row, column in sorted(self.rocks)],
            "heading": self.heading,
            "steps_left": self.cap - self.steps,
            "notice": self.notice,
        }

    def act(self, action: object) -> None:
        """Make a move; an action that is none is counted, and the snake goes straight on."""
        self.notice = ""
        move = read_move(action)
        if not move:
            self.malformed += 1
            self.notice = "the last action was none of up, right, down, left: went straight on"
        self.heading = move or self.heading
        self.steps += 1
        down, right = MOVES[self.heading]
        row, column = self.body[0]
        head = (row + down, column + right)
        if head not in self._inside:
            self.ending = "ran into a rock" if head in self.rocks else "ran into the wall"
        elif head in self._covered:
            self.ending = "ran into itself"
        else:
            self._advance(head)

    def _advance(self, head: tuple[int, int]) -> None:
        self.body.appendleft(head)
        self._covered.add(head)
        if head == self.food:
            self.food = self._drop()
        else:
            self._covered.remove(self.body.pop())
        if self.food is None:
            self.ending = "filled the board"
        elif self.steps >= self.cap:
            self.ending = "ran out of moves"

    def _drop(self) -> tuple[int, int] | None:
        free = [cell for cell in self._open if cell not in self._covered]
        return free[int(self._random.random() * len(free))] if free else None

    @property
    def apples(self) -> int:
        """Apples eaten."""
        return len(self.body) - 1

    @property
    def score(self) -> float:
        """Apples, as a share of the reference; may be above 1."""
        return self.apples / self.reference

    def draw(self) -> str:
        """Return the board as text."""
        marks = dict.fromkeys(self.rocks, "#") | dict.fromkeys(self.body, "o")
        marks |= {self.body[0]: "@"} | ({self.food: "*"} if self.food else {})
        rows = range(self.size)
        lines = [" ".join(marks.get((row, column), ".") for column in rows) for row in rows]
        state = self.ending or f"heading {self.heading}"
        lines.append(f"apples {self.apples}, move {self.steps} of {self.cap}, {state}")
        return "\n".join(lines)


def read_move(action: object) -> str:
    """Return the move that an action names; empty if it names none."""
    if not isinstance(action, str) or len(action) > LONGEST_ACTION:
        return ""
    word = action.strip().lower()
    return word if word in MOVES else ""


def play(inputs: dict[str, Any], agent: Any) -> float:
    """Play one game and return its score; code that fails keeps what it has eaten."""
    game = SnakeGame(inputs)
    while (observation := game.observe()) is not None:
        try:
            action, _ = agent.forward(observation)
        except Exception:  # an agent's own code may fail in any way
            break
        game.act(action)
    return game.score
