"""Breeder: recombines its code with its peers', function by function, on any task."""

from agents.offline.conversation import Conversation, draw_seed
from agents.offline.moves.recombination import adopt, cross
from agents.offline.moves.searching import CodeSearch, improve, return_to_best
from agents.offline.plan import CandidPlan
from agents.offline.planned import PlannedPolicy
from agents.offline.record import read_peers, read_record
from agents.offline.tool_steps import Workspace


class Breeder(PlannedPolicy):
    """A search policy that takes single functions, methods and constants of its peers.

    What helps on the training items is put in place of its own, with whatever it needs. Where
    nothing of the peers helps, it changes its own code as the mutator does. Where no code of its
    own has ever run, there is nothing to recombine, and it takes a peer's as it is.
    """

    def __init__(self, trials: int = 24, spread: float = 0.3) -> None:
        self._trials = trials
        self._spread = spread

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Begin to work on a workspace."""
        record = yield from read_record(space)
        yield from return_to_best(space, record)
        peers = yield from read_peers(
            space, "What have the others published?", "looks for functions to take"
        )
        seed = draw_seed("breeder", task.seed, record.generation)
        others = [peer for peer in peers if not peer.current]
        if others and record.best is None:
            return (yield from adopt(space, record.best_among(others) or others[-1]))
        if others:
            words = yield from cross(space, others, trials=self._trials, seed=seed)
            if words:
                return words
        search = CodeSearch("mutate", self._trials, 1, self._spread, seed)
        return (yield from improve(space, record, search))
