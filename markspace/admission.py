"""The guard's write path: every mark of an agent passes these stages before it is stored."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from markspace.audit import Decision
from markspace.core.agents import Agent
from markspace.core.enums import MarkType, Severity
from markspace.core.marks import AnyMark, Warning
from markspace.core.scopes import DecayConfig, Scope, hours
from markspace.errors import (
    ContentPolicyError,
    LeaseError,
    QuotaExceededError,
    ScopeError,
    StoreError,
    ValidationError,
)
from markspace.foundation import Who
from markspace.identity import AgentHandle
from markspace.leases import Lease
from markspace.policies import ContentPolicy, Policies
from markspace.space import MarkSpace
from markspace.telemetry import METRIC_MARKS_WRITTEN, Emitter, TelemetrySink

SYSTEM_SCOPE = Scope(name="_system", decay=DecayConfig(hours(24), hours(12), hours(1)))
SYSTEM_AGENT = Agent(
    name="_guard",
    id=uuid5(NAMESPACE_URL, "markspace:_guard"),
    scopes={SYSTEM_SCOPE.name: [MarkType.WARNING, MarkType.NEED]},
)
POLICY_FLAG_TOPIC = "content-policy-flag"
OPERATION = "write_mark"
ACCEPTED, DENIED, REJECTED, CONTENT_REJECTED = "accepted", "denied", "rejected", "content_rejected"
REFUSALS = (ScopeError, ValidationError, QuotaExceededError, LeaseError, ValueError)

Write = tuple[Who, AnyMark]


class Admitted(NamedTuple):
    """A mark that may be stored.

    Attributes:
        who: The writer, as it was given.
        agent: The writer.
        mark: The mark, perhaps rewritten.
        flags: Why policies flagged it.
        trace_id: Shared by all events of this call.
    """

    who: Who
    agent: Agent
    mark: AnyMark
    flags: tuple[str, ...]
    trace_id: str


class Admission:
    """Takes marks through the stages and stores what passed.

    Args:
        space: Where marks are stored.
        telemetry: Where decisions are reported.
        content_policies: In order.
    """

    def __init__(
        self,
        space: MarkSpace,
        telemetry: TelemetrySink | None,
        content_policies: Sequence[ContentPolicy],
    ) -> None:
        self._space = space
        self.emitter = Emitter(telemetry)
        self._policies = Policies(content_policies, self.emitter)
        self.system: AgentHandle = space.enrolment.admit(SYSTEM_AGENT)
        if all(scope.name != SYSTEM_SCOPE.name for scope in space.scopes()):
            space.register_scope(SYSTEM_SCOPE)

    def admit(self, who: Who, mark: AnyMark) -> Admitted:
        """Take one mark through all stages, or report its refusal and raise it."""
        agent = who.agent if isinstance(who, AgentHandle) else who
        call = Admitted(who, agent, mark, (), uuid4().hex)
        try:
            return self._pass_stages(call)
        except ContentPolicyError as error:
            self._refuse(call, REJECTED, error, counted=CONTENT_REJECTED)
            raise
        except REFUSALS as error:
            self._refuse(call, DENIED, error)
            raise

    def _pass_stages(self, call: Admitted) -> Admitted:
        check_kind(call.mark)
        self._space.draft(call.who, call.mark)
        scope = self._space.get_scope(call.mark.scope)
        judged = self._policies.judge(call.agent, call.mark, scope, call.trace_id)
        return call._replace(mark=judged.mark, flags=judged.flags)

    def store(
        self, calls: Sequence[Admitted], infrastructure: Sequence[Write], fence: Lease | None
    ) -> list[UUID]:
        """Store what was admitted, the flags it earned, and the infrastructure's marks."""
        flags = [(self.system, flag(call)) for call in calls if call.flags]
        writes: list[Write] = [(call.who, call.mark) for call in calls]
        self._check_infrastructure(infrastructure)
        decisions = [decision(call, ACCEPTED) for call in calls]
        try:
            ids = self._space.commit(
                [*writes, *infrastructure, *flags], fence=fence, decisions=decisions
            )
        except (*REFUSALS, StoreError) as error:
            for call in calls:
                self._refuse(call, DENIED, error)
            raise
        for call in calls:
            self._report(call, ACCEPTED)
        return ids[: len(writes) + len(infrastructure)]

    def _check_infrastructure(self, writes: Sequence[Write]) -> None:
        """Refuse a batch in which an agent poses as infrastructure."""
        for who, _ in writes:
            author = self._space.enrolment.author(who)
            if not author.system:
                raise ScopeError(
                    f"{author.agent.name!r} is no system agent; enroll it with system=True, "
                    "or pass its marks through the guard"
                )

    def _refuse(
        self, call: Admitted, verdict: str, error: Exception, counted: str | None = None
    ) -> None:
        self._report(call, verdict, str(error), counted)
        if not isinstance(error, StoreError):
            self._space.refuse(decision(call, verdict, str(error)))

    def _report(
        self, call: Admitted, verdict: str, reason: str = "", counted: str | None = None
    ) -> None:
        scope, kind = call.mark.scope, call.mark.mark_type.value
        labels = {"scope": scope, "mark_type": kind, "verdict": counted or verdict}
        self.emitter.counter(METRIC_MARKS_WRITTEN, 1, **labels)
        self.emitter.event(
            agent_id=str(call.agent.id),
            operation=OPERATION,
            scope=scope,
            mark_type=kind,
            verdict=verdict,
            reason=reason,
            trace_id=call.trace_id,
        )


def check_kind(mark: AnyMark) -> None:
    """Refuse marks that only a claim on a resource may bring about."""
    if mark.mark_type in (MarkType.INTENT, MarkType.ACTION):
        raise ValueError(f"Cannot write {mark.mark_type} with write_mark; claim the resource")


def decision(call: Admitted, verdict: str, reason: str = "") -> Decision:
    """Return the audit log's line about a call."""
    agent, mark = call.agent, call.mark
    kind = mark.mark_type.value
    return Decision(OPERATION, verdict, agent.name, str(agent.id), mark.scope, kind, reason)


def flag(call: Admitted) -> Warning:
    """Return the warning that says why a mark was flagged."""
    reason = f"{call.agent.name} in {call.mark.scope}: {'; '.join(call.flags)}"
    return Warning(
        scope=SYSTEM_SCOPE.name,
        topic=POLICY_FLAG_TOPIC,
        reason=reason,
        severity=Severity.CAUTION,
    )
