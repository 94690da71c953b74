"""Selection in proportion to a score, and to how few children a generation has.

With a_i the fitness of generation i, n_i the number of its children and m the mean of the three
best fitnesses (of all, where there are fewer)::

    score_prop               w_i = s_i                      s_i = 1 / (1 + exp(-10 (a_i - m)))
    score_child_prop         w_i = s_i exp(-(n_i / 8)^3)
    score_child_prop:paper   w_i = s_i / (1 + n_i)          n_i counts children that compiled
    dgm                      w_i = s_i / (1 + n_i)          with 0.5 in place of m

Sources: the Hyperagents paper (arXiv 2603.19461) and the behaviour of its program. exp(-(n / 8)^3)
is 0 in floating point from n = 73 on, so weights are kept as logarithms.
"""

from collections.abc import Callable
from math import exp, log, log1p
from random import Random
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from hyperspace.kernel.selection.tree import NOTHING, LogWeights
from hyperspace.kernel.state.archive import Archive, ArchiveEntry

STEEPNESS: Final = 10.0
BEST: Final = 3  # of so many the mean is the midpoint


class Children(NamedTuple):
    """How many children a generation has: all, failed ones included, and those that compiled."""

    total: int
    compiled: int


class WeightRule(msgspec.Struct, frozen=True):
    """The factors of a weight.

    Attributes:
        log_novelty: Logarithm of the factor that children cost.
        midpoint: Fitness at which the score's factor is one half; None for the mean of the best.
    """

    log_novelty: Callable[[Children], float]
    midpoint: float | None = None


SCORE: Final = WeightRule(lambda _children: 0.0)
SCORE_CHILDREN: Final = WeightRule(lambda children: -((children.total / 8) ** 3))
SCORE_CHILDREN_PAPER: Final = WeightRule(lambda children: -log(1 + children.compiled))
DGM: Final = WeightRule(lambda children: -log(1 + children.total), midpoint=0.5)


class Proportional:
    """Draws parents by a rule; implements `Select`.

    A new generation changes its own weight and its parent's, in O(log n). When the midpoint moves,
    which takes a new one among the three best, all weights are made anew.
    """

    def __init__(self, rule: WeightRule) -> None:
        self._rule = rule
        self._kept: WeakKeyDictionary[Archive, _Weights] = WeakKeyDictionary()

    def __call__(self, archive: Archive, rng: Random) -> ArchiveEntry | None:
        """See `Select`."""
        weights = self.weights(archive)
        return None if weights.total == NOTHING else archive.entries[weights.draw(rng)]

    def weights(self, archive: Archive) -> LogWeights:
        """The weight of each generation, by number."""
        if archive not in self._kept:
            self._kept[archive] = _Weights(self._rule)
        self._kept[archive].follow(archive)
        return self._kept[archive].tree


class _Weights:
    """The weights of one archive, as far as it was followed."""

    def __init__(self, rule: WeightRule) -> None:
        self.tree = LogWeights()
        self._rule = rule
        self._followed = 0
        self._midpoint = 0.0

    def follow(self, archive: Archive) -> None:
        """Take in what the archive has gained."""
        midpoint = self._rule.midpoint
        if midpoint is None:
            midpoint = archive.mean_of_best(BEST)
        new = archive.entries[self._followed :]
        self._followed += len(new)
        if midpoint != self._midpoint:
            self._midpoint = midpoint
            self.tree.fill([self._log_weight(archive, entry) for entry in archive.entries])
            return
        for entry in new:
            self._set(archive, entry)
            if entry.parent is not None:
                self._set(archive, archive.entries[entry.parent])

    def _set(self, archive: Archive, entry: ArchiveEntry) -> None:
        self.tree.set(entry.generation, self._log_weight(archive, entry))

    def _log_weight(self, archive: Archive, entry: ArchiveEntry) -> float:
        if not entry.valid:
            return NOTHING
        children = Children(
            archive.children[entry.generation], archive.compiled_children[entry.generation]
        )
        return log_score(entry.fitness - self._midpoint) + self._rule.log_novelty(children)


def log_score(above_midpoint: float) -> float:
    """Logarithm of 1 / (1 + exp(-10 x)), for any finite x."""
    x = STEEPNESS * above_midpoint
    return min(x, 0.0) - log1p(exp(-abs(x)))
