"""Breeder: recombines its code with its peers', function by function, on any task."""

from dataclasses import dataclass

from agents.offline.moves.recombination import adopt, cross
from agents.offline.moves.searching import CodeSearch, improve, return_to_best
from agents.offline.plan import CandidPlan
from agents.offline.planned import GenerationPolicy
from agents.offline.record import Situation, read_peers


@dataclass(frozen=True)
class Breeder(GenerationPolicy):
    """A search policy that takes single functions, methods and constants of its peers.

    What helps on the training items is put in place of its own, with whatever it needs. Where
    nothing of the peers helps, it changes its own code as the mutator does. Where no code of its
    own has ever run, there is nothing to recombine, and it takes a peer's as it is.
    """

    trials: int = 24
    spread: float = 0.3

    def behave(self, scene: Situation) -> CandidPlan:
        """Recombine, or change one place of the own code."""
        yield from return_to_best(scene)
        peers = yield from read_peers(
            scene.space, "What have the others published?", "looks for functions to take"
        )
        seed = scene.seed_for("breeder")
        others = [peer for peer in peers if not peer.current]
        if others and scene.record.best is None:
            return (yield from adopt(scene, scene.record.best_among(others) or others[-1]))
        if others:
            words = yield from cross(scene, others, trials=self.trials, seed=seed)
            if words:
                return words
        return (yield from improve(scene, CodeSearch("mutate", self.trials, 1, self.spread, seed)))
