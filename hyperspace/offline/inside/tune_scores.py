"""Climbs the score of a task in the numbers of a task agent, without any model.

Helpers: literals, bench, scoring, steps. The source is compiled once with a slot for each number,
and each variant runs in a process of its own. Half of the steps move a single number; the others
are those that `tune_constants` takes where there are labels: several numbers at once or, all of
them, towards a mate's or away.

Order: {"code", "items", "scorer", "cpu_s", "mates", "trials", "spread", "share", "seed"}.
Result: as that of `tune_constants`, with mean scores before and after.
"""

import contextlib
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyperspace.offline.inside.bench import read_items, run
    from hyperspace.offline.inside.literals import Values, scaled, slotted
    from hyperspace.offline.inside.scoring import Race, Scorer, rounded
    from hyperspace.offline.inside.steps import (
        GROWTH,
        LogStep,
        MovedValues,
        PeerValues,
        direction,
        longer,
        percent_of_way,
    )

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
        mates: list[PeerValues],
        order: dict[str, Any],
    ) -> None:
        self.race, self.load, self.mates, self.order = race, load, mates, order
        self.rng = random.Random(order["seed"])  # noqa: S311 - a search, no secret
        self.start = self.best = MovedValues(start)
        self.first, self.costs = race.first(lambda: load(start))
        self.loss = self.first
        self.equals: list[MovedValues] = []
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
        self.move = LogStep(tuple(by if at == index else 0.0 for index in range(len(values))), None)
        if values[at] and self.rng.random() < MIRRORED:
            self.mirrored, self.may_reverse = at, False

    def advance(self) -> None:
        """Try one variant."""
        by, mate = self.move
        mates = self.best.mates if mate is None else (*self.best.mates, mate)
        candidate = MovedValues(moved_by(self.best.values, by, self.mirrored), mates)
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

    def climb(self, trials: int) -> MovedValues:
        """The best variant; if none was better, some variant that is as good as the start."""
        self.race.allow(trials)
        for _ in range(trials):
            self.advance()
        if self.loss < self.first or not self.equals:
            return self.best
        return self.rng.choice(self.equals)

    def score(self, variant: MovedValues) -> float:
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


def read_peers(order: dict[str, Any], start: Values) -> list[PeerValues]:
    """Other task agents that have as many constants, with other values."""
    peers: list[PeerValues] = []
    for number, path in enumerate(order["mates"]):
        with contextlib.suppress(OSError, SyntaxError, ValueError):
            spots = slotted(Path(path).read_bytes().decode(), ())[1]
            values = tuple(spot.value for spot in spots)
            if len(values) == len(start) and values != start:
                peers.append(PeerValues(number, values))
    return peers


def tune_scores(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    program, spots = slotted(Path(order["code"]).read_bytes().decode(), ())
    start = tuple(spot.value for spot in spots)
    items = read_items(order["items"])
    if not spots or not items:
        return {"status": "nothing_to_tune"}

    def load(values: Values) -> Any:
        slots = [spot.literal(value) for spot, value in zip(spots, values, strict=True)]
        space: dict[str, Any] = {"__name__": "task_agent", "_slots": slots}
        exec(program, space)  # noqa: S102 - the agent's own code, in its own sandbox
        return space["TaskAgent"]

    race = Race(Scorer(order["scorer"]), items, order)
    walk = ScoreWalk(race, load, start, read_peers(order, start), order)
    best = walk.climb(order["trials"])
    pairs = zip(spots, best.values, strict=True)
    return {
        "status": "tuned" if best.values != start else "unchanged",
        "before": walk.score(walk.start),
        "after": walk.score(best),
        "items": len(race.items),
        "changes": [[s.line, s.start, s.end, s.value, v] for s, v in pairs if v != s.value],
        "mates": [
            [peer.number, percent_of_way(start, best.values, peer.values)]
            for peer in dict.fromkeys(best.mates)
        ],
    }


run(tune_scores)
