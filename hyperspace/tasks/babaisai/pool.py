"""The levels that are known to have a solution, and how they are dealt to the splits.

Of each kind the file has the numbers of some levels with the length of their shortest plans, as
`python -m benchmarks.episodes.baba_levels` has found them: to solve all again takes minutes.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from hyperspace.tasks.babaisai.levels import NAMES, draw_level, renamed
from hyperspace.tasks.base import DomainError, Item, Split
from hyperspace.tasks.streams import stream

POOL = Path(__file__).with_name("levels.json")
SEALED_SCENES = (
    "two_room-break_stop-make_win",
    "two_room-make_you-make_win",
    "two_room-make_wall_win",
)
"""Scenes that only test has: each asks for two things that scenes of train ask for one by one."""

TRAIN, VAL, TEST = 1, 2, 3  # levels of a kind
_NAMINGS = tuple((*NAMES[turn:], *NAMES[:turn]) for turn in range(len(NAMES)))
"""The first object, the one that every level of train and validation has, has its own in each."""


@cache
def read_pool() -> dict[str, tuple[tuple[int, int], ...]]:
    """Return, by kind, the number of each level and the length of its shortest plan."""
    form = dict[str, tuple[tuple[int, int], ...]]
    return msgspec.json.decode(POOL.read_bytes(), type=form)


def is_sealed(kind: str) -> bool:
    """Whether only test has levels of a kind."""
    return kind.startswith(SEALED_SCENES)


def deal(split: Split, rows_seed: int, epoch: int = 0) -> list[Item]:
    """Deal the levels of a split, in shuffled order.

    The levels of a kind are shuffled by the seed; the first is for train, the next three are for
    test, and the others for the epochs of validation, which take them in turn. Once all have been
    dealt they come again with their objects' names exchanged.

    Raises:
        DomainError: There is no such epoch.
    """
    levels: list[dict[str, Any]] = []
    for kind, pool in read_pool().items():
        if split == "test" or not is_sealed(kind):
            rng = stream("babaisai", rows_seed, f"deal/{kind}")
            shuffled, namings = rng.sample(pool, len(pool)), rng.sample(_NAMINGS, len(_NAMINGS))
            rest = shuffled[TRAIN + TEST :]
            if split == "val":
                dealt = [_turn(rest, namings, epoch * VAL + index) for index in range(VAL)]
            else:
                part = slice(TRAIN) if split == "train" else slice(TRAIN, TRAIN + TEST)
                dealt = [(level, rng.choice(namings)) for level in shuffled[part]]
            levels += [_level(kind, *level, names) for level, names in dealt]
    stream("babaisai", rows_seed, f"order/{split}/{epoch}").shuffle(levels)
    return [Item(f"{split}-{index:04d}", level) for index, level in enumerate(levels)]


def _turn(
    levels: Sequence[tuple[int, int]], namings: Sequence[tuple[str, ...]], turn: int
) -> tuple[tuple[int, int], tuple[str, ...]]:
    lap, index = divmod(turn, len(levels))
    if lap >= len(namings):
        last = len(levels) * len(namings) // VAL - 1
        raise DomainError(f"babaisai has levels for epochs of validation up to {last}, no further")
    return levels[index], namings[lap]


def _level(kind: str, number: int, plan: int, names: Sequence[str]) -> dict[str, Any]:
    return {**renamed(draw_level(kind, number), names), "plan": plan}
