"""Mutator: changes one place of its task agent at a time, on any task."""

from dataclasses import dataclass

from agents.offline.conversation import Conversation
from agents.offline.moves.searching import CodeSearch, improve, return_to_best
from agents.offline.plan import CandidPlan
from agents.offline.planned import GenerationPolicy
from agents.offline.record import Situation
from agents.offline.tool_steps import Workspace, view


@dataclass(frozen=True)
class Mutator(GenerationPolicy):
    """A search policy: of a few variants with one change each, the least wrong one.

    Numbers, comparisons, operators, conditions, labels and statements change. The number of
    variants grows while no generation is a new best.
    """

    trials: int = 24
    spread: float = 0.3

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Look around first."""
        yield from view("I look around.", space.path)
        return (yield from super().plan(space, task))

    def behave(self, scene: Situation) -> CandidPlan:
        """Change one place."""
        yield from return_to_best(scene)
        trials = self.trials * (1 + min(scene.record.waited(), 3))
        search = CodeSearch("mutate", trials, 1, self.spread, scene.seed_for("mutator"))
        return (yield from improve(scene, search))
