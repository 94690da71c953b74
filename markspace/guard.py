"""The guard: what stands between agents and the space."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from markspace.barrier import AgentBarrier, BarrierSnapshot
from markspace.budget import BudgetStatus, TokenBudget
from markspace.claiming.contest import Contest
from markspace.core.agents import Agent
from markspace.core.marks import Action, AnyMark, Intent
from markspace.errors import ContentPolicyError
from markspace.guarding.admission import SYSTEM_AGENT, SYSTEM_SCOPE, Admission
from markspace.guarding.agent_proxy import AgentCalls, AgentProxy
from markspace.guarding.allowance import Allowances
from markspace.guarding.decisions import GuardDecision, GuardVerdict, ToolFn
from markspace.guarding.policies import ContentPolicy, Policies, PolicyResult, PolicyVerdict
from markspace.guarding.restriction import Restrictions
from markspace.guarding.stages import DEFAULT_ESCALATION, Envelope, Stages
from markspace.keeping.claim_rows import choice_name, put_choice
from markspace.keeping.foundation import Who, pairs
from markspace.keeping.identity import AgentHandle, agent_of
from markspace.keeping.leases import Lease
from markspace.space import MarkSpace
from markspace.telemetry import Emitter, TelemetrySink

__all__ = [
    "ContentPolicy",
    "ContentPolicyError",
    "Guard",
    "GuardDecision",
    "GuardVerdict",
    "PolicyResult",
    "PolicyVerdict",
    "ToolFn",
]


class Guard:
    """Decides what each agent may do. Infrastructure holds it; an agent gets `for_agent`.

    Args:
        space: The space that it guards.
        envelope: Watches how much agents write; None watches nobody.
        principal_token: What proves to be the principal; a random one if not given.
        telemetry: Where its decisions are reported.
        content_policies: Look at marks before they are stored, in this order.

    Attributes:
        space: The space, for infrastructure.
        envelope: The envelope.
    """

    def __init__(
        self,
        space: MarkSpace,
        envelope: Envelope | None = None,
        principal_token: UUID | None = None,
        telemetry: TelemetrySink | None = None,
        content_policies: Sequence[ContentPolicy] | None = None,
    ) -> None:
        self.space = space
        self.envelope = envelope
        self._principal_token = principal_token or uuid4()
        system, emitter = space.enrolment.admit(SYSTEM_AGENT), Emitter(telemetry)
        if all(scope.name != SYSTEM_SCOPE.name for scope in space.scopes()):
            space.register_scope(SYSTEM_SCOPE)
        threshold = int(getattr(envelope, "global_escalation_threshold", DEFAULT_ESCALATION))
        where = SYSTEM_SCOPE.name
        self._barriers = Restrictions(space, system, where, self._principal_token, threshold)
        self._allowances = Allowances(space, system, where, emitter)
        stages = Stages(space, envelope, self._barriers, self._allowances)
        policies = Policies(content_policies or (), emitter)
        self._admission = Admission(space, system, stages, policies, emitter)
        self._contest = Contest(space, stages, self._admission.judge_action, emitter)
        if envelope is not None:
            envelope.add_exempt_agent(SYSTEM_AGENT.id)
            space.add_write_hook(envelope.record)

    # -- writing ----------------------------------------------------------------------------

    def write_mark(self, agent: Who, mark: AnyMark) -> UUID:
        """Let an agent write an observation, warning or need; return the mark's id.

        Raises:
            ValueError: It is an intent or an action.
            ContentPolicyError: A content policy refused it.
            GuardRefusal: A barrier, budget, the envelope or a rate limit refused it.
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
        admitted = [self._admission.admit(agent, mark) for agent, mark in pairs(writes)]
        return self._admission.store(admitted, pairs(infrastructure), fence)

    def answer(self, agent: Who, need_id: UUID, action: Action) -> UUID:
        """Let the infrastructure resolve a need by an action, both in one commit.

        Returns:
            The id of the action.

        Raises:
            ScopeError: It is no enrolled system agent, or has no right.
            ValidationError: There is no such need, or it was resolved before.
        """
        return self._admission.answer(agent, need_id, action)

    def for_agent(self, handle: AgentHandle) -> AgentProxy:
        """Return what an agent may hold: no way leads from it to the space or the store.

        Raises:
            ScopeError: The handle is not one that this space gave out.
        """
        space = self.space
        calls = AgentCalls(
            agent=space.enrolment.author(handle).agent,
            write_mark=partial(self.write_mark, handle),
            read=partial(space.read, reader=handle),
            get_mark=partial(space.get_mark, reader=handle),
            resolve=partial(space.resolve, agent=handle),
            subscribe=partial(space.subscribe, handle),
            get_watched_marks=partial(space.get_watched_marks, handle),
            lost_marks=partial(space.lost_marks, handle),
            pre_action=partial(self.pre_action, handle),
            post_action=partial(self.post_action, handle),
            execute=partial(self.execute, handle),
            release=partial(self.release, agent=handle),
        )
        return AgentProxy(calls)

    # -- contested resources ----------------------------------------------------------------

    def pre_action(
        self, agent: Who, scope: str, resource: str, action: str, confidence: float = 0.5
    ) -> GuardDecision:
        """Declare a claim on a resource and learn whether the agent may act.

        A stronger claim may still go first until the agent acts. A repeated claim takes the
        place of the agent's earlier one.

        Raises:
            ValidationError: The verb is not allowed, or the scope is not registered.
            QuotaExceededError: The agent has as many live marks as it may.
        """
        intent = Intent(scope=scope, resource=resource, action=action, confidence=confidence)
        return self._contest.claim(agent, intent)

    def post_action(
        self,
        agent: Who,
        scope: str,
        resource: str,
        action: str,
        result: Any,
        intent_id: UUID | None = None,
    ) -> UUID:
        """Write what an agent did under a claim that was allowed; return the action's id.

        Args:
            agent: Who acted.
            scope: Where.
            resource: On what.
            action: The verb.
            result: What came of it.
            intent_id: The claim; None is the agent's only one there.

        Raises:
            ClaimError: The agent has no live ALLOW on that resource.
        """
        mark = Action(scope=scope, resource=resource, action=action, result=result)
        return self._contest.post_action(agent, mark, intent_id)

    def execute(
        self,
        agent: Who,
        scope: str,
        resource: str,
        intent_action: str,
        result_action: str,
        tool_fn: ToolFn,
        confidence: float = 0.5,
        tool_args: Sequence[Any] = (),
        tool_kwargs: Mapping[str, Any] | None = None,
    ) -> tuple[GuardDecision, Any]:
        """Run a tool if the claim is allowed; return the decision and the tool's result.

        While the tool runs, nobody else gets the resource, as long as the holder lives. What
        the tool raises is written as a failed action and raised again.

        Raises:
            ValidationError: A verb is not allowed; found before the tool runs.
            StaleFence: The holder stalled for longer than the lease and was taken over.
        """
        intent = Intent(scope=scope, resource=resource, action=intent_action, confidence=confidence)
        return self._contest.execute(
            agent, intent, result_action, tool_fn, tool_args, tool_kwargs or {}
        )

    def release(self, intent: Intent | UUID, agent: Who | None = None) -> bool:
        """Withdraw a claim that does not run; False if there is none.

        Args:
            intent: The claim.
            agent: Whose; None is infrastructure, which may withdraw anybody's.
        """
        owner = None if agent is None else self.space.enrolment.author(agent).agent
        name = intent.id if isinstance(intent, Intent) else intent
        return self._contest.release(name, owner)

    def resolve_deferred(
        self, scope: str, resource: str, agents: Mapping[UUID, Agent] | None = None
    ) -> dict[UUID, GuardDecision]:
        """Decide for all that wait on a resource; losers' claims are withdrawn.

        Args:
            scope: The scope.
            resource: The resource.
            agents: Who is still there, with present rights; None asks nobody.

        Returns:
            The best decision for each agent that had a claim.
        """
        return self._contest.resolve_deferred(scope, resource, agents)

    def choose(self, scope: str, resource: str, agent_id: UUID, principal_token: UUID) -> bool:
        """Record whom the principal lets act; that agent's next claim is allowed.

        Returns:
            False if the token is not the principal's.
        """
        if principal_token != self._principal_token:
            return False
        with self.space.store.transaction() as tx:
            put_choice(tx, choice_name(scope, resource), str(agent_id))
        return True

    def cleanup_locks(self) -> int:
        """Forget claims whose holders died or whose time is over; return how many.

        There are no locks to clean: a claim is a row in the store.
        """
        return self._contest.reclaim()

    # -- budgets ----------------------------------------------------------------------------

    def get_budget_status(self, agent_id: UUID) -> tuple[int, int, bool] | None:
        """Return input tokens, output tokens and exhaustion; None before anything was counted."""
        return self._allowances.status(agent_id)

    def check_budget_activation(self, agent: Agent) -> str | None:
        """Return why an agent may not be activated, or None."""
        return self._allowances.refusal(agent_of(agent))

    def record_round_tokens(
        self, agent: Agent, input_tokens: int, output_tokens: int
    ) -> BudgetStatus:
        """Count the tokens of a round; the principal is warned once per dimension.

        Raises:
            ValueError: A number is negative.
        """
        return self._allowances.record(agent_of(agent), input_tokens, output_tokens)

    def update_budget(self, agent: Agent, new_budget: TokenBudget, principal_token: UUID) -> bool:
        """Bind an agent to a new budget; False if the token is not the principal's."""
        if principal_token != self._principal_token:
            return False
        self._allowances.update(agent_of(agent), new_budget)
        return True

    # -- barriers ---------------------------------------------------------------------------

    def get_barrier(self, agent_id: UUID) -> BarrierSnapshot | None:
        """Return an agent's barrier as it is now, or None."""
        return self._barriers.get(agent_id)

    def get_or_create_barrier(self, agent_id: UUID) -> AgentBarrier:
        """Return the live barrier of an agent; later changes to it take effect."""
        return self._barriers.get_or_create(agent_id)

    def set_barrier(self, agent_id: UUID, barrier: AgentBarrier) -> None:
        """Keep that very barrier for an agent; later changes to it take effect."""
        self._barriers.set(agent_id, barrier)
