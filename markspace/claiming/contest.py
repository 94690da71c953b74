"""Contested resources: claiming, acting, releasing, and deciding for those who wait."""

from collections.abc import Callable, Mapping
from logging import getLogger
from typing import Any
from uuid import UUID

from markspace.claiming.claims import ClaimRequest, Claims
from markspace.claiming.deferral import ORDER, Boundary
from markspace.claiming.execution import Executions, RunningClaim
from markspace.core.agents import Agent
from markspace.core.enums import ConflictPolicy, MarkType
from markspace.core.ids import id_bytes
from markspace.core.marks import Action, AnyMark, Intent
from markspace.errors import (
    ContentPolicyError,
    GuardRefusal,
    LeaseError,
    QuotaExceededError,
    ScopeError,
    StoreError,
    ValidationError,
)
from markspace.guarding.decisions import Arguments, GuardDecision, GuardVerdict, Keywords, ToolFn
from markspace.guarding.stages import Stages
from markspace.keeping.audit import Decision
from markspace.keeping.claim_rows import CLAIM, claim_row
from markspace.keeping.drafts import check_mark
from markspace.keeping.foundation import Who
from markspace.keeping.identity import agent_of
from markspace.space import MarkSpace
from markspace.stores.base import LIVE
from markspace.telemetry import METRIC_CONFLICTS_RESOLVED, METRIC_MARKS_WRITTEN, Emitter

PRE_ACTION, POST_ACTION, EXECUTE = "pre_action", "post_action", "execute"
RELEASE, DEFERRED = "release", "resolve_deferred"
REFUSALS = (ScopeError, ValidationError, QuotaExceededError, LeaseError)
LOG = getLogger("markspace")

Judge = Callable[[Agent, Action], Action]


class Contest:
    """The guard's part that deals with contested resources.

    Args:
        space: The space.
        stages: Refuse what an agent may not do for now.
        judge: Returns an action as the content policies let it pass, or raises.
        emitter: Gets one event for each call.
    """

    def __init__(self, space: MarkSpace, stages: Stages, judge: Judge, emitter: Emitter) -> None:
        self._space = space
        self._stages = stages
        self._judge = judge
        self._emitter = emitter
        self.claims = Claims(space)
        self.executions = Executions(space, self.claims)

    def claim(self, who: Who, intent: Intent, result_action: str | None = None) -> GuardDecision:
        """Decide about a claim; with a result verb, for a tool that starts at once."""
        operation = PRE_ACTION if result_action is None else EXECUTE
        agent = agent_of(who)
        check_mark(intent)
        try:
            return self._decided(operation, self._prepared(who, intent, result_action))
        except GuardRefusal as refusal:
            return self._refused(operation, agent, intent, refusal, refusal.stage)
        except (*REFUSALS, StoreError) as error:
            self._refused(operation, agent, intent, error)
            raise

    def _prepared(self, who: Who, intent: Intent, result_action: str | None) -> ClaimRequest:
        """Check everything that can be checked before the space is looked at."""
        author = self._space.enrolment.author(who)
        agent = author.agent
        for right in (MarkType.INTENT, MarkType.ACTION):
            if not agent.can_write(intent.scope, right):
                reason = f"agent {agent.name!r} has no {right} right in {intent.scope!r}"
                raise GuardRefusal("rights", reason)
        self._stages.check(agent, intent.scope, MarkType.INTENT, MarkType.ACTION)
        draft = self._space.draft(who, intent)
        if result_action is not None:
            self._space.draft(who, action_of(intent, result_action))
        self._stages.rate(agent, intent.scope, MarkType.INTENT)
        scope = self._space.get_scope(intent.scope)
        return ClaimRequest(who, author, scope, draft, running=result_action is not None)

    def _decided(self, operation: str, request: ClaimRequest) -> GuardDecision:
        agent, noted = request.author.agent, list[Decision]()
        with self._space.writing(noted) as commit:
            decision = self.claims.decide(commit, request)
            noted.append(entry(operation, agent, request.intent, decision))
        is_beaten = decision.intent_id is not None or decision.conflicting_intents
        if decision.verdict is GuardVerdict.CONFLICT and not is_beaten:  # by a fact
            self._stages.attempt(agent, MarkType.INTENT)
        if decision.conflicting_intents and decision.intent_id is not None:
            policy = request.scope.conflict_policy
            outcome = "yield_all" if policy is ConflictPolicy.YIELD_ALL else "resolved"
            labels = {"scope": request.scope.name, "policy": policy.value, "outcome": outcome}
            self._emitter.counter(METRIC_CONFLICTS_RESOLVED, 1, **labels)
        self._report(operation, agent, request.intent, decision)
        return decision

    def _refused(
        self, operation: str, agent: Agent, mark: Intent | Action, error: Exception, stage: str = ""
    ) -> GuardDecision:
        """Report a refusal and log it, unless the store is what failed."""
        denied = GuardDecision(GuardVerdict.DENIED, str(error))
        self._report(operation, agent, mark, denied, stage)
        if not isinstance(error, StoreError):
            self._space.refuse(entry(operation, agent, mark, denied))
        return denied

    def _report(
        self,
        operation: str,
        agent: Agent,
        mark: Intent | Action,
        decision: GuardDecision,
        stage: str = "",
    ) -> None:
        if not self._emitter.is_heard:
            return
        self._emitter.event(
            agent_id=str(agent.id),
            operation=operation,
            scope=mark.scope,
            mark_type=mark.mark_type.value,
            verdict=decision.verdict.value,
            conflict_check=operation in (PRE_ACTION, EXECUTE),
            conflict_found=bool(decision.conflicting_intents),
            envelope_status="restricted" if stage == "envelope" else "",
            barrier_restricted=stage == "barrier",
            reason=decision.reason,
            trace_id=self._emitter.trace_id(),
        )

    # -- acting -----------------------------------------------------------------------------

    def execute(
        self,
        who: Who,
        intent: Intent,
        result_action: str,
        tool_fn: ToolFn,
        arguments: Arguments,
        keywords: Keywords,
    ) -> tuple[GuardDecision, Any]:
        """Run a tool if the claim is allowed, and write what came of it."""
        decision = self.claim(who, intent, result_action)
        if decision.verdict is not GuardVerdict.ALLOW or decision.intent_id is None:
            return decision, None
        claim = RunningClaim(who, decision.intent_id, self.claims.wall())
        action = action_of(intent, result_action)
        self.executions.watch(claim)
        try:
            result = tool_fn(*arguments, **keywords)
            self._finish(claim, action.model_copy(update={"result": result}))
        except BaseException as error:
            # whatever ended the tool, an interrupt included: no zombie claim may stay
            self._fail(claim, action, error)
            raise
        finally:
            self.executions.forget(claim)
        self._count_action(intent.scope)
        return decision, result

    def _finish(self, claim: RunningClaim, action: Action) -> None:
        """End a claim; the tool has acted, so of what no policy lets pass the reason is written."""
        try:
            judged = self._judge(agent_of(claim.who), action)
        except ContentPolicyError as error:
            judged = action.model_copy(update={"result": {"withheld": str(error)}})
        self.executions.finish(claim, judged)

    def _fail(self, claim: RunningClaim, action: Action, error: BaseException) -> None:
        """Write that a tool failed; the error itself is more important than doing so."""
        said = str(error).encode(errors="replace").decode()
        result = {"error": said, "status": "failed"}
        failed = action.model_copy(update={"failed": True, "result": result})
        try:
            self._finish(claim, failed)
        except (*REFUSALS, StoreError) as refusal:
            LOG.warning("a failed action could not be written: %s", refusal)

    def _count_action(self, scope: str) -> None:
        labels = {"scope": scope, "mark_type": "action", "verdict": "accepted"}
        self._emitter.counter(METRIC_MARKS_WRITTEN, 1, **labels)

    def post_action(self, who: Who, action: Action, intent_id: UUID | None) -> UUID:
        """End a declared claim by an action; one that a policy rejects leaves the claim."""
        agent = agent_of(who)
        check_mark(action)
        try:
            self._space.enrolment.author(who)
            self._stages.check(agent, action.scope, MarkType.ACTION)
            name = self.executions.post(who, agent, self._judge(agent, action), intent_id)
        except REFUSALS as error:
            self._refused(POST_ACTION, agent, action, error)
            raise
        self._report(POST_ACTION, agent, action, GuardDecision(GuardVerdict.ALLOW, ""))
        self._count_action(action.scope)
        return name

    # -- waiting and giving up --------------------------------------------------------------

    def release(self, intent_id: UUID, owner: Agent | None) -> bool:
        """Withdraw a claim; with an owner only its own. False if it is not live or runs."""
        claim = Intent(id=intent_id)
        with self._space.writing() as commit:
            stored = commit.tx.get(id_bytes(intent_id, "intent"))
            mark = None if stored is None else self._space.decoder.decode(stored.body)
            released = False
            if stored is not None and isinstance(mark, Intent) and stored.state == LIVE:
                claim = mark
                row = claim_row(commit.tx, claim.id)
                is_foreign = owner is not None and owner.id != claim.agent_id
                released = not is_foreign and not self.claims.is_running(row)
                if released:
                    self.claims.withdraw(commit, stored.sequence, claim.id)
        agent = owner or Agent(name="", id=claim.agent_id)
        verdict = GuardVerdict.ALLOW if released else GuardVerdict.DENIED
        reason = "" if released else "no live claim of that agent that could be withdrawn"
        self._report(RELEASE, agent, claim, GuardDecision(verdict, reason, intent_id))
        return released

    def resolve_deferred(
        self, scope: str, resource: str, agents: Mapping[UUID, Agent] | None
    ) -> dict[UUID, GuardDecision]:
        """Decide for all that wait on a resource."""
        boundary = Boundary(self._space, self.claims, self._stages)
        decisions = boundary.decide(scope, resource, agents)
        verdicts = {str(agent_id): d.verdict.value for agent_id, d in decisions.items()}
        self._emitter.event(
            operation=DEFERRED,
            scope=scope,
            mark_type=MarkType.INTENT.value,
            verdict=next((v.value for v in ORDER if v.value in verdicts.values()), ""),
            conflict_check=True,
            conflict_found=len(decisions) > 1,
            extra={"resource": resource, "decisions": verdicts},
            trace_id=self._emitter.trace_id(),
        )
        return decisions

    def reclaim(self) -> int:
        """Forget claims of holders that died or whose time is over; return how many."""
        with self._space.writing() as commit:
            view = self._space.view(commit.tx)
            dead = 0
            for row in commit.tx.leases(CLAIM):
                stored = commit.tx.get(UUID(row.name.removeprefix(CLAIM)).bytes)
                mark: AnyMark | None = None
                if stored is not None and stored.state == LIVE:
                    mark = self._space.decoder.decode(stored.body)
                if self.claims.is_running(row) or (mark and view.strength(mark) > 0):
                    continue
                commit.tx.drop_lease(row.name)
                dead += 1
            return dead


def action_of(intent: Intent, verb: str) -> Action:
    """Return the action that would end a claim."""
    return Action(scope=intent.scope, resource=intent.resource, action=verb)


def entry(operation: str, agent: Agent, mark: Intent | Action, decision: GuardDecision) -> Decision:
    """Return the audit log's line about a decision."""
    reason = "" if decision.verdict is GuardVerdict.ALLOW else decision.reason
    name, kind = str(agent.id), mark.mark_type.value
    return Decision(operation, decision.verdict.value, agent.name, name, mark.scope, kind, reason)
