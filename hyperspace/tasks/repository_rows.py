"""Rows of repositories, drawn afresh for each seed, for the tasks that judge them.

A split mixes four kinds of repository. Two are easy; *thin* ones (sound, but under-documented and
under-tested) deserve acceptance and miss it under the seed policy, *glossy* ones (polished and
insecure) slip through. Rows are drawn around their kind's means until each falls where its kind
belongs, under two rules: the seed policy, which decides what it gets wrong, and a planted rule
with other weights, which gets every row right by a margin. So the seed's errors are exact by
construction, and a perfect policy exists.
"""

import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.streams import stream
from hyperspace.tasks.table import Row

FEATURES = ("maintainability", "security", "test_coverage", "documentation", "simplicity")
Vector = tuple[float, ...]


class LinearRule(NamedTuple):
    """A linear acceptance rule; `excess` adds the three adjustments that every rule shares."""

    weights: Vector
    threshold: float

    def excess(self, x: Vector) -> float:
        """Score minus threshold: the row is accepted when it is not negative."""
        linear = sum(w * value for w, value in zip(self.weights, x, strict=True))
        maintainability, security, test_coverage = x[:3]
        weak = -0.15 * (security < 0.35) - 0.08 * (test_coverage < 0.30)
        adjustment = weak + 0.08 * (maintainability > 0.78 and security > 0.78)
        return linear + adjustment - self.threshold


SEED_RULE = LinearRule((0.90, 0.85, 0.88, 0.72, 0.78), 3.05)
PLANTED_RULE = LinearRule((0.40, 1.70, 0.40, 0.30, 1.25), 2.80)
PLANTED_MARGIN = 0.03


class Band(NamedTuple):
    """Closed range in which a row's excess under the seed rule must lie."""

    low: float
    high: float


class RepositoryKind(NamedTuple):
    """One kind of repository: its label, its feature means and spread, and its seed excess."""

    label: str
    means: Vector
    spread: float
    band: Band


_SOLID = RepositoryKind("accept", (0.802, 0.825, 0.833, 0.767, 0.730), 0.07, Band(0.08, 0.80))
_THIN = RepositoryKind("accept", (0.720, 0.775, 0.655, 0.600, 0.715), 0.05, Band(-0.29, -0.12))
_WEAK = RepositoryKind("reject", (0.376, 0.471, 0.297, 0.336, 0.286), 0.12, Band(-3.05, -0.45))
_GLOSSY = RepositoryKind("reject", (0.877, 0.517, 0.817, 0.877, 0.727), 0.05, Band(0.06, 0.13))
_THIN_TEST = _THIN._replace(band=Band(-0.19, -0.11))
_GLOSSY_TEST = _GLOSSY._replace(band=Band(0.01, 0.04))

_LEARNING = ((_SOLID, 6), (_THIN, 4), (_WEAK, 7), (_GLOSSY, 3))
_SEALED = ((_SOLID, 4), (_THIN_TEST, 1), (_WEAK, 4), (_GLOSSY_TEST, 1))
_RECIPES: Mapping[Split, tuple[tuple[RepositoryKind, int], ...]] = {
    "train": _LEARNING,
    "val": _LEARNING,
    "test": _SEALED,
}
MEAN_TOLERANCE = 0.06

# Invented names that say nothing about quality: two words, 900 pairs of them.
_FIRST = (
    "amber", "birch", "cedar", "cobalt", "copper", "coral", "delta", "ember", "fern", "flint",
    "harbor", "hazel", "indigo", "ivory", "juniper", "lunar", "maple", "meadow", "nimbus", "ochre",
    "onyx", "opal", "pebble", "quartz", "raven", "saffron", "sierra", "tidal", "umber", "willow",
)  # fmt: skip
_SECOND = (
    "atlas", "beacon", "bridge", "cache", "canvas", "compass", "courier", "engine", "forge", "gate",
    "harvest", "index", "kernel", "lantern", "ledger", "loom", "mesh", "mill", "orchard", "parser",
    "pilot", "queue", "relay", "router", "scribe", "signal", "sketch", "socket", "tracker", "vault",
)  # fmt: skip


def generate(rows_seed: int) -> dict[Split, tuple[Row, ...]]:
    """Draw all rows of a generator seed: 20 train, 20 val, 10 test, in shuffled order."""
    names = [f"{first}-{second}" for first in _FIRST for second in _SECOND]
    drawn = iter(stream("repo_quality", rows_seed, "names").sample(names, 50))
    return {split: _split(rows_seed, split, drawn) for split in SPLITS}


def _split(rows_seed: int, split: Split, names: Iterator[str]) -> tuple[Row, ...]:
    drawn = [
        (kind.label, x)
        for position, (kind, count) in enumerate(_RECIPES[split])
        for x in _group(kind, count, stream("repo_quality", rows_seed, f"{split}/{position}"))
    ]
    stream("repo_quality", rows_seed, f"{split}/order").shuffle(drawn)
    return tuple(
        Row(
            f"{split}-{index:02d}",
            {"name": next(names), **dict(zip(FEATURES, x, strict=True))},
            label,
        )
        for index, (label, x) in enumerate(drawn)
    )


def _group(kind: RepositoryKind, count: int, rng: random.Random) -> list[Vector]:
    while True:
        group = [_row(kind, rng) for _ in range(count)]
        means = (sum(column) / count for column in zip(*group, strict=True))
        if all(abs(m - k) <= MEAN_TOLERANCE for m, k in zip(means, kind.means, strict=True)):
            return group


def _row(kind: RepositoryKind, rng: random.Random) -> Vector:
    side = 1 if kind.label == "accept" else -1
    while True:
        x = tuple(round(rng.gauss(mean, kind.spread), 2) for mean in kind.means)
        in_band = kind.band.low <= SEED_RULE.excess(x) <= kind.band.high
        is_clear = side * PLANTED_RULE.excess(x) >= PLANTED_MARGIN
        if in_band and is_clear and all(0.02 <= value <= 0.99 for value in x):
            return x
