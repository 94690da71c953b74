"""The principal's desk: open needs are answered once, and boundaries of deferred scopes decided.

Every process has one. They race for the same needs and the same boundaries.
"""

from collections.abc import Iterable
from uuid import NAMESPACE_URL, uuid5

from benchmarks.stress.player import Player
from benchmarks.stress.timing import Stopwatch
from benchmarks.stress.world import ROOT, contested
from markspace import Action, Agent, Guard, GuardVerdict, Need
from markspace.errors import ValidationError

TOKEN = uuid5(NAMESPACE_URL, "stress:token")
"""Proves to every process's guard that the principal speaks."""


class Desk:
    """Answers and decides.

    Args:
        guard: Of this process, made with `TOKEN`.
        clocked: Notes how long it takes.
    """

    def __init__(self, guard: Guard, clocked: Stopwatch) -> None:
        self._guard, self._clocked = guard, clocked
        principal = uuid5(NAMESPACE_URL, "stress:principal")
        agent = Agent(name="principal", id=principal, scopes={ROOT: ["action"]})
        self._handle = guard.space.enroll(agent, system=True)

    def answer(self) -> None:
        """Answer every need that is open, unless another process was faster."""
        clusters = self._clocked("list needs", self._guard.space.aggregate_needs)
        for need in [need for cluster in clusters for need in cluster.needs]:
            action = Action(scope=need.scope, resource=f"need/{need.id}", action="answer")
            try:
                self._clocked("answer", self._guard.answer, self._handle, need.id, action)
            except ValidationError:
                self._clocked.refused["answer"] += 1
            else:
                self._choose(need)

    def decide(self, players: Iterable[Player]) -> None:
        """Let the boundary decide about each resource on which an agent of this process waits."""
        waiting = {(p.scope, p.resource) for p in players if p.verdict is GuardVerdict.BLOCKED}
        for scope, resource in sorted(waiting):
            if self._guard.space.get_scope(scope).deferred:
                self._clocked("decide", self._guard.resolve_deferred, scope, resource)

    def _choose(self, need: Need) -> None:
        """Choose who asked, if the need is about a resource to which all yield."""
        if (wish := contested(need)) is not None:
            who = (need.scope, wish.resource, wish.agent, TOKEN)
            self._clocked("choose", self._guard.choose, *who)
