"""Mutator: changes one place of its task agent at a time, on any task."""

from agents.offline.conversation import Conversation, draw_seed
from agents.offline.moves.searching import CodeSearch, improve, return_to_best
from agents.offline.plan import CandidPlan
from agents.offline.planned import PlannedPolicy
from agents.offline.record import read_record
from agents.offline.tool_steps import Workspace, view


class Mutator(PlannedPolicy):
    """A search policy: of a few variants with one change each, the least wrong one.

    Numbers, comparisons, operators, conditions, labels and statements change. The number of
    variants grows while no generation is a new best.
    """

    def __init__(self, trials: int = 24, spread: float = 0.3) -> None:
        self._trials = trials
        self._spread = spread

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Begin to work on a workspace."""
        yield from view("I look around.", space.path)
        record = yield from read_record(space)
        yield from return_to_best(space, record)
        seed = draw_seed("mutator", task.seed, record.generation)
        trials = self._trials * (1 + min(record.waited(), 3))
        return (
            yield from improve(space, record, CodeSearch("mutate", trials, 1, self._spread, seed))
        )
