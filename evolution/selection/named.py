"""The rules of selection, by name."""

from random import Random
from typing import Final

from evolution.errors import RunUsageError
from evolution.options.launch import Fallback
from evolution.selection.base import Select
from evolution.selection.proportional import (
    DGM,
    SCORE,
    SCORE_CHILDREN,
    SCORE_CHILDREN_PAPER,
    Proportional,
    Rule,
)
from evolution.state.archive import Archive, Entry
from evolution.state.config import RunConfig

DEFAULT: Final = "score_child_prop"
EVOLVABLE: Final = "evolvable"


def uniform(archive: Archive, rng: Random) -> Entry | None:
    """Any valid generation, each as likely as the others."""
    return rng.choice(archive.valid) if archive.valid else None


def latest(archive: Archive, _rng: Random) -> Entry | None:
    """The latest valid generation."""
    return archive.valid[-1] if archive.valid else None


def best(archive: Archive, _rng: Random) -> Entry | None:
    """The valid generation with the best fitness, the earliest of equals."""
    return archive.fittest


def initial(archive: Archive, _rng: Random) -> Entry | None:
    """Generation 0, always: nothing is built upon."""
    return archive.entries[0] if archive.entries and archive.entries[0].valid else None


_FIXED: Final[dict[str, Select]] = {
    "random": uniform,
    "latest": latest,
    "best": best,
    "initial": initial,
}
_RULES: Final[dict[str, Rule]] = {
    "score_prop": SCORE,
    "score_child_prop": SCORE_CHILDREN,
    "score_child_prop:paper": SCORE_CHILDREN_PAPER,
    "dgm": DGM,
    EVOLVABLE: SCORE_CHILDREN,  # where the agent's own code gives no answer
}
SELECTIONS: Final = (*_FIXED, *_RULES)


def selection(name: str) -> Select:
    """Find a rule of selection.

    Raises:
        RunUsageError: There is none of that name.
    """
    if name in _FIXED:
        return _FIXED[name]
    if name in _RULES:
        return Proportional(_RULES[name])
    raise RunUsageError(f"no selection is called {name!r}; there are {', '.join(SELECTIONS)}")


def by_fallback(fallback: Fallback) -> Select:
    """The rule of agents that go on from their latest code; see `Archive.parent`."""

    def select(archive: Archive, _rng: Random) -> Entry | None:
        return archive.parent(fallback)

    return select


def selection_of(config: RunConfig) -> Select:
    """The rule by which a run chooses parents."""
    return by_fallback(config.fallback) if config.solo is None else selection(config.solo.selection)
