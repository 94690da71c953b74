"""The boundary of a deferred scope: all claims that wait are decided together."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from markspace.claiming.claims import Claims, Rival, actions, held
from markspace.core.agents import Agent
from markspace.core.conflict import resolve_in_order
from markspace.core.enums import MarkType
from markspace.errors import GuardRefusal
from markspace.guarding.decisions import GuardDecision, GuardVerdict
from markspace.guarding.stages import Stages
from markspace.keeping.audit import Decision
from markspace.keeping.claim_rows import GRANTED, take_choice
from markspace.keeping.reading import SpaceView
from markspace.keeping.writing import Commit
from markspace.space import MarkSpace

ORDER = [GuardVerdict.ALLOW, GuardVerdict.BLOCKED, GuardVerdict.CONFLICT, GuardVerdict.DENIED]
Decisions = dict[UUID, GuardDecision]


@dataclass
class Boundary:
    """Decides for all that wait on a resource, in one transaction.

    Args:
        space: The space.
        claims: Keeps claims.
        stages: Refuse what an agent may not do for now.
    """

    _space: MarkSpace
    _claims: Claims
    _stages: Stages

    def decide(self, scope: str, resource: str, agents: Mapping[UUID, Agent] | None) -> Decisions:
        """Return one decision per agent; losers' claims are withdrawn, the winner's stays."""
        noted: list[Decision] = []
        decisions: Decisions = {}
        with self._space.writing(noted) as commit:
            view = self._space.view(commit.tx)
            rivals = list(self._claims.rivals(commit, view, scope, resource))
            for rival in rivals:
                decision = self._excluded(rival, agents)
                if decision is not None:
                    keep_best(decisions, rival, decision)
            open_ones = [r for r in rivals if self._excluded(r, agents) is None]
            holder = next((r for r in rivals if self._claims.is_running(r.row)), None)
            if holder is not None:  # whoever it is: two tools must not run
                for rival in open_ones:
                    keep_best(decisions, rival, held(holder, rivals))
            else:
                self._settle(commit, view, scope, resource, open_ones, decisions)
            for rival in rivals:
                decision = decisions[rival.intent.agent_id]
                stays = decision.intent_id == rival.intent.id and decision.verdict in ORDER[:2]
                if not stays and not self._claims.is_running(rival.row):
                    self._claims.withdraw(commit, rival.sequence, rival.intent.id)
            noted.extend(lines(scope, decisions))
        return decisions

    def _excluded(self, rival: Rival, agents: Mapping[UUID, Agent] | None) -> GuardDecision | None:
        """Return why a claim may not take part, or None."""
        if agents is None:
            return None
        agent, scope = agents.get(rival.intent.agent_id), rival.intent.scope
        reason = "the agent is not there any more"
        if agent is not None:
            lost = [r for r in (MarkType.INTENT, MarkType.ACTION) if not agent.can_write(scope, r)]
            reason = f"{agent.name!r} lost its {lost[0]} right" if lost else ""
            try:
                if not lost:
                    self._stages.barrier(agent, scope, MarkType.INTENT, MarkType.ACTION)
            except GuardRefusal as refusal:
                reason = f"barrier: {refusal}"
        return GuardDecision(GuardVerdict.DENIED, reason, rival.intent.id) if reason else None

    def _settle(
        self,
        commit: Commit,
        view: SpaceView,
        scope: str,
        resource: str,
        rivals: list[Rival],
        decisions: Decisions,
    ) -> None:
        actors = {fact.agent_id for fact in actions(view, scope, resource)}
        free = [r for r in rivals if actors <= {r.intent.agent_id}]
        for rival in rivals:
            if rival not in free:
                reason = f"{resource!r} was acted on by another agent"
                taken = GuardDecision(GuardVerdict.CONFLICT, reason, rival.intent.id)
                keep_best(decisions, rival, taken)
        self._award(commit, scope, resource, free, decisions)

    def _award(
        self,
        commit: Commit,
        scope: str,
        resource: str,
        rivals: list[Rival],
        decisions: Decisions,
    ) -> None:
        """Let the policy, or the principal, decide among claims that could all proceed."""
        intents = [r.intent for r in rivals]
        policy = self._space.get_scope(scope).conflict_policy
        name = intents[0].id if len(intents) == 1 else resolve_in_order(intents, policy)
        agents = {str(i.agent_id): i.id for i in intents}
        if name is None and (chosen := take_choice(commit.tx, scope, resource, agents)):
            name = agents[chosen]
        winner = next((i for i in intents if i.id == name), None)
        for rival in rivals:
            others = [i for i in intents if i is not rival.intent]
            verdict, reason = GuardVerdict.CONFLICT, "another claim goes first"
            if winner is None:
                verdict = GuardVerdict.BLOCKED
                reason = "all claims yield until the principal decides"
            elif rival.intent is winner:
                verdict, reason = GuardVerdict.ALLOW, "the strongest claim"
                self._claims.put(commit, winner, GRANTED)
            beaten_by = winner if verdict is GuardVerdict.CONFLICT else None
            decision = GuardDecision(verdict, reason, rival.intent.id, beaten_by, others)
            keep_best(decisions, rival, decision)


def keep_best(decisions: Decisions, rival: Rival, decision: GuardDecision) -> None:
    """Keep an agent's best decision."""
    best = decisions.get(rival.intent.agent_id)
    if best is None or ORDER.index(decision.verdict) < ORDER.index(best.verdict):
        decisions[rival.intent.agent_id] = decision


def lines(scope: str, decisions: Decisions) -> list[Decision]:
    """Return the audit log's lines about decisions."""
    return [
        Decision("resolve_deferred", d.verdict.value, "", str(a), scope, "intent", d.reason)
        for a, d in decisions.items()
    ]
