"""Recombines a task agent with others: whole functions, methods and constants change hands.

Helpers: edits, surgery, bench, units. Of each mate the units that differ are tried alone and in
random sets; what is least wrong on labelled items wins, if it is better than the start. With
`share` above 0 nothing is tried: that share of the first mate's differing units is taken as it is.

Order: {"code", "items", "mates", "trials", "share", "seed"}.
Result: {"status", "before", "after", "items", "taken", "mate", "old", "new"}.
"""

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from agents.offline.edits import smallest_edit
    from agents.offline.inside.bench import asks_model, loss, read_items, run
    from agents.offline.inside.units import Unit, differing, transplant, units


class Child(NamedTuple):
    """A recombined source: which units of which mate are in it."""

    source: str
    mate: int
    taken: tuple[str, ...]


class Mate(NamedTuple):
    """Somebody else's source, taken apart; `place` is its place in the order."""

    place: int
    units: dict[str, Unit]
    differing: list[str]


def read_source(path: str) -> str:
    """Read source text; line ends stay as they are."""
    return Path(path).read_bytes().decode()


def read_mates(order: dict[str, Any], own: dict[str, Unit]) -> Iterator[Mate]:
    """Take the mates apart; those that cannot be read are left out."""
    for index, path in enumerate(order["mates"]):
        try:
            found = units(read_source(path))
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        names = differing(own, found)
        if names:
            yield Mate(index, found, names)


def draw(mates: list[Mate], trials: int, rng: random.Random) -> Iterator[tuple[Mate, list[str]]]:
    """Single units in order, then random sets."""
    singles = [(mate, [name]) for mate in mates for name in mate.differing]
    yield from singles[:trials]
    for _ in range(trials - len(singles)):
        mate = rng.choice(mates)
        yield mate, [name for name in mate.differing if rng.random() < 0.5]


def breed(source: str, mate: Mate, names: list[str]) -> Child:
    """Make a child; the source itself if a unit finds no place."""
    try:
        return Child(transplant(source, mate.units, names), mate.place, tuple(names))
    except (SyntaxError, ValueError, StopIteration, IndexError):
        return Child(source, mate.place, ())


def try_all(source: str, mates: list[Mate], order: dict[str, Any]) -> dict[str, Any]:
    """Keep what is least wrong."""
    items, rng = read_items(order["items"]), random.Random(order["seed"])  # noqa: S311
    start = best = loss(source, items)
    child = Child(source, 0, ())
    for mate, names in draw(mates, order["trials"], rng):
        other = breed(source, mate, names)
        found = loss(other.source, items)
        if found < best:
            best, child = found, other
    measured = {"before": round(start, 6), "after": round(best, 6), "items": len(items)}
    return outcome("better", source, child) | measured


def take_share(source: str, mate: Mate, order: dict[str, Any]) -> dict[str, Any]:
    """Take a share of what differs, at random and without a look at what it does."""
    rng = random.Random(order["seed"])  # noqa: S311 - a choice, no secret
    count = math.ceil(order["share"] * len(mate.differing))
    names = [n for n in mate.differing if n in set(rng.sample(mate.differing, count))]
    return outcome("taken", source, breed(source, mate, names))


def outcome(status: str, source: str, child: Child) -> dict[str, Any]:
    """Say what came of it."""
    edit = smallest_edit(source, child.source)
    if edit is None:
        return {"status": "unchanged"}
    found = {"status": status, "taken": child.taken, "mate": child.mate}
    return found | {"old": edit.old, "new": edit.new}


def cross(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    source = read_source(order["code"])
    mates = list(read_mates(order, units(source)))
    if not mates:
        return {"status": "unchanged"}
    if order["share"] > 0:
        return take_share(source, mates[0], order)
    return {"status": "asks_model"} if asks_model(source) else try_all(source, mates, order)


run(cross)
