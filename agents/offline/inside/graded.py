"""Puts a scorer in the place of labels: the judge, the bounds and the changes of a search.

A helper: it stands right before a program in the text that is sent, after all other helpers, and
gives the names of `judging`, `bench` and `surgery` that the program uses another meaning. So the
text for a task with labels stays what it is, to the byte.
"""

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.offline.inside.judging import Judged
    from agents.offline.inside.scoring import Race, Scorer, make_source

HAIR = 1e-12  # what a source that is as good and no longer is better by, while a search varies


class ScoredJudge:
    """Measures sources by the scorer of their task; the first is the start of a search."""

    def __init__(self, items: list[dict[str, Any]], given: dict[str, Any] | None = None) -> None:
        order: dict[str, Any] = given or json.loads(sys.argv[1])
        self.race, self.trials = Race(Scorer(order["scorer"]), items, order), int(order["trials"])
        self.is_first, self.drifts = True, "mode" in order

    @property
    def items(self) -> list[dict[str, Any]]:
        """The items that are in use."""
        return self.race.items

    def measure(self, source: str, near: Judged | None = None) -> Judged:
        """Measure a source; one that falls far behind `near` is given up on the way.

        Many steps between two good lists change nothing, so a search that varies its own code goes
        on from what is as good and no longer.
        """
        make = make_source(source)
        if self.is_first:
            self.is_first = False
            loss, costs = self.race.first(make)
            self.race.allow(self.trials)
            return Judged(loss, source, costs=costs)
        loss, costs = self.race.attempt(make, near.costs if near else ())
        if near and self.drifts and costs == near.costs and len(source) <= len(near.source):
            loss = near.loss if source == near.source else near.loss - HAIR
        return Judged(loss, source, costs=costs)


def no_labels(_items: list[dict[str, Any]]) -> tuple[str, ...]:
    """The labels of scored items: there are none."""
    return ()


def all_items(_source: str, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items that a judge is given: it chooses by itself."""
    return items


Judge, labels_of, affordable = ScoredJudge, no_labels, all_items
