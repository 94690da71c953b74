"""The guard: what stands between agents and the space."""

from collections.abc import Iterable, Sequence
from functools import partial
from uuid import UUID, uuid4

from markspace.admission import Admission
from markspace.core.marks import AnyMark
from markspace.errors import ContentPolicyError
from markspace.foundation import Who
from markspace.gate import Doors, GuardedAgent, open_gate
from markspace.identity import AgentHandle
from markspace.leases import Lease
from markspace.policies import ContentPolicy, PolicyResult, PolicyVerdict
from markspace.space import MarkSpace
from markspace.telemetry import TelemetrySink

__all__ = ["ContentPolicy", "ContentPolicyError", "Guard", "PolicyResult", "PolicyVerdict"]


class Guard:
    """Decides what each agent may do. Infrastructure holds it; an agent gets `for_agent`.

    Args:
        space: The space that it guards.
        principal_token: What proves to be the principal; a random one if not given.
        telemetry: Where its decisions are reported.
        content_policies: Look at marks before they are stored, in this order.

    Attributes:
        space: The space, for infrastructure.
    """

    def __init__(
        self,
        space: MarkSpace,
        *,
        principal_token: UUID | None = None,
        telemetry: TelemetrySink | None = None,
        content_policies: Sequence[ContentPolicy] | None = None,
    ) -> None:
        self.space = space
        self._principal_token = principal_token or uuid4()
        self._admission = Admission(space, telemetry, content_policies or ())

    def write_mark(self, agent: Who, mark: AnyMark) -> UUID:
        """Let an agent write an observation, warning or need; return the mark's id.

        Raises:
            ValueError: It is an intent or an action.
            ContentPolicyError: A content policy refused it.
            ScopeError, ValidationError, QuotaExceededError, StoreError: As for the space.
        """
        return self._admission.store([self._admission.admit(agent, mark)], (), None)[0]

    def write_all(
        self,
        writes: Iterable[tuple[Who, AnyMark]],
        *,
        infrastructure: Iterable[tuple[Who, AnyMark]] = (),
        fence: Lease | None = None,
    ) -> list[UUID]:
        """Let agents write marks together with the infrastructure, all in one commit or none.

        Args:
            writes: What agents write; each passes the whole pipeline. Only observations,
                warnings and needs.
            infrastructure: What enrolled system agents write; any type, no pipeline.
            fence: A lease that must still be current.

        Returns:
            The ids of the agents' marks, then those of the infrastructure's.

        Raises:
            As for `write_mark`, and StaleFence. The first refusal ends it; nothing is stored.
        """
        admitted = [self._admission.admit(agent, mark) for agent, mark in writes]
        return self._admission.store(admitted, list(infrastructure), fence)

    def for_agent(self, handle: AgentHandle) -> GuardedAgent:
        """Return what an agent may hold: no way leads from it to the space or the store.

        Raises:
            ScopeError: The handle is not one that this space gave out.
        """
        agent = self.space.enrolment.author(handle).agent
        read = partial(self.space.read, reader=handle)
        return open_gate(Doors(agent, partial(self.write_mark, handle), read))
