"""Recombines a task agent with others: whole functions, methods and constants change hands.

Helpers: edits, surgery, bench, judging, units. Of all mates each unit that differs is tried by
itself on labelled items; then those that helped are put in one after another, the most helpful
first, then constants, and each is kept that still helps. With `share` above 0 nothing is tried:
that share of the first mate's differing units is taken as it is.

Order: {"code", "items", "mates", "trials", "share", "seed"}.
Result: {"status", "taken", "mate", "old", "new"} of a share; where units were tried {"status",
"before", "after", "tried", "steps"}, each step being such an edit with the units of one mate.
"""

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hyperspace.offline.edits import smallest_edit
    from hyperspace.offline.inside.bench import asks_model, read_items, run
    from hyperspace.offline.inside.judging import Judge, Judged, affordable
    from hyperspace.offline.inside.units import Unit, differing, transplant, units


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


def breed(source: str, mate: Mate, names: list[str]) -> Child:
    """Make a child; the source itself if a unit finds no place."""
    try:
        return Child(transplant(source, mate.units, names), mate.place, tuple(names))
    except (SyntaxError, ValueError, StopIteration, IndexError):
        return Child(source, mate.place, ())


def singles(mates: list[Mate]) -> Iterator[tuple[Mate, str]]:
    """Each unit that differs, mate by mate; what several mates have alike comes once."""
    seen: set[tuple[str, str]] = set()
    for mate in mates:
        for name in mate.differing:
            key = name, mate.units[name].core
            if key not in seen:
                yield mate, name
            seen.add(key)


class Tryout:
    """Tries units of mates on the items, within a number of trials."""

    def __init__(self, source: str, order: dict[str, Any]) -> None:
        self.judge = Judge(affordable(source, read_items(order["items"])))
        self.start = self.judge.measure(source)
        self.left = int(order["trials"])

    def attempt(self, onto: Judged, mate: Mate, names: list[str]) -> Judged:
        """Put units into a measured source and measure what comes of it."""
        self.left -= 1
        return self.judge.measure(breed(onto.source, mate, names).source, onto)

    def candidates(self, mates: list[Mate]) -> list[tuple[Mate, str]]:
        """The units that help by themselves, those that help most first, and then constants.

        A constant may help only beside a function that uses it. Empty if nothing helps by itself.
        """
        gains: list[tuple[float, Mate, str]] = []
        constants: list[tuple[Mate, str]] = []
        for mate, name in singles(mates):
            if self.left > 0:
                alone = self.attempt(self.start, mate, [name])
                if alone.loss < self.start.loss:
                    gains.append((alone.loss, mate, name))
                elif not mate.units[name].core.startswith(("def ", "async ", "class ", "@")):
                    constants.append((mate, name))
        helpful = [(mate, name) for _, mate, name in sorted(gains, key=lambda gain: gain[0])]
        return helpful + constants if helpful else []

    def together(self, units_: list[tuple[Mate, str]]) -> dict[int, list[str]]:
        """Put units in one after another; those that help, by their mate's place."""
        best, chosen = self.start, dict[int, list[str]]()
        taken: set[str] = set()
        for mate, name in units_:
            if name not in taken and self.left > 0:
                more = self.attempt(best, mate, [name])
                if more.loss < best.loss:
                    best = more
                    taken.add(name)
                    chosen.setdefault(mate.place, []).append(name)
        return chosen

    def whole(self, mates: list[Mate]) -> dict[int, list[str]]:
        """All units that the best mate has otherwise, if they help; else nothing."""
        best, chosen = self.start, dict[int, list[str]]()
        for mate in mates:
            if self.left > 0:
                more = self.attempt(self.start, mate, mate.differing)
                if more.loss < best.loss:
                    best, chosen = more, {mate.place: mate.differing}
        return chosen


def try_all(source: str, mates: list[Mate], order: dict[str, Any]) -> dict[str, Any]:
    """Keep every unit that helps; where none does by itself, a mate's units all together."""
    tryout = Tryout(source, order)
    chosen = tryout.together(tryout.candidates(mates)) or tryout.whole(mates)
    steps: list[dict[str, Any]] = []
    here = tryout.start
    for mate in mates:
        names = chosen.get(mate.place, [])
        step = outcome("taken", here.source, child := breed(here.source, mate, names))
        if step["status"] == "taken":
            steps.append(step)
            here = tryout.judge.measure(child.source, here)
    measured = {"before": round(tryout.start.loss, 6), "after": round(here.loss, 6)}
    status = "better" if steps else "unchanged"
    tried = int(order["trials"]) - tryout.left
    return measured | {"status": status, "steps": steps, "tried": tried}


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
