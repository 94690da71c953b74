"""The stages that every guarded request passes: barrier, budget, envelope, rate limit."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Protocol
from uuid import UUID

from markspace.core.agents import Agent
from markspace.core.enums import MarkType
from markspace.core.marks import AnyMark
from markspace.core.scopes import ancestors
from markspace.errors import GuardRefusal
from markspace.guarding.allowance import Allowances
from markspace.guarding.restriction import Restrictions
from markspace.rate_limit import RateLimitTracker
from markspace.space import MarkSpace

FLAGGED, RESTRICTED = "flagged", "restricted"
DEFAULT_WINDOW_S = 300.0
DEFAULT_ESCALATION = 3
MAX_REMEMBERED_FLAGS = 10_000

Topic = tuple[str, str]  # with its scope first


class Envelope(Protocol):
    """The envelope as the guard uses it; `StatisticalEnvelope` is one."""

    def add_exempt_agent(self, agent_id: UUID) -> None:
        """Stop watching an agent."""
        ...

    def check(self, agent_id: UUID) -> Any:
        """Return "normal", "flagged" or "restricted"."""
        ...

    def record(self, agent_id: UUID, mark: AnyMark) -> None:
        """Count a stored mark."""
        ...

    def record_attempt(self, agent_id: UUID, mark_type: MarkType) -> None:
        """Count a refused attempt."""
        ...


@dataclass
class Stages:
    """Refuses what an agent may not do for now.

    Args:
        space: The space.
        envelope: Watches agents; None watches nobody.
        restrictions: The barriers.
        allowances: The budgets.
    """

    _space: MarkSpace
    _envelope: Envelope | None
    _restrictions: Restrictions
    _allowances: Allowances
    _rates: RateLimitTracker = field(default_factory=RateLimitTracker)
    _lock: Lock = field(default_factory=Lock)
    _seeded: set[UUID] = field(default_factory=set[UUID])
    _flagged_until: dict[Topic, float] = field(default_factory=dict[Topic, float])

    def check(self, agent: Agent, scope: str, *mark_types: MarkType) -> str:
        """Pass barrier, budget and envelope; return the envelope's status.

        A restricted agent may still write needs: it is required to.

        Raises:
            GuardRefusal: A stage refused.
        """
        if self._restrictions.are_there:
            self.barrier(agent, scope, *mark_types)
        if self._allowances.are_counted:
            self.budget(agent)
        if self._envelope is None:
            return ""
        if agent.manifest is not None and agent.id not in self._seeded:
            self._seeded.add(agent.id)
            expected = agent.manifest.expected_activity
            seed = getattr(self._envelope, "seed_baseline", None)
            if expected and seed is not None:
                seed(agent.id, {MarkType(kind): rate for kind, rate in expected.items()})
        verdict = self._envelope.check(agent.id)
        status = str(getattr(verdict, "value", verdict))
        if status == RESTRICTED and MarkType.NEED not in mark_types:
            self._restrictions.apply(agent, scope, f"{mark_types[0]} in an unusual window")
            raise GuardRefusal("envelope", f"{agent.name!r} is restricted by the envelope")
        return status

    def budget(self, agent: Agent) -> None:
        """Pass the agent's token budget; GuardRefusal if it is exhausted."""
        reason = self._allowances.refusal(agent)
        if reason is not None:
            raise GuardRefusal("budget", reason)

    def barrier(self, agent: Agent, scope: str, *mark_types: MarkType) -> None:
        """Pass the agent's barrier; GuardRefusal if it stops one of the types."""
        for mark_type in mark_types:
            reason = self._restrictions.refusal(agent, scope, mark_type)
            if reason is not None:
                raise GuardRefusal("barrier", reason)

    def rate(self, agent: Agent, scope: str, mark_type: MarkType) -> None:
        """Take a slot in the rate limits of the scope and of those above it.

        Raises:
            GuardRefusal: A limit is reached.
        """
        if not self._space.has_rate_limits:
            return
        definitions = (self._space.defined_scope(name) for name in ancestors(scope))
        limits = [(d.name, d.rate_limit) for d in definitions if d and d.rate_limit]
        if not limits:
            return
        reason = self._rates.check_and_record_all(limits, agent.id, self._space.now())
        if reason is not None:
            self.attempt(agent, mark_type)
            raise GuardRefusal("rate_limit", reason)

    def attempt(self, agent: Agent, mark_type: MarkType) -> None:
        """Tell the envelope about a refused attempt."""
        if self._envelope is not None:
            self._envelope.record_attempt(agent.id, mark_type)

    def is_flag_due(self, scope: str, topic: str) -> bool:
        """Return whether a flag on a topic is worth a mark: once a window."""
        now, key = self._space.now(), (scope, topic)
        config = getattr(self._envelope, "config", None)
        window_s = getattr(config, "window_seconds", DEFAULT_WINDOW_S)
        with self._lock:
            if now < self._flagged_until.get(key, float("-inf")):
                return False
            if len(self._flagged_until) >= MAX_REMEMBERED_FLAGS:
                late = {k: t for k, t in self._flagged_until.items() if t > now}
                self._flagged_until = late
            self._flagged_until[key] = now + float(window_s)
            return True
