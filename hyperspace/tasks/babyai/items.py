"""Draws the episodes of the splits: a family, a seed, and whether the mission is a held-out one."""

from typing import Any, Literal

from hyperspace.tasks.base import Item
from hyperspace.tasks.streams import stream

FAMILIES = ("goto", "pickup", "open", "putnext", "pickup_then_goto")
HELD_OUT = ("yellow box", "red key", "red door", "green ball", "grey door")
"""Missions that name one of these are in test alone."""

Part = Literal["train", "val", "test", "held_out"]
_SEEDS = 1 << 32
# Seeds of different parts lie in different blocks of `_SEEDS`, and so do those of epochs of val.
_BLOCKS: dict[Part, int] = {"train": 0, "test": 1, "held_out": 2, "val": 3}


def draw_part(part: Part, rows_seed: int, per: int, epoch: int = 0) -> list[Item]:
    """Draw episodes, the families in turn.

    Args:
        part: A split, or the part of test with held-out missions.
        rows_seed: Seed of the domain.
        per: Episodes a family.
        epoch: Of validation; 0 for every other part.
    """
    rng = stream("babyai", rows_seed, f"{part}/{epoch}")
    first = (_BLOCKS[part] + epoch) * _SEEDS
    seeds = rng.sample(range(first, first + _SEEDS), per * len(FAMILIES))
    return [
        Item(f"{part}-{number:04}", _inputs(FAMILIES[number % len(FAMILIES)], seed, part))
        for number, seed in enumerate(seeds)
    ]


def _inputs(family: str, seed: int, part: Part) -> dict[str, Any]:
    return {"family": family, "seed": seed, "held_out": part == "held_out"}
