"""Barriers of all agents, and what happens to one that the envelope restricts."""

from dataclasses import dataclass, field
from threading import RLock
from uuid import UUID

from markspace.barrier import AgentBarrier, BarrierSnapshot
from markspace.core.agents import Agent
from markspace.core.enums import MarkType
from markspace.core.marks import Need
from markspace.core.scopes import ancestors
from markspace.keeping.identity import AgentHandle
from markspace.space import MarkSpace
from markspace.stores.base import Query

AUDIT_PRIORITY = 0.9
NARROWED = (MarkType.OBSERVATION.value, MarkType.ACTION.value)


@dataclass
class Restrictions:
    """The barriers that a guard keeps.

    Args:
        space: Where needs are looked up and written.
        system: Writes the audit need.
        scope: Where it is written.
        token: What restores permissions.
        threshold: Flags after which an agent is restricted everywhere.
        are_there: Whether any agent has a barrier.
    """

    _space: MarkSpace
    _system: AgentHandle
    _scope: str
    _token: UUID
    _threshold: int
    are_there: bool = False
    _lock: RLock = field(default_factory=RLock)
    _barriers: dict[UUID, AgentBarrier] = field(default_factory=dict[UUID, AgentBarrier])

    def get(self, agent_id: UUID) -> BarrierSnapshot | None:
        """Return an agent's barrier as it is now, or None."""
        with self._lock:
            barrier = self._barriers.get(agent_id)
        return None if barrier is None else barrier.snapshot()

    def get_or_create(self, agent_id: UUID) -> AgentBarrier:
        """Return the live barrier of an agent."""
        with self._lock:
            barrier = self._barriers.get(agent_id)
            if barrier is None:
                barrier = AgentBarrier(agent_id=agent_id, _principal_token=self._token)
                self.set(agent_id, barrier)
            return barrier

    def set(self, agent_id: UUID, barrier: AgentBarrier) -> None:
        """Keep that very barrier for an agent."""
        with self._lock:
            self._barriers[agent_id] = barrier
            self.are_there = True

    def refusal(self, agent: Agent, scope: str, mark_type: MarkType) -> str | None:
        """Return why a barrier stops this, or None."""
        with self._lock:
            barrier = self._barriers.get(agent.id)
        if barrier is None:
            return None
        if not barrier.is_allowed_checked(scope, mark_type.value):
            return f"{mark_type} of {agent.name!r} in {scope!r} is blocked by barrier"
        if mark_type is MarkType.NEED or not barrier.needs_required(scope):
            return None
        if self._has_open_need(agent.id, scope):
            return None
        return f"barrier: {agent.name!r} must have an open need in {scope!r} first"

    def _has_open_need(self, agent_id: UUID, scope: str) -> bool:
        kinds = (MarkType.NEED.value,)
        queries = [Query(scope, kinds)]
        queries += [Query(above, kinds, exact=True) for above in ancestors(scope)[1:]]
        with self._space.store.snapshot() as snapshot:
            view = self._space.view(snapshot)
            needs = [ranked.mark for query in queries for ranked in view.ranked(query, 0.01)]
        return any(need.agent_id == agent_id for need in needs)

    def apply(self, agent: Agent, scope: str, trigger: str) -> None:
        """Restrict an agent in a scope, or everywhere after enough flags, and tell the principal.

        The principal is told once for each scope, so that a flood of refused writes is not
        answered by a flood of marks.
        """
        barrier = self.get_or_create(agent.id)
        with barrier.changing():
            is_new = scope not in barrier.flagged_scopes
            for mark_type in NARROWED:
                barrier.narrow(scope, mark_type)
            barrier.require_need(scope)
            barrier.flagged_scopes.add(scope)
            flags = barrier.increment_flags()
            if flags >= self._threshold:
                for mark_type in NARROWED:
                    barrier.narrow_all(mark_type)
                barrier.require_need_all()
        if not is_new:
            return
        need = Need(
            scope=self._scope,
            question=f"Agent {agent.name} is restricted in {scope!r}. Restore its rights?",
            context={
                "agent_id": str(agent.id),
                "trigger": trigger,
                "scope": scope,
                "flag_count": flags,
            },
            priority=AUDIT_PRIORITY,
        )
        self._space.write(self._system, need)
