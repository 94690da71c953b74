"""The guard's write path: every mark of an agent passes these stages before it is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from uuid import NAMESPACE_URL, UUID, uuid5

import msgspec

from markspace.core.agents import Agent
from markspace.core.enums import MarkType, Severity
from markspace.core.ids import id_text
from markspace.core.marks import Action, AnyMark, Warning
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
from markspace.keeping.drafts import Draft, check_mark
from markspace.keeping.foundation import Who
from markspace.keeping.identity import AgentHandle, agent_of
from markspace.keeping.leases import Lease
from markspace.keeping.needs import resolved
from markspace.space import MarkSpace
from markspace.telemetry import METRIC_MARKS_WRITTEN, Emitter

SYSTEM_SCOPE = Scope(name="_system", decay=DecayConfig(hours(24), hours(12), hours(1)))
SYSTEM_AGENT = Agent(
    name="_guard",
    id=uuid5(NAMESPACE_URL, "markspace:_guard"),
    scopes={SYSTEM_SCOPE.name: [MarkType.WARNING, MarkType.NEED]},
)
POLICY_FLAG_TOPIC, ENVELOPE_FLAG_TOPIC = "content-policy-flag", "envelope-flag"
OPERATION, CONTESTED = "write_mark", frozenset({MarkType.INTENT, MarkType.ACTION})
ACCEPTED, DENIED, REJECTED, CONTENT_REJECTED = "accepted", "denied", "rejected", "content_rejected"
REFUSALS = (ScopeError, ValidationError, QuotaExceededError, LeaseError, ValueError)

Write = tuple[Who, AnyMark]


class Call(msgspec.Struct, frozen=True):
    """A wish to write a mark.

    Attributes:
        agent: The writer, not yet believed.
        mark: The mark, as it was given.
        trace_id: Shared by all events of this call.
    """

    agent: Agent
    mark: AnyMark
    trace_id: str


class Admitted(Call, frozen=True):
    """A call whose mark may be stored.

    Attributes:
        draft: What may be stored, perhaps rewritten.
        status: What the envelope says of the writer.
        flags: Warnings that the mark earned.
    """

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
        agent, space, reasons = agent_of(who), self._space, ()
        trace_id = self._emitter.trace_id()
        try:
            if mark.mark_type in CONTESTED:
                kind = mark.mark_type
                raise ValueError(f"Cannot write {kind} with write_mark; claim the resource")
            author = space.enrolment.author(who)
            status = self._stages.check(agent, mark.scope, mark.mark_type)
            item = space.draft_as(author, mark)
            if space.has_rate_limits:
                self._stages.rate(agent, mark.scope, mark.mark_type)
            if self._policies.are_there:
                scope = space.get_scope(mark.scope)
                judged, reasons = self._policies.judge(agent, mark, scope, trace_id)
                if judged is not mark:
                    check_mark(judged)
                    item = space.draft_as(author, judged)
        except (ContentPolicyError, GuardRefusal) as error:
            self._refuse(Call(agent, mark, trace_id), REJECTED, error)
            raise
        except REFUSALS as error:
            self._refuse(Call(agent, mark, trace_id), DENIED, error)
            raise
        is_odd = reasons or status == FLAGGED
        flags = self._flags(agent, mark, status, reasons) if is_odd else ()
        return Admitted(agent, mark, trace_id, item, status, flags)

    def _flags(
        self, agent: Agent, mark: AnyMark, status: str, reasons: Sequence[str]
    ) -> tuple[Warning, ...]:
        """Return the warnings that a mark earned; about crowding once a window."""
        flags: list[Warning] = []
        where = f"{agent.name} in {mark.scope}"
        if reasons:
            flags.append(flag(POLICY_FLAG_TOPIC, f"{where}: {'; '.join(reasons)}"))
        topic = getattr(mark, "topic", "")
        if status == FLAGGED and self._stages.is_flag_due(mark.scope, topic):
            flags.append(flag(ENVELOPE_FLAG_TOPIC, f"{where}: many writers on {topic!r}"))
        return tuple(flags)

    def judge_action(self, agent: Agent, action: Action) -> Action:
        """Return an action as the content policies let it pass, and store what they flag.

        Raises:
            ContentPolicyError: A policy rejected it or failed.
        """
        if not self._policies.are_there:
            return action
        scope = self._space.get_scope(action.scope)
        judged, reasons = self._policies.judge(agent, action, scope)
        for warning in self._flags(agent, action, "", reasons) if reasons else ():
            self._space.write(self._system, warning)
        return cast("Action", judged)

    def store(
        self, admitted: Sequence[Admitted], infrastructure: Sequence[Write], fence: Lease | None
    ) -> list[UUID]:
        """Store what was admitted, the infrastructure's marks, and the flags."""
        drafts: list[Draft] = []
        decisions: list[Decision] = []
        flags: list[Warning] = []
        for item in admitted:
            drafts.append(item.draft)
            decisions.append(decision(item, item.draft.author.id_text, ACCEPTED))
            if item.flags:
                flags += item.flags
        for who, mark in infrastructure:
            drafts.append(self._system_draft(who, mark))
        wanted = len(drafts)
        for mark in flags:
            drafts.append(self._space.draft(self._system, mark))
        try:
            ids = self._space.commit_drafts(drafts, fence, decisions)
        except (*REFUSALS, StoreError) as error:
            for item in admitted:
                self._refuse(item, DENIED, error)
            raise
        if self._emitter.is_heard:
            for item in admitted:
                self._report(item, ACCEPTED, status=item.status)
        return ids[:wanted]

    def answer(self, who: Who, need_id: UUID, action: Action) -> UUID:
        """Store an action of the infrastructure together with the need that it resolves."""
        item = self._system_draft(who, action)
        with self._space.writing() as commit:
            action_id = commit.add(item)
            resolved(commit, item.author, need_id, action_id)
        return action_id

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
        scope, kind = call.mark.scope, FORMS[call.mark.mark_type].kind
        labels = {"scope": scope, "mark_type": kind, "verdict": counted}
        self._emitter.counter(METRIC_MARKS_WRITTEN, 1, **labels)
        self._emitter.event(
            agent_id=id_text(call.agent.id),
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
