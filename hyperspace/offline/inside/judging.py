"""Measures sources on labelled items; of a variant, only the answers that its change can reach.

A helper: it stands before a program in the text that is sent, after `bench`. A function that did
not run while an item was answered cannot have had a part in the answer. So a variant of a source
that was measured answers those items again that ran changed code, and keeps the cost of the
others: what a change in one of many functions costs follows from the items that need it. Answers
are taken to depend on their inputs alone.
"""

import math
from collections.abc import Iterator
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hyperspace.offline.inside.bench import (
        FAILED,
        Bounded,
        TooLong,
        answer,
        cost,
        load,
        scale_of,
    )

LEAST_ITEMS = 60
MOST_WORK = 100_000  # steps of the interpreter in which all items are answered once


class Judged(NamedTuple):
    """A source and its loss: the mean cost of an answer, 2 * FAILED if it does not load or end.

    `code` is None for such a one. `loading` names the code that ran as it was loaded, `costs` and
    `ran` have what each item cost and the code that it ran.
    """

    loss: float
    source: str
    code: CodeType | None = None
    loading: frozenset[str] = frozenset()
    costs: tuple[float, ...] = ()
    ran: tuple[frozenset[str], ...] = ()


class Judge:
    """Measures sources on the same items."""

    def __init__(self, items: list[dict[str, Any]]) -> None:
        self.items, self.scale = items, scale_of(items)

    def measure(self, source: str, near: Judged | None = None) -> Judged:
        """Measure a source; `near` is one that was measured and from which it differs by little."""
        loaded = load(source)
        if loaded is None or not self.items:
            return Judged(2 * FAILED, source)
        agent, code, loading = loaded
        pairs = list(zip(near.costs, near.ran, strict=True)) if near and near.code else []
        touched = changed(near.code, code) if near and near.code else frozenset[str]()
        if not pairs or touched & loading:
            pairs = [(0.0, touched)] * len(self.items)
            touched = None
        costs: list[float] = []
        ran: list[frozenset[str]] = []
        for item, (price, names) in zip(self.items, pairs, strict=True):
            if touched is None or touched & names:
                bounded = Bounded()
                try:
                    given = answer(agent, item, bounded)
                except TooLong:
                    return Judged(2 * FAILED, source)
                price, names = cost(given, item["label"], self.scale), frozenset(bounded.ran)
            costs.append(price)
            ran.append(names)
        mean = math.fsum(costs) / len(costs)
        return Judged(mean, source, code, loading, tuple(costs), tuple(ran))


def affordable(source: str, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first of the items: LEAST_ITEMS, and more while the source answers within MOST_WORK."""
    loaded, work = load(source), 0
    for count, item in enumerate(items):
        if count >= LEAST_ITEMS and (loaded is None or work > MOST_WORK):
            return items[:count]
        if loaded is not None and len(items) > LEAST_ITEMS:
            bounded = Bounded()
            try:
                answer(loaded.agent, item, bounded)
            except TooLong:
                return items[:LEAST_ITEMS]
            work += bounded.steps
    return items


def changed(old: CodeType, new: CodeType) -> frozenset[str]:
    """Names of the code that is not the same in both, whatever its place in the file."""
    if _parts(old) != _parts(new):
        names = {old.co_qualname}
        if _inner(old).keys() != _inner(new).keys():
            return frozenset(name for code in (old, new) for name in _all_names(code))
    else:
        names = set[str]()
    for name, code in _inner(old).items():
        names |= changed(code, _inner(new)[name])
    return frozenset(names)


def _parts(code: CodeType) -> tuple[object, ...]:
    """What a code object does; `repr` tells 1 from 1.0 and True, which are equal."""
    constants = [c.co_qualname if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    variables = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return code.co_code, code.co_exceptiontable, constants, variables, counts


def _inner(code: CodeType) -> dict[str, CodeType]:
    """Code within a code object; a name that comes again has its number."""
    inner: dict[str, CodeType] = {}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            again = sum(name.partition("#")[0] == constant.co_qualname for name in inner)
            inner[f"{constant.co_qualname}#{again}"] = constant
    return inner


def _all_names(code: CodeType) -> Iterator[str]:
    yield code.co_qualname
    for inner in _inner(code).values():
        yield from _all_names(inner)
