"""Builds the BabyAI domain: fifty missions a split, played in a child process."""

from typing import Self

from hyperspace.tasks.babyai.items import draw_part
from hyperspace.tasks.base import Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.native.episodes import NativeEpisode, NativeGames
from hyperspace.tasks.native.extras import require
from hyperspace.tasks.options import RowsOptions, generated
from hyperspace.tasks.package_files import seed_files, task_files

FACTORY = "hyperspace.tasks.babyai.game:make"
_PER = 10  # episodes a family in train, in val, and of held-out missions in test
_SMOKE = {
    "instruction": "go to the red ball",
    "observation": "a wall 3 steps forward\na red ball 1 step left and 2 steps forward",
    "prev_action": "",
    "notice": "",
    "steps_left": 64,
}


class BabyAi(GradedDomain):
    """Missions in grid worlds, by minigrid's rules."""

    def __init__(self, rows_seed: int, factory: str = FACTORY) -> None:
        """Draw the episodes.

        Args:
            rows_seed: Their seed.
            factory: What makes an environment in the child.
        """
        self._rows_seed = rows_seed
        self._games = NativeGames(factory)
        drawn = draw_part("test", rows_seed, 2 * _PER) + draw_part("held_out", rows_seed, _PER)
        test = [Item(f"test-{number:04}", item.inputs) for number, item in enumerate(drawn)]
        super().__init__(
            "babyai",
            {
                "train": draw_part("train", rows_seed, _PER),
                "val": draw_part("val", rows_seed, _PER),
                "test": [
                    Item(f"test-{number:04}", item.inputs) for number, item in enumerate(test)
                ],
            },
            smoke_inputs=_SMOKE,
            metric="mean success",
            seed_files=seed_files("babyai"),
            task_files=task_files("babyai"),
        )

    def open(self, item: Item) -> NativeEpisode:
        """Make the environment of an item; see `Interactive`."""
        return self._games.open(item.inputs)

    def renewed(self, epoch: int) -> Self:
        """The same task with other validation missions; see `Renewable`."""
        return self.with_items({"val": draw_part("val", self._rows_seed, _PER, epoch)})


@generated("babyai", RowsOptions)
def make(chosen: RowsOptions) -> BabyAi:
    """Make the domain.

    Raises:
        DomainDataError: The package minigrid is missing.
    """
    require("babyai", ["minigrid"], "babyai")
    return BabyAi(chosen.rows_seed)
