"""Builds the domain of puzzles whose rules are blocks, and how the host plays them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hyperspace.tasks.babaisai.given import read_given
from hyperspace.tasks.babaisai.levels import STEPS
from hyperspace.tasks.babaisai.pool import deal
from hyperspace.tasks.babaisai.score import INSTRUCTION, BabaGame
from hyperspace.tasks.base import SPLITS, DomainError, Item, Split
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.options import RowsOptions, read_options
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome

CPU_S = 10  # of one level


class BabaEpisode:
    """A level on the host; see `hyperspace.tasks.shapes.interactive.Episode`."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self._game = BabaGame(inputs)
        self._kind: str = inputs["kind"]
        self._plan: int = inputs["plan"]

    def observe(self) -> dict[str, Any] | None:
        """What is told before the next step; None once it is over."""
        return self._game.observe()

    def act(self, action: str) -> None:
        """Make a step."""
        self._game.act(action)

    def outcome(self) -> Outcome:
        """Whether the level is won, and how the steps compare with the shortest plan."""
        game = self._game
        return Outcome(
            game.score,
            f"{game.ending or 'stopped early'}, {game.steps} steps, shortest plan {self._plan}",
            details={
                "steps": game.steps,
                "plan": self._plan,
                "efficiency": self._plan / game.steps if game.score else 0.0,
                "malformed": game.malformed,
                "resets": game.resets,
                "kind": self._kind,
            },
        )

    def draw(self) -> str:
        """Return the board as text."""
        return self._game.draw()

    def close(self) -> None:
        """Nothing is held."""


class BabaDomain(GradedDomain):
    """Levels of the puzzle: those of the package, or given ones."""

    def __init__(self, items: Mapping[Split, Sequence[Item]], rows_seed: int | None) -> None:
        """Keep the levels.

        Args:
            items: Those of each split.
            rows_seed: Seed that they were dealt by; None if they are given.
        """
        super().__init__(
            "babaisai",
            items,
            smoke_inputs=_smoke_observation(),
            metric="share of levels won",
            seed_files=seed_files("babaisai"),
            task_files=task_files("babaisai"),
            answer_limits=AnswerLimits(cpu_s=CPU_S),
        )
        self._rows_seed = rows_seed

    def open(self, item: Item) -> BabaEpisode:
        """Set up the level of an item."""
        return BabaEpisode(item.inputs)

    def renewed(self, epoch: int) -> "BabaDomain":
        """The same task with other levels to validate on; see `Renewable`.

        Raises:
            DomainError: There are no more, or the levels are given.
        """
        if self._rows_seed is None:
            raise DomainError("babaisai draws no validation levels where levels are given")
        return self.with_items({"val": deal("val", self._rows_seed, epoch)})


def make(data: Path | None, options: Mapping[str, str]) -> BabaDomain:
    """Make the domain; equal options give equal levels everywhere.

    Raises:
        DomainDataError: An option is unknown or does not fit, or a given level is no good.
    """
    rows_seed = read_options("babaisai", options, RowsOptions).rows_seed
    if data is not None:
        return BabaDomain(read_given(data), None)
    return BabaDomain({split: deal(split, rows_seed) for split in SPLITS}, rows_seed)


def _smoke_observation() -> dict[str, Any]:
    lines = (
        "Active rules:",
        "key is win",
        "baba is you",
        "",
        "Seen from baba, which is you:",
        "key 2 right and 1 up",
        "block key 1 left and 3 up",
        "block is 3 up",
        "block win 1 right and 3 up",
        "block baba 1 left and 2 down",
        "block is 2 down",
        "block you 1 right and 2 down",
    )
    return {
        "instruction": INSTRUCTION,
        "observation": "\n".join(lines),
        "prev_action": "",
        "steps_left": STEPS,
        "notice": "",
    }
