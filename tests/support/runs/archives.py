"""Archives made of fitnesses and parents, without any run behind them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.manifest import Manifest
from tests.support.runs.manifests import manifest


class Made(NamedTuple):
    """One generation of an archive in the making.

    Attributes:
        fitness: None makes it invalid.
        parent: None for generation 0.
        compiled: Whether its code compiled, if it is invalid.
    """

    fitness: float | None
    parent: int | None = None
    compiled: bool = False


def archive_of(made: Iterable[Made]) -> Archive:
    archive = Archive("a")
    for closed in manifests_of(made):
        archive.add(closed)
    return archive


def manifests_of(made: Iterable[Made]) -> Iterator[Manifest]:
    for generation, row in enumerate(made):
        closed = manifest(generation, row.fitness, valid=row.fitness is not None)
        gates = {"compile": "passed"} if row.compiled else {}
        yield msgspec.structs.replace(closed, parent=row.parent, gates=gates)


def family(fitness: float, *children: float | None) -> list[Made]:
    """Generation 0 and its children; None is a child that failed to compile."""
    return [Made(fitness), *(Made(child, 0) for child in children)]
