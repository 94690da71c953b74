"""Climber: hill climbing with restarts, within a generation and across generations."""

import random
from dataclasses import dataclass

from agents.offline.moves.searching import CodeSearch, improve, restore, return_to_best
from agents.offline.plan import CandidPlan
from agents.offline.planned import GenerationPolicy
from agents.offline.record import Situation


@dataclass(frozen=True)
class Climber(GenerationPolicy):
    """A search policy that takes each change that helps and goes on from there.

    Each generation climbs from the best version and from shaken ones. When no generation was a new
    best for `patience` generations, it starts again from some earlier version of its own.
    """

    trials: int = 90
    restarts: int = 3
    patience: int = 3
    spread: float = 0.3

    def behave(self, scene: Situation) -> CandidPlan:
        """Climb, from the best version or after a restart."""
        seed, waited = scene.seed_for("climber"), scene.record.waited()
        if waited and waited % self.patience == 0:
            rng = random.Random(seed)  # noqa: S311 - a search, no secret
            chosen = rng.choice([version for version in scene.record.versions if version.valid])
            why = f"Nothing was better for {waited} generations; I restart from {chosen.path}."
            yield from restore(scene, chosen, why)
        else:
            yield from return_to_best(scene)
        search = CodeSearch("climb", self.trials, self.restarts, self.spread, seed)
        return (yield from improve(scene, search))
