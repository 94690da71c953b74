"""Searches for a task agent that is less far off on labelled items, one change at a time.

Helpers: edits, surgery, bench, judging. `mutate` tries single changes of the start; `climb` takes
each change that helps and goes on from there, and from time to time starts again from a shaken
start; `sweep` tries the same single changes in the same order whoever asks. If nothing was better,
the result is a change that is as good, so that a search does not stand still.

Order: {"code", "items", "mode", "trials", "restarts", "spread", "repertoire",
"seed"}.
Result: {"status", "before", "after", "items", "old", "new"}; losses are means over the items.
"""

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyperspace.offline.edits import smallest_edit
    from hyperspace.offline.inside.bench import asks_model, labels_of, read_items, run
    from hyperspace.offline.inside.judging import Judge, Judged, affordable
    from hyperspace.offline.inside.surgery import put, sites, vary

SHAKES = 3


class Search:
    """What every mode needs."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order
        source = Path(order["code"]).read_bytes().decode()
        self.judge = Judge(affordable(source, read_items(order["items"])))
        self.labels = labels_of(self.judge.items)
        self.rng = random.Random(order["seed"])  # noqa: S311 - a search, no secret
        self.start = self.judge.measure(source)
        self.equal: list[Judged] = []

    def change(self, source: str) -> str:
        """Change one place; a change that cannot be read any more is none."""
        try:
            return vary(
                source, self.labels, self.rng, self.order["spread"], self.order["repertoire"]
            )
        except (SyntaxError, ValueError):
            return source

    def try_one(self, source: str, best: Judged) -> Judged:
        """Measure a changed source and say which is better; the older one if they are equal."""
        found = self.judge.measure(source, best)
        if found.loss == self.start.loss and source != self.start.source:
            self.equal.append(found)
        return min(best, found, key=lambda one: one.loss)

    def outcome(self, best: Judged) -> Judged:
        """The best; if none was better, one that is as good as the start."""
        if best.loss < self.start.loss or not self.equal:
            return best
        return self.equal[self.rng.randrange(len(self.equal))]


def mutate(search: Search) -> Judged:
    """Try single changes of the start."""
    best = search.start
    for _ in range(search.order["trials"]):
        best = search.try_one(search.change(search.start.source), best)
    return search.outcome(best)


def climb(search: Search) -> Judged:
    """Climb from the start, and again from shaken starts; the best of all."""
    best, rounds = search.start, max(1, search.order["restarts"])
    for number in range(rounds):
        here = search.start if number == 0 else shaken(search)
        for _ in range(search.order["trials"] // rounds):
            here = search.try_one(search.change(here.source), here)
        best = min(best, here, key=lambda one: one.loss)
    return search.outcome(best)


def shaken(search: Search) -> Judged:
    """The start with a few changes at once."""
    source = search.start.source
    for _ in range(SHAKES):
        source = search.change(source)
    return search.judge.measure(source, search.start)


def sweep(search: Search) -> Judged:
    """Try single changes in their order, evenly picked if there are too many; draws nothing.

    Of changes that are only as good, the seed says which one is taken.
    """
    source = search.start.source
    places = sites(source, search.labels, search.order["repertoire"])
    changes = [(site, new) for site in places for new in site.others]
    best, stride = search.start, max(1, -(-len(changes) // max(1, search.order["trials"])))
    for site, new in changes[::stride]:
        best = search.try_one(put(source, site.start, site.end, new), best)
    if best.loss < search.start.loss or not search.equal:
        return best
    return search.equal[int(search.order["seed"]) % len(search.equal)]


MODES = {"mutate": mutate, "climb": climb, "sweep": sweep}


def evolve(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    if asks_model(Path(order["code"]).read_bytes().decode()):
        return {"status": "asks_model"}
    search = Search(order)
    found = MODES[order["mode"]](search)
    edit = smallest_edit(search.start.source, found.source)
    if edit is None:
        return {"status": "unchanged"}
    return {
        "status": "better" if found.loss < search.start.loss else "drifted",
        "before": round(search.start.loss, 6),
        "after": round(found.loss, 6),
        "items": len(search.judge.items),
        "old": edit.old,
        "new": edit.new,
    }


run(evolve)
