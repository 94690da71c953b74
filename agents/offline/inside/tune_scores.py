"""Climbs the score of a task in the numbers of a task agent, without any model.

A helper: it stands before `tune_constants`, whose second objective it is, in the text that is sent,
after `literals`, `bench`, `scoring` and `steps`. The source is compiled once with slots, and each
variant runs in a process of its own. Half of the steps move a single number; the others are those
that `tune_constants` takes, several numbers at once or, all of them, towards a mate's or away.
"""

import math
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.offline.inside.bench import rounded
    from agents.offline.inside.literals import Values, scaled
    from agents.offline.inside.scoring import Race
    from agents.offline.inside.steps import GROWTH, Move, PeerConstants, Variant, direction, longer

ALONE = 0.5  # share of steps that move a single number
WIDER = 4.0  # times the spread: how far a single one moves
MIRRORED = 0.15  # share of those that change its sign


class ScoreWalk:
    """A climb on the score: a step that helps is repeated longer, one that hurts is turned."""

    def __init__(
        self,
        race: Race,
        load: Callable[[Values], Any],
        start: Values,
        mates: list[PeerConstants],
        order: dict[str, Any],
    ) -> None:
        self.race, self.load, self.mates, self.order = race, load, mates, order
        self.rng = random.Random(order["seed"])  # noqa: S311 - a search, no secret
        self.start = self.best = Variant(start)
        self.first, self.costs = race.first(lambda: load(start))
        self.loss = self.first
        self.equals: list[Variant] = []
        self.turn_to_fresh_step()

    def turn_to_fresh_step(self) -> None:
        """Draw the next step."""
        values = self.best.values
        self.mirrored, self.may_reverse = -1, True
        if self.rng.random() >= ALONE:
            self.move = direction(values, self.mates, self.order, self.rng)
            return
        at = self.rng.randrange(len(values))
        by = self.rng.gauss(0, WIDER * self.order["spread"])
        self.move = Move(tuple(by if at == index else 0.0 for index in range(len(values))), None)
        if values[at] and self.rng.random() < MIRRORED:
            self.mirrored, self.may_reverse = at, False

    def advance(self) -> None:
        """Try one variant."""
        by, mate = self.move
        mates = self.best.mates if mate is None else (*self.best.mates, mate)
        candidate = Variant(moved_by(self.best.values, by, self.mirrored), mates)
        loss, costs = self.race.attempt(lambda: self.load(candidate.values), self.costs)
        if loss == self.first and candidate.values != self.start.values:
            self.equals.append(candidate)
        if loss < self.loss:
            self.best, self.loss, self.costs = candidate, loss, costs
            self.move, self.mirrored, self.may_reverse = longer(self.move, GROWTH), -1, False
        elif self.may_reverse:
            self.move, self.may_reverse = longer(self.move, -1.0), False
        else:
            self.turn_to_fresh_step()

    def climb(self, trials: int) -> Variant:
        """The best variant; if none was better, some variant that is as good as the start."""
        for _ in range(self.race.affordable(trials)):
            self.advance()
        if self.loss < self.first or not self.equals:
            return self.best
        return self.rng.choice(self.equals)

    def score(self, variant: Variant) -> float:
        """The mean score of the best variant, or of those that are as good as the start."""
        return round(1 - (self.loss if variant is self.best else self.first), 6)


def moved_by(values: Values, by: Values, mirrored: int) -> Values:
    """Take a step in log space; the number at `mirrored`, if there is one, changes its sign."""
    return tuple(
        -value
        if index == mirrored
        else rounded(scaled(value, math.exp(move)), repr(value))
        if move
        else value
        for index, (value, move) in enumerate(zip(values, by, strict=True))
    )
