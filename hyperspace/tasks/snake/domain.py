"""Builds the snake domain: its games, and how the host plays them."""

from typing import Any, Final

import msgspec

from hyperspace.tasks.base import SPLITS, Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.options import RowsSeed, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.snake.boards import MovesPerCell, draw_games
from hyperspace.tasks.snake.score import SnakeGame

CPU_S = 10  # of one game


class SnakeOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of `snake`.

    Attributes:
        cap: Moves that a game may take, for each cell of its board.
        rows_seed: Seed of the games.
    """

    cap: MovesPerCell = 3
    rows_seed: RowsSeed = 1


class SnakeEpisode:
    """A game on the host; see `hyperspace.tasks.shapes.interactive.Episode`."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self._game = SnakeGame(inputs)

    def observe(self) -> dict[str, Any] | None:
        """What is told before the next move; None once the game is over."""
        return self._game.observe()

    def act(self, action: str) -> None:
        """Make a move."""
        self._game.act(action)

    def outcome(self) -> Outcome:
        """The apples so far, as a share of the reference."""
        game = self._game
        reason = f"{game.apples} apples in {game.steps} moves, {game.ending or 'stopped early'}"
        return Outcome(
            game.score,
            reason,
            details={
                "apples": game.apples,
                "steps": game.steps,
                "malformed": game.malformed,
                "size": game.size,
                "rocks": len(game.rocks),
            },
        )

    def draw(self) -> str:
        """Return the board as text."""
        return self._game.draw()

    def close(self) -> None:
        """Nothing is held."""


class SnakeDomain(GradedDomain):
    """Games of snake."""

    steps_are_quick: Final = True

    def __init__(self, options: SnakeOptions) -> None:
        super().__init__(
            "snake",
            {split: draw_games(split, options.rows_seed, options.cap) for split in SPLITS},
            smoke_inputs=_smoke_observation(),
            metric="apples as a share of a reference player's",
            seed_files=seed_files("snake"),
            task_files=task_files("snake"),
            answer_limits=AnswerLimits(cpu_s=CPU_S),
        )
        self._options = options

    def open(self, item: Item) -> SnakeEpisode:
        """Set up the board of an item."""
        return SnakeEpisode(item.inputs)

    def renewed(self, epoch: int) -> "SnakeDomain":
        """The same task with other games to validate on; see `Renewable`."""
        options = self._options
        return self.with_items({"val": draw_games("val", options.rows_seed, options.cap, epoch)})


make = generated("snake", SnakeOptions)(SnakeDomain)


def _smoke_observation() -> dict[str, Any]:
    return {
        "size": 6,
        "snake": [[3, 3], [3, 2]],
        "food": [1, 4],
        "rocks": [],
        "heading": "right",
        "steps_left": 100,
        "notice": "",
    }
