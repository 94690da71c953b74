"""The rules of selection, by name.

A rule is one function with the decorator `rule`, here or in a program of its own
(docs/examples/selection_rule.py).
"""

import re
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.selection.base import Select
from hyperspace.kernel.selection.proportional import (
    DGM,
    SCORE,
    SCORE_CHILDREN,
    SCORE_CHILDREN_PAPER,
    Proportional,
    WeightRule,
)
from hyperspace.kernel.state.archive import Archive, ArchiveEntry
from hyperspace.kernel.state.config import RunConfig

DEFAULT: Final = "score_child_prop"
EVOLVABLE: Final = "evolvable"
SELECTIONS: Final[dict[str, Callable[[], Select]]] = {}  # makers: an instance may keep sums


def rule(name: str) -> Callable[[Select], Select]:
    """Register the decorated function as a rule of selection.

    Args:
        name: Follows `--selection`, and names the results folder of an arm with this rule.

    Raises:
        ValueError: The name is taken, or cannot name a folder.
    """
    if name in SELECTIONS or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"{name!r} is taken, or not of lower-case letters, digits and underscores")

    def register(select: Select) -> Select:
        SELECTIONS[name] = lambda: select
        return select

    return register


@rule("random")
def uniform(archive: Archive, rng: Random) -> ArchiveEntry | None:
    """Any valid generation, each as likely as the others."""
    return rng.choice(archive.valid) if archive.valid else None


@rule("latest")
def latest(archive: Archive, _rng: Random) -> ArchiveEntry | None:
    """The latest valid generation."""
    return archive.valid[-1] if archive.valid else None


@rule("best")
def best(archive: Archive, _rng: Random) -> ArchiveEntry | None:
    """The valid generation with the best fitness, the earliest of equals."""
    return archive.fittest


@rule("kept")
def kept(archive: Archive, _rng: Random) -> ArchiveEntry | None:
    """The best generation with a validation score; before there is one, the earliest valid one.

    Where the terms of the run say so, the shorter of equals is the best, so every try is one on the
    code that was kept.
    """
    return archive.best or (archive.valid[0] if archive.valid else None)


@rule("initial")
def initial(archive: Archive, _rng: Random) -> ArchiveEntry | None:
    """Generation 0, always: nothing is built upon."""
    return archive.entries[0] if archive.entries and archive.entries[0].valid else None


_PROPORTIONAL: Final[dict[str, WeightRule]] = {
    "score_prop": SCORE,
    "score_child_prop": SCORE_CHILDREN,
    "score_child_prop:paper": SCORE_CHILDREN_PAPER,
    "dgm": DGM,
    EVOLVABLE: SCORE_CHILDREN,  # where the agent's own code gives no answer
}
SELECTIONS.update((name, partial(Proportional, terms)) for name, terms in _PROPORTIONAL.items())


def selection(name: str) -> Select:
    """Find a rule of selection.

    Raises:
        RunUsageError: There is none of that name.
    """
    if name in SELECTIONS:
        return SELECTIONS[name]()
    raise RunUsageError(f"no selection is called {name!r}; there are {', '.join(SELECTIONS)}")


def selection_of(config: RunConfig) -> Select:
    """The rule by which a run chooses parents; agents of a fleet go on from their latest code.

    Those of an arena go on from the code that they kept.
    """
    if config.arena is not None:
        return kept
    if config.solo is None:
        return lambda archive, _rng: archive.parent(config.fallback)
    return selection(config.solo.selection)
