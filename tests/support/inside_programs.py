"""The helpers of `hyperspace/offline/inside` as they stand before a program."""

from functools import cache
from importlib import resources
from types import SimpleNamespace
from typing import Any

from hyperspace.offline.moves.searching import GRADED, HELPERS, VARYING

NAMES = (*HELPERS, *VARYING, GRADED[-1])


@cache
def programs() -> Any:
    """The names of one text, made of all helpers that searches are built on."""
    files = (resources.files("hyperspace.offline").joinpath(f"{name}.py") for name in NAMES)
    space: dict[str, Any] = {"__name__": "programs"}
    exec("\n\n".join(file.read_text("utf-8") for file in files), space)  # noqa: S102
    return SimpleNamespace(**space)
