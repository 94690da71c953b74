"""Puts a scorer in the place of labels: the judge, the bounds and the changes of a search.

A helper: it stands right before a program in the text that is sent, after all other helpers, and
gives the names of `judging`, `bench` and `surgery` that the program uses another meaning. So the
text for a task with labels stays what it is, to the byte.
"""

import ast
import json
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyperspace.offline.inside.judging import Judged
    from hyperspace.offline.inside.scoring import Race, Scorer, make_source

DATA = (ast.Assign, ast.AnnAssign)
HAIR = 1e-12  # what a source that is as good is better or worse by, while a search varies


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
        on from what is as good and of the same material. Whatever else is as good is a hair worse:
        nothing holds a change back in code or data that do not count yet, and a search that went on
        from it would break them before they are needed.
        """
        make = make_source(source)
        if self.is_first:
            self.is_first = False
            loss, costs = self.race.first(make)
            self.race.allow(self.trials)
            return Judged(loss, source, costs=costs)
        loss, costs = self.race.attempt(make, near.costs if near else ())
        if near and self.drifts and costs == near.costs and source != near.source:
            loss = near.loss + (-HAIR if material(source) == material(near.source) else HAIR)
        return Judged(loss, source, costs=costs)


@lru_cache(maxsize=4)
def material(source: str) -> tuple[str, ...]:
    """All that a source consists of but the order of lists of data, and the numbers in those."""
    body = ast.parse(source).body
    return tuple(
        content(part.value) if isinstance(part, DATA) and part.value else ast.dump(part)
        for part in body
    )


def content(node: ast.AST, is_listed: bool = False) -> str:
    """What data consist of; a parameter by itself, and a table, are more than their numbers."""
    match node:
        case ast.List(elts=parts):
            return str(sorted(content(part, True) for part in parts))
        case ast.Tuple(elts=parts) if is_listed:
            return str([content(part, True) for part in parts])
        case ast.Dict(keys=keys, values=parts):
            words = [key and ast.dump(key) for key in keys]
            return str([*zip(words, map(content, parts), strict=True)])
        case ast.UnaryOp(operand=part) if is_listed:
            return content(part, True)
        case ast.Constant(value=int() | float()) if is_listed:
            return "number"
        case _:
            return ast.dump(node)


def no_labels(_items: list[dict[str, Any]]) -> tuple[str, ...]:
    """The labels of scored items: there are none."""
    return ()


def all_items(_source: str, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items that a judge is given: it chooses by itself."""
    return items


Judge, labels_of, affordable = ScoredJudge, no_labels, all_items
