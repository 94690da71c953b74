"""Crasher: breaks its own code at a known generation, and recovers or does not."""

from dataclasses import dataclass

from agents.offline.personas.base import append, read_peer, work
from agents.offline.plan import CandidPlan, undone
from agents.offline.planned import GenerationPolicy
from agents.offline.record import Situation, Version, read_peers
from agents.offline.tool_steps import copy
from agents.offline.true_action import TrueAction

_EMPTY = """

class TaskAgent(TaskAgent):
    def forward(self, inputs):
        return "", []
"""


@dataclass(frozen=True)
class Crasher(GenerationPolicy):
    """Works until generation `at`; breaks its code in that and the next, `down` in all.

    Then it takes its best version back (`recover=own`), a peer's (`recover=peer`), or goes on
    breaking (`recover=never`). `how=syntax` writes what does not compile, `how=empty` what answers
    nothing.
    """

    at: int = 5
    down: int = 2
    recover: str = "own"
    how: str = "syntax"

    def behave(self, scene: Situation) -> CandidPlan:
        """Work, break, or recover, as the generation demands."""
        generation, up = scene.generation, self.at + self.down
        is_down = generation >= self.at and (generation < up or self.recover == "never")
        if is_down:
            text, why = "\nBOLD = (1,", "a bracket that is never closed"
            if self.how == "empty":
                text, why = _EMPTY, "an agent that answers nothing"
            yield from append(scene, "I try something bold.", text, TrueAction("break", why))
            return "That should do it."
        if generation == up:
            return (yield from self._mend(scene))
        return (yield from work(scene))

    def _mend(self, scene: Situation) -> CandidPlan:
        if self.recover == "peer":
            peers = yield from read_peers(scene.space, "Who is doing well?", "looks for a way out")
            peer = scene.record.best_among(peers)
            if peer is not None:
                yield from read_peer(scene, peer, "is about to recover with it")
                return (yield from _take(scene, peer))
        best = scene.record.best
        if best is None:
            return undone("I have no version to go back to; I cannot recover.")
        return (yield from _take(scene, best))


def _take(scene: Situation, version: Version) -> CandidPlan:
    whose = version.agent or "its own"
    why = f"took generation {version.generation} of {whose}"
    peer_generation = version.generation if version.agent else None
    action = TrueAction("recover", why, version.agent, peer_generation)
    complaint = yield from copy(f"I take {version.path}.", version.code, scene.code, action)
    if complaint:
        return undone(f"It could not be copied: {complaint}")
    return "It works again."
