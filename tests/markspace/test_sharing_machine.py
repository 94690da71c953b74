"""Any order of writes, claims and boundaries: who sees what, and who is chosen, is as modelled."""

from typing import NamedTuple
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from markspace import (
    Agent,
    ConflictPolicy,
    Guard,
    GuardVerdict,
    MarkSpace,
    MarkType,
    Observation,
    Scope,
    ScopeVisibility,
)
from tests.markspace.places import MakePlace, Place, run_machine

ALL = [kind.value for kind in MarkType]
OPEN, SHOWN, HIDDEN, LATER = "a", "a/shown", "a/hidden", "later"
VISIBILITY = {
    OPEN: ScopeVisibility.OPEN,
    SHOWN: ScopeVisibility.PROTECTED,
    HIDDEN: ScopeVisibility.CLASSIFIED,
}
RIGHTS: dict[str, frozenset[str]] = {
    "all": frozenset({OPEN}),
    "some": frozenset({SHOWN}),
    "none": frozenset(),
}
AGENTS = [
    Agent(name=name, scopes={"a": ALL, LATER: ALL}, read_scopes=rights)
    for name, rights in RIGHTS.items()
]
agents = st.sampled_from(AGENTS)
scopes = st.sampled_from([OPEN, SHOWN, HIDDEN])
confidences = st.sampled_from([0.2, 0.5, 0.5, 0.9])


class Claim(NamedTuple):
    """A claim that waits for its boundary."""

    who: UUID
    confidence: float


def may_read(agent: Agent, scope: str) -> bool:
    """Return whether an agent has the right to a scope's content, or to one above it."""
    return any(scope == own or scope.startswith(own + "/") for own in agent.read_scopes)


class SharingMachine(RuleBasedStateMachine):
    """Scopes of each visibility, and one where claims wait; all is kept over reopenings."""

    def __init__(self, home: Place) -> None:
        super().__init__()
        self.home = home
        self.store = home.open()
        self.written: dict[UUID, str] = {}
        self.waiting: dict[UUID, Claim] = {}
        self.chosen: UUID | None = None
        self.owner: UUID | None = None
        self.open()

    def open(self) -> None:
        """Open the space over the store."""
        made = [Scope(name=name, visibility=seen) for name, seen in VISIBILITY.items()]
        later = Scope(name=LATER, deferred=True, conflict_policy=ConflictPolicy.HIGHEST_CONFIDENCE)
        self.space = MarkSpace([*made, later], clock=0.0, store=self.store)
        self.guard = Guard(self.space)

    @rule(who=agents, scope=scopes)
    def write(self, who: Agent, scope: str) -> None:
        """Write where its rights allow, whatever they are for reading."""
        name = self.guard.write_mark(who, Observation(scope=scope, topic="t", content=scope))
        self.written[name] = scope

    @rule(reader=agents, within=scopes)
    def read(self, reader: Agent, within: str) -> None:
        """See whole what may be read, without content what is protected, nothing else."""
        marks = self.space.read(within, reader=reader)
        seen = {mark.id: mark for mark in marks if isinstance(mark, Observation)}
        expected = {
            name
            for name, scope in self.written.items()
            if (scope == within or scope.startswith(within + "/"))
            and (scope != HIDDEN or may_read(reader, scope))
        }
        assert set(seen) == expected
        for name, mark in seen.items():
            whole = self.written[name] == OPEN or may_read(reader, self.written[name])
            assert (mark.content, mark.projected) == (
                (mark.scope, False) if whole else (None, True)
            )

    @rule(who=agents, confidence=confidences)
    def claim(self, who: Agent, confidence: float) -> None:
        """Claim; it waits for the boundary unless another has acted already."""
        decision = self.guard.pre_action(who, LATER, "r", "x", confidence)
        if self.owner not in (None, who.id):
            assert (decision.verdict, decision.intent_id) == (GuardVerdict.CONFLICT, None)
            return
        assert decision.verdict is GuardVerdict.BLOCKED
        self.waiting.pop(who.id, None)  # a repeated claim replaces the earlier one,
        if self.chosen == who.id:  # also of one that was granted
            self.chosen = None
        self.waiting[who.id] = Claim(who.id, confidence)

    @rule()
    def decide(self) -> None:
        """Decide for all at once: the most confident, of these the first."""
        decisions = self.guard.resolve_deferred(LATER, "r")
        assert set(decisions) == set(self.waiting)
        allowed = [who for who, made in decisions.items() if made.verdict is GuardVerdict.ALLOW]
        eligible = [c for c in self.waiting.values() if self.owner in (None, c.who)]
        winner = max(eligible, key=lambda claim: claim.confidence, default=None)
        assert allowed == ([] if winner is None else [winner.who])
        self.chosen = None if winner is None else winner.who
        self.waiting = {} if winner is None else {winner.who: winner}

    @precondition(lambda self: self.chosen is not None)
    @rule()
    def act(self) -> None:
        """Let the chosen agent act."""
        who = next(agent for agent in AGENTS if agent.id == self.chosen)
        self.guard.post_action(who, LATER, "r", "do", None)
        self.owner, self.chosen = who.id, None
        self.waiting.pop(who.id)

    @precondition(lambda self: self.home.durable)
    @rule()
    def reopen(self) -> None:
        """Close the store and open it again."""
        self.store.close()
        self.store = self.home.open()
        self.open()

    def teardown(self) -> None:
        """The whole history verifies, and nothing is left behind."""
        result = self.space.verify()
        assert result.ok, result.problem
        self.store.close()
        self.home.remove()


@pytest.mark.long
def test_any_order_of_steps_agrees_with_the_model(make_place: MakePlace) -> None:
    run_machine(SharingMachine, make_place)
