"""MiniHack's Boxoban on levels of our own: its levels do not come with it. Imports MiniHack."""

import importlib
from typing import Any

from hyperspace.tasks.nethack.sokoban import draw_level

_navigation: Any = importlib.import_module("minihack").MiniHackNavigation
_boxohack: Any = importlib.import_module("minihack.envs.boxohack")


class GeneratedBoxoban(_boxohack.BoxoHack):
    """Boxoban with one level, which every reset has again."""

    def __init__(self, rows: tuple[str, ...], **options: Any) -> None:
        """Skip the reference's search for a folder of levels, and keep all else of it.

        Args:
            rows: The level, in Boxoban's characters.
            options: Of the environment.
        """
        self._levels = ["\n".join(rows) + "\n"]
        self._flags: tuple[str, ...] = ()
        self._time_penalty = options.pop("penalty_time")
        self._reward_shaping_coefficient = 0
        description = self.get_lvl_gen().get_des()
        _navigation.__init__(self, des_file=description, actions=_boxohack.MOVE_ACTIONS, **options)


def make_boxoban(task: str, seed: int, options: dict[str, Any]) -> Any:
    """Make the environment of a task and a seed."""
    return GeneratedBoxoban(draw_level(task, seed).rows, **options)
