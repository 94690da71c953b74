"""Claims on contested resources. Each decision is one transaction: no two processes can win."""

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from markspace.core.conflict import resolve_in_order
from markspace.core.enums import ConflictPolicy, MarkType
from markspace.core.marks import Action, Intent, Need
from markspace.core.scopes import Scope
from markspace.guarding.decisions import GuardDecision, GuardVerdict
from markspace.keeping.audit import Decision
from markspace.keeping.claim_rows import (
    CLAIM,
    GRANTED,
    RUNNING,
    choice_name,
    claim_row,
    is_marked,
    put_question,
    take_choice,
)
from markspace.keeping.drafts import Draft
from markspace.keeping.foundation import Who
from markspace.keeping.identity import Identity
from markspace.keeping.reading import SpaceView
from markspace.keeping.writing import Commit
from markspace.space import MarkSpace
from markspace.stores.base import LeaseRow, Query

BLOCKED_PRIORITY = 0.8
FOREVER_S = 1e12


class ClaimRequest(NamedTuple):
    """A wish to act on a resource.

    Attributes:
        who: Who asks, as it was given.
        author: Who asks.
        scope: The scope's definition.
        draft: The intent, checked.
        running: Whether the tool starts at once, so that nobody may take the claim over.
    """

    who: Who
    author: Identity
    scope: Scope
    draft: Draft
    running: bool

    @property
    def intent(self) -> Intent:
        """The intent, without its id."""
        assert isinstance(self.draft.mark, Intent)  # noqa: S101 - made so by the guard
        return self.draft.mark


class Rival(NamedTuple):
    """A live intent on the same resource, and its claim if it was allowed."""

    sequence: int
    intent: Intent
    row: LeaseRow | None


@dataclass
class Claims:
    """Decides about claims.

    Args:
        space: The space.
        ttl_s: Seconds without heartbeat after which a running claim counts as dead.
        wall: The wall clock for heartbeats.
    """

    _space: MarkSpace
    ttl_s: float = 10.0
    wall: Callable[[], float] = time.time

    def decide(self, commit: Commit, request: ClaimRequest) -> GuardDecision:
        """Decide about a request inside a commit."""
        view = self._space.view(commit.tx)
        me, intent = request.author.agent.id, request.intent
        facts = actions(view, intent.scope, intent.resource)
        if fact := next((fact for fact in facts if fact.agent_id != me), None):
            reason = f"{intent.resource!r} was acted on by another agent: {fact.action} {fact.id}"
            return GuardDecision(GuardVerdict.CONFLICT, reason, None, view.claim_of(fact))
        rivals = list(self.rivals(commit, view, intent.scope, intent.resource))
        holder = next((r for r in rivals if self.is_running(r.row)), None)
        if holder is not None:
            return held(holder, rivals)
        return self._contest(commit, request, rivals)

    def rivals(self, commit: Commit, view: SpaceView, scope: str, resource: str) -> Iterator[Rival]:
        """Return the live claims on a resource; withdraw dead ones on the way."""
        for sequence, intent in view.on_resource(scope, resource, MarkType.INTENT):
            if not isinstance(intent, Intent):
                continue
            row = claim_row(commit.tx, intent.id)
            stalled = is_marked(row, RUNNING) and not self.is_running(row)
            if self.is_running(row) or (view.strength(intent) > 0 and not stalled):
                yield Rival(sequence, intent, row)
                continue
            self.withdraw(commit, sequence, intent.id)
            if stalled:
                commit.decisions.append(takeover(intent))

    def is_running(self, row: LeaseRow | None) -> bool:
        """Return whether a tool runs under this claim and its holder lives."""
        if row is None or not is_marked(row, RUNNING):
            return False
        return self.wall() - row.heartbeat <= row.ttl_s

    def withdraw(self, commit: Commit, sequence: int, intent_id: UUID) -> None:
        """Take a claim back."""
        commit.withdraw(sequence)
        commit.tx.drop_lease(CLAIM + str(intent_id))

    def _contest(self, commit: Commit, request: ClaimRequest, rivals: list[Rival]) -> GuardDecision:
        """Write the intent and see who wins."""
        mine = self._declare(commit, request, rivals)
        others = [r for r in rivals if r.intent.agent_id != request.author.agent.id]
        intents = [r.intent for r in others]
        if request.scope.deferred:
            return GuardDecision(GuardVerdict.BLOCKED, "pending: the scope decides later", mine.id)
        chosen = self._is_chosen(commit, request)
        if intents and request.scope.conflict_policy is ConflictPolicy.YIELD_ALL and not chosen:
            self._ask(commit, request)
            reason = f"all claims on {mine.resource!r} yield until the principal decides"
            return GuardDecision(GuardVerdict.BLOCKED, reason, mine.id, None, intents)
        policy = request.scope.conflict_policy
        if policy is ConflictPolicy.YIELD_ALL:  # and there is nobody else
            policy = ConflictPolicy.FIRST_WRITER
        winner = mine.id if chosen else resolve_in_order([*intents, mine], policy)
        if winner == mine.id:
            for rival in others:
                self._beaten(commit, rival)
            self.put(commit, mine, RUNNING if request.running else GRANTED)
            reason = f"{mine.resource!r} is free" if not intents else "the strongest claim"
            return GuardDecision(GuardVerdict.ALLOW, reason, mine.id, None, intents)
        self.withdraw(commit, commit.sequence, mine.id)  # whoever lost bars nobody
        winning = next(i for i in intents if i.id == winner)
        reason = f"a claim with confidence {winning.confidence} on {mine.resource!r} goes first"
        return GuardDecision(GuardVerdict.CONFLICT, reason, mine.id, winning, intents)

    def _beaten(self, commit: Commit, rival: Rival) -> None:
        """End a claim that lost; one that waits for somebody's decision goes on waiting."""
        scope = self._space.get_scope(rival.intent.scope)
        if scope.deferred or scope.conflict_policy is ConflictPolicy.YIELD_ALL:
            commit.tx.drop_lease(CLAIM + str(rival.intent.id))
        else:
            self.withdraw(commit, rival.sequence, rival.intent.id)

    def _declare(self, commit: Commit, request: ClaimRequest, rivals: list[Rival]) -> Intent:
        """Write the intent in place of the agent's earlier ones on this resource."""
        draft = request.draft
        own = [r for r in rivals if r.intent.agent_id == request.author.agent.id]
        for rival in own:
            commit.tx.drop_lease(CLAIM + str(rival.intent.id))
        for rival in own[:-1]:
            commit.withdraw(rival.sequence)
        if own:
            draft = replace(
                draft, mark=draft.mark.model_copy(update={"supersedes": own[-1].intent.id})
            )
        commit.add(draft)
        mine = commit.stored[-1]
        assert isinstance(mine, Intent)  # noqa: S101 - the draft is one
        return mine

    def put(self, commit: Commit, intent: Intent, state: str) -> None:
        """Note that a claim is allowed. Its token is the intent's sequence."""
        ttl_s = self.ttl_s if state == RUNNING else FOREVER_S
        token, holder = commit.sequence, str(intent.agent_id)
        name = CLAIM + str(intent.id)
        info = holder_info(state, os.getpid())
        commit.tx.put_lease(LeaseRow(name, token, holder, info, ttl_s, self.wall()))

    def _is_chosen(self, commit: Commit, request: ClaimRequest) -> bool:
        """Return whether the principal chose this agent; the choice is used up."""
        intent, me = request.intent, str(request.author.agent.id)
        return take_choice(commit.tx, intent.scope, intent.resource, (me,)) is not None

    def _ask(self, commit: Commit, request: ClaimRequest) -> None:
        """Ask the principal to decide, once, if the agent may ask at all."""
        agent, intent = request.author.agent, request.intent
        context = {
            "resource": intent.resource,
            "action": intent.action,
            "agent": str(agent.id),
        }
        if not agent.can_write(intent.scope, MarkType.NEED):
            return
        query = Query(intent.scope, (MarkType.NEED.value,), exact=True)
        ranking = self._space.view(commit.tx).ranked(query, 0.0)
        open_needs = [r.mark for r in ranking if r.strength > 0 and isinstance(r.mark, Need)]
        if any(need.context == context for need in open_needs):
            return
        need = Need(
            scope=intent.scope,
            question=f"Who may {intent.action} {intent.resource!r}?",
            context=context,
            priority=BLOCKED_PRIORITY,
            blocking=True,
        )
        need_id = commit.add(self._space.draft(request.who, need))
        choice = choice_name(intent.scope, intent.resource)
        put_question(commit.tx, need_id, choice, agent.id)


def actions(view: SpaceView, scope: str, resource: str) -> list[Action]:
    """Return the actions on a resource that did not fail."""
    placed = view.on_resource(scope, resource, MarkType.ACTION)
    return [m for _, m in placed if isinstance(m, Action) and not m.failed]


def takeover(intent: Intent) -> Decision:
    """Return the audit log's line about a claim whose holder died or stalled."""
    agent, kind = str(intent.agent_id), intent.mark_type.value
    reason = f"no heartbeat: the claim {intent.id} on {intent.resource!r} was taken back"
    return Decision("takeover", "allow", "", agent, intent.scope, kind, reason)


def held(holder: Rival, rivals: list[Rival]) -> GuardDecision:
    """Return the decision while somebody's tool runs."""
    intent = holder.intent
    reason = f"{intent.resource!r} is held by agent {intent.agent_id} while its tool runs"
    others = [r.intent for r in rivals]
    return GuardDecision(GuardVerdict.CONFLICT, reason, None, intent, others)


@lru_cache(maxsize=8)
def holder_info(state: str, pid: int) -> str:
    """Return what a claim's row says about its holder, as JSON."""
    return json.dumps({"state": state, "pid": pid, "host": socket.gethostname()})
