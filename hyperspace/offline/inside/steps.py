"""Steps of constants in log space: at random, or towards a mate's.

A helper: it stands before a program in the text that is sent, after `literals`. `tune_constants`
has its own, as what is sent for tasks with labels stays what it was.
"""

import math
import random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hyperspace.offline.inside.literals import Values

MATING = 0.5  # share of steps towards a mate, where there are mates
LEAST_PULL = 0.2  # of the way to it
GROWTH = 1.3  # of a step that helped


class PeerValues(NamedTuple):
    """Another task agent with as many constants; `number` is its place in the order, from 0."""

    number: int
    values: Values


class LogStep(NamedTuple):
    """A step in log space, and the mate that gave its direction, if one did."""

    by: Values
    mate: PeerValues | None


class MovedValues(NamedTuple):
    """Constants, and the mates whose direction they were moved in."""

    values: Values
    mates: tuple[PeerValues, ...] = ()


def direction(
    values: Values, mates: list[PeerValues], order: dict[str, Any], rng: random.Random
) -> LogStep:
    """Draw a step: towards a mate (away, once it is reversed), or at random on some constants."""
    if mates and rng.random() < MATING:
        mate = rng.choice(mates)
        pull = rng.uniform(LEAST_PULL, 1.0)
        way = distances(values, mate.values)
        return LogStep(tuple(pull * distance for distance in way), mate)
    chosen = [rng.random() < order["share"] for _ in values]
    return LogStep(tuple(rng.gauss(0, order["spread"]) if c else 0.0 for c in chosen), None)


def distances(values: Values, others: Values) -> Values:
    """How far other constants are away, in log space; 0 where a sign or a zero lies between."""
    pairs = zip(values, others, strict=True)
    return tuple(math.log(other / value) if other * value > 0 else 0.0 for value, other in pairs)


def percent_of_way(start: Values, end: Values, mate: Values) -> int:
    """How far the end lies on the way from the start to a mate, in percent of that way."""
    whole, gone = distances(start, mate), distances(start, end)
    length = sum(distance * distance for distance in whole)
    covered = sum(a * b for a, b in zip(whole, gone, strict=True))
    return round(100 * covered / length) if length else 0


def longer(move: LogStep, factor: float) -> LogStep:
    """Make a step longer or reverse it."""
    return move._replace(by=tuple(factor * m for m in move.by))
