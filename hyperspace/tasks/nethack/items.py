"""Draws the games of the splits: a task and a seed."""

from collections.abc import Sequence
from typing import Literal

from hyperspace.tasks.base import Item
from hyperspace.tasks.streams import stream

BOXOBAN = ("Boxoban-Hard", "Boxoban-Medium")
"""Tasks whose levels do not come with MiniHack: ours are drawn."""
SMALL_TASKS = (
    *BOXOBAN,
    "MazeWalk-9x9",
    "MazeWalk-15x15",
    "Corridor-R3",
    "CorridorBattle-Dark",
    "Quest-Easy",
    "Quest-Medium",
)
WHOLE_GAME = "NetHack"

Part = Literal["train", "val", "test"]
_SEEDS = 1 << 24
# Seeds of different parts lie in different blocks of `_SEEDS`, and so do those of epochs of val.
_BLOCKS: dict[Part, int] = {"train": 0, "test": 1, "val": 2}


def draw_games(
    domain: str, tasks: Sequence[str], part: Part, rows_seed: int, per: int, epoch: int = 0
) -> list[Item]:
    """Draw games, the tasks in turn.

    Args:
        domain: Name of the domain.
        tasks: Which tasks.
        part: The split.
        rows_seed: Seed of the domain.
        per: Games a task.
        epoch: Of validation; 0 for every other split.
    """
    rng = stream(domain, rows_seed, f"{part}/{epoch}")
    first = (_BLOCKS[part] + epoch) * _SEEDS
    seeds = rng.sample(range(first, first + _SEEDS), per * len(tasks))
    return [
        Item(f"{part}-{number:04}", {"task": tasks[number % len(tasks)], "seed": seed})
        for number, seed in enumerate(seeds)
    ]
