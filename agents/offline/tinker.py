"""Tinker: improves its own task agent by search, and does not look at anybody else's."""

from collections.abc import Generator

from agents.messages import ChatReply, ChatRequest
from agents.offline import conversation, grader
from agents.offline.conversation import Conversation, draw_seed
from agents.offline.moves import Scores, Workspace, copy, read_scores, view
from agents.offline.plan import Plan, Step, play
from agents.offline.repairing import repair
from agents.offline.tuning import Search, tune

TOLERANCE = 0.1
"""How much worse than its best the current code may score: a search may lead through a dip."""


class Tinker:
    """A policy that searches on its own.

    It goes back to its own best version after a step that made things worse, tunes constants of a
    task agent that decides by itself, and repairs the prompt of one that asks a model. A question
    that is not about modifying code is answered as `Grader` would.
    """

    def __init__(self, trials: int = 12, spread: float = 0.08, share: float = 0.4) -> None:
        self._trials = trials
        self._spread = spread
        self._share = share

    def reply(self, request: ChatRequest) -> ChatReply:
        """Answer one request."""
        asked = conversation.read(request)
        if asked.code_path is None:
            return grader.Grader().reply(request)
        return play(self._plan(Workspace(asked.code_path), asked), asked)

    def _plan(self, space: Workspace, asked: Conversation) -> Plan:
        yield from view("I look around.", space.path)
        history = yield from read_scores("I look at my earlier generations.", space, "evals")
        folder = yield from return_to_best(space, history)
        seed = draw_seed("tinker", asked.seed, *map(marks, history))
        search = Search(self._trials, self._spread, self._share, (), seed)
        return (yield from improve(space, folder, search))


def marks(scores: Scores) -> tuple[int, float, float]:
    """What a search's seed may depend on: no path, so that runs in two folders are equal."""
    return scores.generation, scores.train, scores.val


def return_to_best(space: Workspace, history: list[Scores]) -> Generator[Step, str, str]:
    """Restore the agent's own best version if the current one scored clearly worse.

    Returns:
        Folder with the evaluation of what is current afterwards.
    """
    if not history:
        return space.at("evals/gen_0")
    best = max(history, key=lambda s: (s.val, -s.generation))
    current = max((s for s in history if s.current), key=lambda s: s.val, default=None)
    if current is None or current.val >= best.val - TOLERANCE:
        return (current or history[-1]).path
    say = f"Generation {best.generation} scored {best.val:g}, the current code {current.val:g}."
    yield from copy(f"{say} I go back.", f"{best.path}/task_agent.py", space.at("task_agent.py"))
    return best.path


def improve(space: Workspace, folder: str, search: Search) -> Plan:
    """Tune the task agent, or repair its prompt if it asks a model."""
    tuned = yield from tune(space, search)
    if tuned.status == "asks_model":
        return (yield from repair(space, folder, search.seed))
    return tuned.words
