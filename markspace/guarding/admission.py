"""The guard's write path: every mark of an agent passes these stages before it is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5

import msgspec

from markspace.core.agents import Agent
from markspace.core.enums import MarkType, Severity
from markspace.core.ids import id_text
from markspace.core.marks import AnyMark, Warning
from markspace.core.scopes import DecayConfig, Scope, hours
from markspace.errors import (
    ContentPolicyError,
    GuardRefusal,
    LeaseError,
    QuotaExceededError,
    ScopeError,
    StoreError,
    ValidationError,
)
from markspace.guarding.policies import Policies
from markspace.guarding.stages import FLAGGED, RESTRICTED, Stages
from markspace.keeping.audit import Decision
from markspace.keeping.codec import FORMS
from markspace.keeping.foundation import Who
from markspace.keeping.identity import AgentHandle, agent_of
from markspace.keeping.leases import Lease
from markspace.keeping.writing import Draft, check_mark
from markspace.space import MarkSpace
from markspace.telemetry import METRIC_MARKS_WRITTEN, Emitter

SYSTEM_SCOPE = Scope(name="_system", decay=DecayConfig(hours(24), hours(12), hours(1)))
SYSTEM_AGENT = Agent(
    name="_guard",
    id=uuid5(NAMESPACE_URL, "markspace:_guard"),
    scopes={SYSTEM_SCOPE.name: [MarkType.WARNING, MarkType.NEED]},
)
POLICY_FLAG_TOPIC, ENVELOPE_FLAG_TOPIC = "content-policy-flag", "envelope-flag"
OPERATION = "write_mark"
ACCEPTED, DENIED, REJECTED, CONTENT_REJECTED = "accepted", "denied", "rejected", "content_rejected"
REFUSALS = (ScopeError, ValidationError, QuotaExceededError, LeaseError, ValueError)

Write = tuple[Who, AnyMark]


class Call(msgspec.Struct, frozen=True):
    """A wish to write a mark.

    Attributes:
        who: The writer, as it was given.
        agent: The writer, not yet believed.
        mark: The mark, as it was given.
        trace_id: Shared by all events of this call.
    """

    who: Who
    agent: Agent
    mark: AnyMark
    trace_id: str


class Admitted(msgspec.Struct, frozen=True):
    """A mark that may be stored.

    Attributes:
        call: What was asked for.
        draft: What may be stored, perhaps rewritten.
        status: What the envelope says of the writer.
        flags: Warnings that the mark earned.
    """

    call: Call
    draft: Draft
    status: str
    flags: tuple[Warning, ...]


@dataclass
class Admission:
    """Takes marks through the stages and stores what passed.

    Args:
        space: Where marks are stored.
        system: Writes flags.
        stages: Refuse what an agent may not do for now.
        policies: Look at what it writes.
        emitter: Gets one event for each call.
    """

    _space: MarkSpace
    _system: AgentHandle
    _stages: Stages
    _policies: Policies
    _emitter: Emitter

    def admit(self, who: Who, mark: AnyMark) -> Admitted:
        """Take one mark through all stages, or report its refusal and raise it."""
        check_mark(mark)
        call = Call(who, agent_of(who), mark, self._emitter.trace_id())
        try:
            return self._pass_stages(call)
        except (ContentPolicyError, GuardRefusal) as error:
            self._refuse(call, REJECTED, error)
            raise
        except REFUSALS as error:
            self._refuse(call, DENIED, error)
            raise

    def _pass_stages(self, call: Call) -> Admitted:
        agent, mark = call.agent, call.mark
        if mark.mark_type in (MarkType.INTENT, MarkType.ACTION):
            raise ValueError(f"Cannot write {mark.mark_type} with write_mark; claim the resource")
        author = self._space.enrolment.author(call.who)
        status = self._stages.check(agent, mark.scope, mark.mark_type)
        draft = self._space.draft_as(author, mark)
        self._stages.rate(agent, mark.scope, mark.mark_type)
        if not self._policies:
            flags = self._flags(call, status, ()) if status == FLAGGED else ()
            return Admitted(call, draft, status, flags)
        scope = self._space.get_scope(mark.scope)
        judged = self._policies.judge(agent, mark, scope, call.trace_id)
        if judged.mark is not mark:
            draft = self._space.draft_as(author, judged.mark)
        return Admitted(call, draft, status, self._flags(call, status, judged.flags))

    def _flags(self, call: Call, status: str, reasons: Sequence[str]) -> tuple[Warning, ...]:
        """Return the warnings that a mark earned; about crowding once a window."""
        if not reasons and status != FLAGGED:
            return ()
        flags: list[Warning] = []
        where = f"{call.agent.name} in {call.mark.scope}"
        if reasons:
            flags.append(flag(POLICY_FLAG_TOPIC, f"{where}: {'; '.join(reasons)}"))
        topic = getattr(call.mark, "topic", "")
        if status == FLAGGED and self._stages.is_flag_due(call.mark.scope, topic):
            flags.append(flag(ENVELOPE_FLAG_TOPIC, f"{where}: many writers on {topic!r}"))
        return tuple(flags)

    def store(
        self, admitted: Sequence[Admitted], infrastructure: Sequence[Write], fence: Lease | None
    ) -> list[UUID]:
        """Store what was admitted, the infrastructure's marks, and the flags."""
        drafts = [item.draft for item in admitted]
        drafts += [self._system_draft(who, mark) for who, mark in infrastructure]
        wanted = len(drafts)
        drafts += [self._space.draft(self._system, f) for item in admitted for f in item.flags]
        decisions = [decision(item.call, item.draft.author.id_text, ACCEPTED) for item in admitted]
        try:
            ids = self._space.commit_drafts(drafts, fence, decisions)
        except (*REFUSALS, StoreError) as error:
            for item in admitted:
                self._refuse(item.call, DENIED, error)
            raise
        for item in admitted if self._emitter.is_heard else ():
            self._report(item.call, ACCEPTED, status=item.status)
        return ids[:wanted]

    def _system_draft(self, who: Who, mark: AnyMark) -> Draft:
        """Check a mark of the infrastructure; ScopeError if an agent poses as that."""
        author = self._space.enrolment.author(who)
        if author.system:
            return self._space.draft(who, mark)
        raise ScopeError(
            f"{author.agent.name!r} is not a system agent; enroll it with system=True, "
            "or pass its marks through the guard"
        )

    def _refuse(self, call: Call, verdict: str, error: Exception) -> None:
        stage = error.stage if isinstance(error, GuardRefusal) else ""
        counted = CONTENT_REJECTED if isinstance(error, ContentPolicyError) else verdict
        self._report(call, verdict, str(error), stage=stage, counted=counted)
        if not isinstance(error, StoreError):
            self._space.refuse(decision(call, id_text(call.agent.id), verdict, str(error)))

    def _report(
        self,
        call: Call,
        verdict: str,
        reason: str = "",
        *,
        stage: str = "",
        status: str = "",
        counted: str = ACCEPTED,
    ) -> None:
        if not self._emitter.is_heard:
            return
        scope, kind = call.mark.scope, call.mark.mark_type.value
        labels = {"scope": scope, "mark_type": kind, "verdict": counted}
        self._emitter.counter(METRIC_MARKS_WRITTEN, 1, **labels)
        self._emitter.event(
            agent_id=str(call.agent.id),
            operation=OPERATION,
            scope=scope,
            mark_type=kind,
            verdict=verdict,
            envelope_status=RESTRICTED if stage == "envelope" else status,
            barrier_restricted=stage == "barrier",
            reason=reason,
            trace_id=call.trace_id,
        )


def decision(call: Call, agent_id: str, verdict: str, reason: str = "") -> Decision:
    """Return the audit log's line about a call."""
    name, scope, kind = call.agent.name, call.mark.scope, FORMS[call.mark.mark_type].kind
    return Decision(OPERATION, verdict, name, agent_id, scope, kind, reason)


def flag(topic: str, reason: str) -> Warning:
    """Return a warning that tells the principal of something odd."""
    scope = SYSTEM_SCOPE.name
    return Warning(scope=scope, topic=topic, reason=reason, severity=Severity.CAUTION)
