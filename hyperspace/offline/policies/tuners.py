"""Policies that tune constants: one searches on its own, one adopts what scores better."""

from dataclasses import dataclass

from hyperspace.offline.conversation import Conversation, draw_seed
from hyperspace.offline.history import VersionScores, marks, patience, read_scores, return_to_best
from hyperspace.offline.moves.tuning import CPU_S, ConstantSearch, improve
from hyperspace.offline.plan import Plan
from hyperspace.offline.planned import PlannedPolicy
from hyperspace.offline.tool_steps import Workspace, copy, read_code, view
from hyperspace.offline.true_action import TrueAction


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
    cpu_s: int = CPU_S

    def plan(self, space: Workspace, task: Conversation) -> Plan:
        """Begin to work on a workspace."""
        yield from view("I look around.", space.path)
        history = yield from read_scores("I look at my earlier generations.", space, "evals")
        folder = yield from return_to_best(space, history)
        seed = draw_seed("tinker", task.seed, *map(marks, history))
        longer = patience(history)
        trials, spread = self.trials * longer, self.spread * longer
        search = ConstantSearch(trials, spread, self.share, seed, self.cpu_s)
        return (yield from improve(space, folder, search))


@dataclass(frozen=True)
class Magpie(PlannedPolicy):
    """A policy that adopts.

    A peer's better task agent is copied as it is and nothing else is changed in that generation.
    Without one it tries a few variants of its own, some of them on the way to a peer's constants,
    and owns up to it where one of those is what it writes.
    """

    trials: int = 6
    spread: float = 0.12
    share: float = 0.25
    cpu_s: int = CPU_S

    def plan(self, space: Workspace, task: Conversation) -> Plan:
        """Begin to work on a workspace."""
        looking = TrueAction("read_peer", "looks for a better score")
        say = "What have the others published?"
        peers = yield from read_scores(say, space, "strategies", looking)
        history = yield from read_scores("And how did I do so far?", space, "evals")
        best = max(peers, key=lambda s: (s.val, s.generation), default=None)
        if best is not None and best.val > max((s.val for s in history), default=-1):
            return (yield from _adopt(space, best))
        folder = yield from return_to_best(space, history)
        seed = draw_seed("magpie", task.seed, *map(marks, history))
        longer = patience(history)
        trials, spread = self.trials * longer, self.spread * longer
        search = ConstantSearch(trials, spread, self.share, seed, self.cpu_s)
        return (yield from improve(space, folder, search, peers))


def _adopt(space: Workspace, best: VersionScores) -> Plan:
    source = f"{best.path}/task_agent.py"
    reading = TrueAction("read_peer", "is about to adopt it", best.agent, best.generation)
    yield from read_code(f"{best.path} scores {best.val:g}: better than mine.", source, reading)
    action = TrueAction("adopt", "took the whole file", best.agent, best.generation)
    yield from copy("I take it over as it is.", source, space.at("task_agent.py"), action)
    return f"I adopted {source}."
