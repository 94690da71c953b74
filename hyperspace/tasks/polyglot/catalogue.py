"""The exercises by name, and which split has which; languages share a split, so nothing leaks."""

from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

from hyperspace.tasks.base import Split

EXERCISES: dict[Split, tuple[str, ...]] = {
    "train": (
        "tidemerge",
        "vowelshift",
        "ledgerfold",
        "dozenal",
        "gridfold",
        "sparsepoly",
        "seats",
        "cachewalk",
    ),
    "val": ("lanternpath", "tagrange", "outline", "cartload", "runglyph", "moonleap"),
    "test": ("weavecount", "queuepark", "nearswap", "shiftcheck", "swapladder", "loom8"),
}


class Exercise(NamedTuple):
    """One exercise.

    Attributes:
        name: Names its module.
        statement: What is asked, exact about ties and errors.
        draw_case: Draws the input of one case, a JSON value.
        solve: The right answer to an input, a JSON value.
    """

    name: str
    statement: str
    draw_case: Callable[[Random], Any]
    solve: Callable[[Any], Any]


def exercise(name: str) -> Exercise:
    """Return an exercise of the catalogue."""
    split = next(split for split, names in EXERCISES.items() if name in names)
    module = import_module(f"hyperspace.tasks.polyglot.exercises.{split}.{name}")
    return Exercise(name, module.STATEMENT, module.draw_case, module.solve)
