"""Tinker: improves its own task agent by search, and does not look at anybody else's."""

from dataclasses import dataclass

from agents.offline.conversation import Conversation, draw_seed
from agents.offline.history import marks, patience, read_scores, return_to_best
from agents.offline.moves.tuning import ConstantSearch, improve
from agents.offline.plan import Plan
from agents.offline.planned import PlannedPolicy
from agents.offline.tool_steps import Workspace, view


@dataclass(frozen=True)
class Tinker(PlannedPolicy):
    """A policy that searches on its own.

    It goes back to its own best version after a step that made things worse, tunes constants of a
    task agent that decides by itself, and repairs the prompt of one that asks a model. A question
    that is not about modifying code is answered as `Grader` would.
    """

    trials: int = 12
    spread: float = 0.08
    share: float = 0.4

    def plan(self, space: Workspace, task: Conversation) -> Plan:
        """Begin to work on a workspace."""
        yield from view("I look around.", space.path)
        history = yield from read_scores("I look at my earlier generations.", space, "evals")
        folder = yield from return_to_best(space, history)
        seed = draw_seed("tinker", task.seed, *map(marks, history))
        trials = self.trials * patience(history)
        search = ConstantSearch(trials, self.spread, self.share, (), seed)
        return (yield from improve(space, folder, search))
