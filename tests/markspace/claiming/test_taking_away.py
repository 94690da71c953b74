"""A claim or a fact is its agent's: no mark of another takes it away."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from markspace import (
    Action,
    Agent,
    DecayConfig,
    Guard,
    GuardVerdict,
    InMemorySink,
    Intent,
    MarkSpace,
    MarkType,
    Need,
    Observation,
    Scope,
    Warning,
)
from markspace.errors import ClaimError, StaleFence
from markspace.stores.base import Store

ALL = [kind.value for kind in MarkType]
ALLOW, CONFLICT = GuardVerdict.ALLOW, GuardVerdict.CONFLICT
ANN, BOB = (Agent(name=name, scopes={"a": ALL, "b": ALL}) for name in ("ann", "bob"))
MARKS = (Intent, Action, Observation, Warning, Need)
GUARDED = (Observation, Warning, Need)

Attack = Callable[[Agent, UUID], None]


def guarded(store: Store, **options: Any) -> Guard:
    """A guard over a space with scopes "a" and "b"."""
    scopes = [Scope(name="a", **options), Scope(name="b")]
    return Guard(MarkSpace(scopes, clock=1.0, store=store), telemetry=InMemorySink())


def attacks(guard: Guard) -> list[Attack]:
    """Every way in which a mark can be written that names another in `supersedes`."""

    def raw(kind: Any, scope: str) -> Attack:
        return lambda who, old: void(
            guard.space.write(who, kind(scope=scope, resource="r", supersedes=old))
            if kind in (Intent, Action)
            else guard.space.write(who, kind(scope=scope, supersedes=old))
        )

    def through(kind: Any, scope: str) -> Attack:
        return lambda who, old: void(guard.write_mark(who, kind(scope=scope, supersedes=old)))

    def batch(who: Agent, old: UUID) -> None:
        first, second = Observation(scope="a"), Observation(scope="b", supersedes=old)
        guard.write_all([(who, first), (who, second)])

    def raw_batch(who: Agent, old: UUID) -> None:
        guard.space.write_all([(who, Observation(scope="a", supersedes=old))])

    one_by_one = [raw(kind, scope) for kind in MARKS for scope in "ab"]
    passed = [through(kind, scope) for kind in GUARDED for scope in "ab"]
    return [*one_by_one, *passed, batch, raw_batch]


def void(_: object) -> None:
    """Drop a result."""


def refused(guard: Guard, who: Agent, old: UUID, why: str) -> None:
    """Check that no attack takes a mark away, and that nothing is written."""
    head = guard.space.head()
    for attack in attacks(guard):
        with pytest.raises(ClaimError, match=why):
            attack(who, old)
    assert guard.space.head() == head
    (kept,) = [mark for mark in guard.space.read("a", min_strength=0.0) if mark.id == old]
    assert kept.agent_id == ANN.id


def good_actions(guard: Guard) -> list[Any]:
    """The results of the actions that count."""
    done = guard.space.read("a", mark_type=MarkType.ACTION, min_strength=0.0)
    return [mark.result for mark in done if isinstance(mark, Action) and not mark.failed]


def test_a_running_claim_is_not_taken_away_and_only_one_tool_runs(store: Store) -> None:
    guard, ran = guarded(store), list[str]()

    def tool() -> str:
        (claim,) = guard.space.get_intents("a", "r")
        refused(guard, BOB, claim.id, "a tool runs under it")
        other, _ = guard.execute(BOB, "a", "r", "plan", "do", lambda: ran.append("bob"), 1.0)
        assert other.verdict is CONFLICT
        ran.append("ann")
        return "ann"

    assert guard.execute(ANN, "a", "r", "plan", "do", tool, 0.1)[1] == "ann"
    assert (ran, good_actions(guard)) == (["ann"], ["ann"])


def test_a_declared_claim_is_not_stolen(store: Store) -> None:
    guard = guarded(store)
    claim = guard.pre_action(ANN, "a", "r", "plan", 0.9).intent_id
    assert claim is not None
    refused(guard, BOB, claim, "only that agent or the guard")
    assert guard.pre_action(BOB, "a", "r", "plan", 0.1).verdict is CONFLICT
    guard.post_action(ANN, "a", "r", "do", "ann", claim)
    assert good_actions(guard) == ["ann"]


def test_what_was_acted_on_is_not_free_again(store: Store) -> None:
    guard = guarded(store)
    guard.execute(ANN, "a", "r", "plan", "do", lambda: "ann")
    (fact,) = guard.space.read("a", mark_type=MarkType.ACTION)
    refused(guard, BOB, fact.id, "only that agent or the guard")
    decision, result = guard.execute(BOB, "a", "r", "plan", "do", lambda: "bob", 1.0)
    assert (decision.verdict, result) == (CONFLICT, None)
    assert good_actions(guard) == ["ann"]


def test_an_agent_does_not_take_its_own_running_claim_away(store: Store) -> None:
    guard = guarded(store)

    def tool() -> str:
        (claim,) = guard.space.get_intents("a", "r")
        refused(guard, ANN, claim.id, "a tool runs under it")
        assert not guard.release(claim.id, agent=ANN)
        assert guard.execute(BOB, "a", "r", "plan", "do", lambda: "bob")[0].verdict is CONFLICT
        return "ann"

    guard.execute(ANN, "a", "r", "plan", "do", tool)
    assert good_actions(guard) == ["ann"]


def test_an_agent_withdraws_its_own_claim_and_corrects_its_own_fact(store: Store) -> None:
    guard = guarded(store)
    claim = guard.pre_action(ANN, "a", "r", "plan", 0.9).intent_id
    guard.write_mark(ANN, Observation(scope="a", content="not today", supersedes=claim))
    with pytest.raises(ClaimError, match="no live ALLOW"):
        guard.post_action(ANN, "a", "r", "do", None, claim)
    assert guard.execute(BOB, "a", "r", "plan", "do", lambda: "wrong")[0].verdict is ALLOW
    (fact,) = guard.space.read("a", mark_type=MarkType.ACTION)
    right = Action(scope="a", resource="r", action="do", result="right", supersedes=fact.id)
    guard.space.write(BOB, right)
    assert good_actions(guard) == ["right"]


def test_the_infrastructure_frees_what_does_not_run(store: Store) -> None:
    guard = guarded(store)
    system = guard.space.enrolment.admit(Agent(name="operator", scopes={"a": ALL}))
    claim = guard.pre_action(ANN, "a", "r", "plan", 0.9).intent_id
    guard.write_all([], infrastructure=[(system, Observation(scope="a", supersedes=claim))])

    def tool() -> str:
        (running,) = guard.space.get_intents("a", "r")
        with pytest.raises(ClaimError, match="a tool runs under it"):
            guard.space.write(system, Observation(scope="a", supersedes=running.id))
        return "bob"

    assert guard.execute(BOB, "a", "r", "plan", "do", tool, 0.1)[1] == "bob"
    (fact,) = guard.space.read("a", mark_type=MarkType.ACTION)
    guard.space.write(system, Observation(scope="a", content="undone", supersedes=fact.id))
    assert guard.execute(ANN, "a", "r", "plan", "do", lambda: "ann")[1] == "ann"


def test_a_refused_theft_is_reported_and_logged_once(store: Store) -> None:
    sink = InMemorySink()
    guard = Guard(MarkSpace([Scope(name="a")], clock=1.0, store=store), telemetry=sink)
    claim = guard.pre_action(ANN, "a", "r", "plan").intent_id
    sink.clear()
    with pytest.raises(ClaimError, match=r"agent 'bob' may not supersede intent .* on 'r'"):
        guard.write_mark(BOB, Observation(scope="a", supersedes=claim))
    assert [(e.operation, e.verdict) for e in sink.events] == [("write_mark", "denied")]
    logged = [d for entry in guard.space.audit() for d in entry.decisions]
    assert [(d.agent, d.verdict) for d in logged if d.operation == "write_mark"] == [
        ("bob", "denied")
    ]


def test_collecting_garbage_leaves_a_claim_whose_tool_outlives_its_intent(store: Store) -> None:
    guard = guarded(store, decay=DecayConfig(100, 100, 10))

    def tool() -> str:
        guard.space.set_clock(1000.0)
        assert guard.space.gc() == 0
        assert guard.execute(BOB, "a", "r", "plan", "do", lambda: "bob")[0].verdict is CONFLICT
        return "ann"

    guard.execute(ANN, "a", "r", "plan", "do", tool)
    assert good_actions(guard) == ["ann"]
    guard.pre_action(ANN, "a", "q", "plan")
    guard.space.set_clock(2000.0)
    assert guard.space.gc() == 2  # the ended claim, and one that nobody works under


def test_a_claim_that_is_gone_under_a_tool_takes_no_action(store: Store) -> None:
    guard = guarded(store)

    def tool() -> str:
        (claim,) = guard.space.get_intents("a", "r")
        sequence = guard.space.sequence_of(claim.id)
        assert sequence is not None
        with store.transaction() as tx:  # as an older version of the program could
            tx.archive([sequence])
        guard.execute(BOB, "a", "r", "plan", "do", lambda: "bob")
        return "ann"

    with pytest.raises(StaleFence):
        guard.execute(ANN, "a", "r", "plan", "do", tool)
    assert good_actions(guard) == ["bob"]


def test_a_deferred_boundary_waits_for_a_holder_that_it_was_not_told_of(store: Store) -> None:
    deferred, inside = Scope(name="a/b", deferred=True), list[GuardVerdict]()
    guard = Guard(MarkSpace([Scope(name="a"), deferred], clock=1.0, store=store))
    guard.pre_action(BOB, "a/b", "r", "plan", 0.2)

    def tool() -> str:
        decisions = guard.resolve_deferred("a/b", "r", {BOB.id: BOB})
        inside.append(decisions[BOB.id].verdict)
        with pytest.raises(ClaimError):
            guard.post_action(BOB, "a/b", "r", "do", "bob")
        return "ann"

    guard.execute(ANN, "a", "r", "plan", "do", tool, 0.9)
    assert (inside, good_actions(guard)) == ([CONFLICT], ["ann"])
