"""Reads levels of one's own from a folder, and refuses those that cannot be solved."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable
from guards.scope.regular_files import read_given as read_file
from hyperspace.tasks.babaisai.levels import STEPS
from hyperspace.tasks.babaisai.solver import MOST_STATES, shortest_plan
from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split

FILE = "levels.json"
LARGEST_BYTES = 4 * 1024**2
Side = Annotated[int, msgspec.Meta(ge=4, le=20)]
Few = msgspec.Meta(max_length=60)
Kind = Literal["ball", "key", "door", "wall", "baba"]
Word = Literal["ball", "key", "door", "wall", "baba", "is", "you", "win", "stop"]


class GivenLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A level as a person writes it; (0, 0) is the upper left cell, which is in the ring of wall.

    Attributes:
        width: Cells in a row, the ring included.
        height: Rows, the ring included.
        blocks: Word and cell of each block.
        objects: Kind and cell of each object.
    """

    width: Side
    height: Side
    blocks: Annotated[tuple[tuple[Word, int, int], ...], Few]
    objects: Annotated[tuple[tuple[Kind, int, int], ...], Few]


Levels = Annotated[tuple[GivenLevel, ...], msgspec.Meta(max_length=500)]


class GivenLevels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The levels of each split; a level may take seconds to solve, so there are not too many."""

    train: Levels
    val: Levels
    test: Levels


def read_given(folder: Path) -> dict[Split, list[Item]]:
    """Read `levels.json` of a folder.

    Raises:
        DomainDataError: There is none, it is malformed, or a level has no solution.
    """
    file = folder / FILE
    try:
        levels = decode_json(read_file(file, LARGEST_BYTES), GivenLevels)
    except Unreadable as reason:
        raise DomainDataError(f"babaisai: {file} {reason}") from reason
    except msgspec.DecodeError as error:
        raise DomainDataError(f"babaisai: {file}: {error}") from error
    by_split: dict[Split, tuple[GivenLevel, ...]] = {
        "train": levels.train, "val": levels.val, "test": levels.test,
    }  # fmt: skip
    return {
        split: [
            Item(f"{split}-{index:04d}", _checked(level, f"{file}: level {index} of {split}"))
            for index, level in enumerate(by_split[split])
        ]
        for split in SPLITS
    }


def _checked(level: GivenLevel, where: str) -> dict[str, Any]:
    taken = [(x, y) for _, x, y in level.blocks]
    cells = [*taken, *((x, y) for _, x, y in level.objects)]
    if not all(0 < x < level.width - 1 and 0 < y < level.height - 1 for x, y in cells):
        raise DomainDataError(f"babaisai: {where}: something lies on or outside the ring of wall")
    if any(cells.count(cell) > 1 for cell in taken):
        raise DomainDataError(f"babaisai: {where}: a block shares its cell with something")
    inputs: dict[str, Any] = {"kind": "given", "cap": STEPS, **msgspec.to_builtins(level)}
    plan = shortest_plan(inputs)
    if plan is None:
        raise DomainDataError(
            f"babaisai: {where} has no solution of at most {STEPS} steps among the first "
            f"{MOST_STATES} situations"
        )
    return {**inputs, "plan": len(plan)}
