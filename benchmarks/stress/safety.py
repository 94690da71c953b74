"""Whether a space was safe, from its marks and its audit log alone.

`examine` walks through both in order of commits. It checks, of docs/reference/protocol.md:

- Each action ends an intent of the same agent on the same resource, and this intent was allowed;
  or it answers a need in the same commit.
- From the commit that allowed an intent to the action that ended it, no other agent was allowed on
  that resource, and none was while a tool ran. So two never win at the same time.
- Each resource has at most one action that did not fail.
- What is allowed is what the scope's policy names among the intents that are live at that commit;
  where all yield, it was alone, or the principal had answered that agent's need.
- Nobody superseded an intent or action of another agent, and no warning invalidates an action.
- Each need is answered once, by an action of its own that did not fail, and none is left open.
- The audit chain verifies.
"""

from collections import Counter
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from benchmarks.stress.world import contested
from markspace import Action, AnyMark, ConflictPolicy, Intent, MarkSpace, Need
from markspace import Warning as Doubt
from markspace.core.conflict import resolve_in_order
from markspace.keeping.audit import AuditEntry, Decision, spanned

CLAIMING = ("pre_action", "execute", "resolve_deferred")
Resource = tuple[str, str]
"""A scope and the name of a resource in it."""


class Findings(NamedTuple):
    """The result of an examination.

    Attributes:
        marks: How many the space holds, of any state.
        contested: Resources that anybody claimed.
        winners: Those that have an action which did not fail.
        refused: Decisions of the guard that were no ALLOW, by operation.
        violations: What must not have happened, one sentence each.
    """

    marks: int
    contested: int
    winners: int
    refused: Counter[str]
    violations: list[str]


def examine(space: MarkSpace) -> Findings:
    """Return what the marks and the log of a space say about what happened in it."""
    examination, history = Examination(space), space.history()
    for entry in space.audit():
        count = entry.last - entry.first + 1
        examination.take(entry, list(islice(history, count)))
    examination.end(space)
    return examination.findings()


class Examination:
    """Follows claims, actions and needs from commit to commit.

    The log says who was allowed in which scope: it is taken to be that agent's latest claim there,
    so an agent of the simulation has one claim at a time.

    Args:
        space: For the definitions of its scopes.
    """

    def __init__(self, space: MarkSpace) -> None:
        self._scope_of = space.get_scope
        self._claims: dict[UUID, Intent | Action] = {}
        self._facts: set[UUID | None] = set()
        self._by_sequence: dict[int, Intent] = {}
        self._live: dict[Resource, dict[UUID, Intent]] = {}
        self._latest: dict[tuple[UUID, str], Intent] = {}
        self._allowed: dict[Resource, Intent] = {}
        self._running: set[UUID] = set()
        self._winners: dict[Resource, Action] = {}
        self._open: dict[UUID, Need] = {}
        self._answers: set[UUID] = set()
        self._chosen: set[tuple[Resource, UUID]] = set()
        self._marks = 0
        self._refused: Counter[str] = Counter()
        self._violations: list[str] = []

    def take(self, entry: AuditEntry, marks: list[tuple[int, AnyMark]]) -> None:
        """Follow one commit: what it stored, what was decided in it, what it took back."""
        self._marks += len(marks)
        answers = {mark.resolved_by for _, mark in marks if isinstance(mark, Need)}
        for sequence, mark in marks:
            self._check_superseded(mark)
            if isinstance(mark, Intent):
                self._by_sequence[sequence] = self._claims[mark.id] = mark
                self._live.setdefault((mark.scope, mark.resource), {})[mark.id] = mark
                self._latest[mark.agent_id, mark.scope] = mark
            elif isinstance(mark, Action):
                self._claims[mark.id] = mark
                self._facts.add(mark.id)
                if mark.id not in answers:
                    self._act(mark)
            elif isinstance(mark, Need):
                self._ask(mark)
            elif isinstance(mark, Doubt) and mark.invalidates in self._facts:
                self._violations.append(f"warning {mark.id} invalidates an action")
        for decision in entry.decisions:
            self._decide(decision)
        for sequence in spanned(entry.archived, entry.last):
            if (gone := self._by_sequence.get(sequence)) is not None:
                self._live[gone.scope, gone.resource].pop(gone.id, None)

    def end(self, space: MarkSpace) -> None:
        """Check what must be true of the space as it was left."""
        self._violations += [f"need {need_id} was left open" for need_id in self._open]
        result = space.verify()
        if not result.ok:
            self._violations.append(f"the audit chain is broken: {result.problem}")

    def findings(self) -> Findings:
        """Return the result."""
        contested, winners = len(self._live), len(self._winners)
        return Findings(self._marks, contested, winners, self._refused, self._violations)

    def _check_superseded(self, mark: AnyMark) -> None:
        old = None if mark.supersedes is None else self._claims.get(mark.supersedes)
        if old is None:
            return
        if old.agent_id != mark.agent_id:
            kind = old.mark_type.value
            self._violations.append(f"agent {mark.agent_id} superseded {kind} {old.id} of another")
        if isinstance(old, Intent):
            self._live[old.scope, old.resource].pop(old.id, None)

    def _decide(self, decision: Decision) -> None:
        """Follow a decision; one that allows a claim must be right."""
        if decision.verdict not in ("allow", "accepted"):
            self._refused[decision.operation] += 1
            return
        intent = self._latest.get((UUID(decision.agent_id), decision.scope))
        if intent is None:
            if decision.operation in CLAIMING:
                self._violations.append(f"{decision.agent} was allowed what it never claimed")
        elif decision.operation == "takeover":
            self._running.discard(intent.id)
        elif decision.operation in CLAIMING:
            self._allow(intent)
            if decision.operation == "execute":
                self._running.add(intent.id)

    def _allow(self, intent: Intent) -> None:
        resource = intent.scope, intent.resource
        holder = self._allowed.get(resource)
        if holder is not None and holder.id in self._running and holder.id != intent.id:
            self._violations.append(f"{resource} was allowed to another while a tool ran")
        live = list(self._live[resource].values())
        policy = self._scope_of(intent.scope).conflict_policy
        if policy is ConflictPolicy.YIELD_ALL:
            right = len(live) == 1 or (resource, intent.agent_id) in self._chosen
        else:
            right = resolve_in_order(live, policy) == intent.id
        if not right:
            self._violations.append(f"{resource} was allowed to a claim that its policy refuses")
        self._allowed[resource] = intent

    def _act(self, action: Action) -> None:
        """Follow an action of an agent: it must end the claim that was allowed last."""
        resource, claim = (
            (action.scope, action.resource),
            self._claims.get(action.supersedes or UUID(int=0)),
        )
        allowed = self._allowed.get(resource)
        if not isinstance(claim, Intent) or claim.agent_id != action.agent_id:
            self._violations.append(f"{resource} was acted on without a claim of that agent")
        elif allowed is None or allowed.id != claim.id:
            self._violations.append(f"{resource} was acted on by a claim that was not the winner")
        else:
            del self._allowed[resource]
            self._running.discard(claim.id)
        if not action.failed and self._winners.setdefault(resource, action) is not action:
            self._violations.append(f"{resource} has two winners")

    def _ask(self, need: Need) -> None:
        """Follow a need, or the copy of it that says how it was answered."""
        if need.resolved_by is None:
            self._open[need.id] = need
            return
        asked = None if need.supersedes is None else self._open.pop(need.supersedes, None)
        answer = self._claims.get(need.resolved_by)
        if asked is None:
            self._violations.append(f"need {need.supersedes} was answered twice, or never asked")
        if not isinstance(answer, Action) or answer.failed or answer.id in self._answers:
            self._violations.append(f"need {need.supersedes} has no answer of its own")
        self._answers.add(need.resolved_by)
        if (wish := contested(need)) is not None:
            self._chosen.add(((need.scope, wish.resource), wish.agent))
