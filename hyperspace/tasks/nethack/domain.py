"""Builds `minihack` and `nle`: games of NetHack, played in a child process."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Self

from hyperspace.tasks.base import DomainDataError, Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.native.episodes import NativeEpisode, NativeGames
from hyperspace.tasks.native.extras import require
from hyperspace.tasks.nethack.items import SMALL_TASKS, WHOLE_GAME, draw_games
from hyperspace.tasks.options import RowsOptions, generated
from hyperspace.tasks.package_files import seed_files, task_files

FACTORY = "hyperspace.tasks.nethack.game:make"
_PER = 5  # games a task in train and in val; test has twice as many
_SMOKE: dict[str, Any] = {
    "instruction": "reach the stairs down",
    "message": "Hello Agent, welcome to NetHack!",
    "observation": "stairs down near east",
    "cursor": "Yourself a valkyrie",
    "x": 3,
    "y": 1,
    "map": [" -------", " |.@..>|", " -------", "Agent the Stripling", "Dlvl:1 $:0 HP:16(16)"],
    "inventory": "a: a +1 long sword (weapon in hand)",
    "actions": ["north", "east", "south", "west"],
    "prev_action": "",
    "notice": "",
    "steps_left": 100,
}


class NetHack(GradedDomain):
    """Games of NetHack by the step."""

    def __init__(
        self, name: str, tasks: Sequence[str], rows_seed: int, factory: str = FACTORY
    ) -> None:
        """Draw the games.

        Args:
            name: Name of the domain.
            tasks: Those of its games.
            rows_seed: Their seed.
            factory: What makes an environment in the child.
        """
        self._tasks = tuple(tasks)
        self._rows_seed = rows_seed
        self._games = NativeGames(factory)
        super().__init__(
            name,
            {
                "train": draw_games(name, tasks, "train", rows_seed, _PER),
                "val": draw_games(name, tasks, "val", rows_seed, _PER),
                "test": draw_games(name, tasks, "test", rows_seed, 2 * _PER),
            },
            smoke_inputs=_SMOKE,
            metric="mean progression",
            staged_items=min(len(SMALL_TASKS), len(tasks) * _PER),
            seed_files=seed_files("nethack"),
            task_files=task_files("nethack"),
        )

    def open(self, item: Item) -> NativeEpisode:
        """Make the environment of an item; see `Interactive`."""
        return self._games.open(item.inputs)

    def renewed(self, epoch: int) -> Self:
        """The same tasks with other validation games; see `Renewable`."""
        games = draw_games(self.name, self._tasks, "val", self._rows_seed, _PER, epoch)
        return self.with_items({"val": games})


@generated("minihack", RowsOptions)
def minihack(chosen: RowsOptions) -> NetHack:
    """Make `minihack`.

    Raises:
        DomainDataError: A package is missing.
    """
    require("minihack", ["nle", "gym"], "nethack")
    if find_spec("minihack") is None:
        raise DomainDataError(
            "minihack needs minihack, without what it asks for, since balrog-nle is its nle: "
            "pip install --no-deps minihack==0.1.6"
        )
    return NetHack("minihack", SMALL_TASKS, chosen.rows_seed)


@generated("nle", RowsOptions)
def nle(chosen: RowsOptions) -> NetHack:
    """Make `nle`."""
    require("nle", ["nle", "gym"], "nethack")
    return NetHack("nle", [WHOLE_GAME], chosen.rows_seed)
