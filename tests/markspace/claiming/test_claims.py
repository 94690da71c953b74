"""Contested resources: one winner, one action, and no way around the claim."""

import time
from typing import Any
from uuid import uuid4

import pytest

from markspace import (
    Action,
    Agent,
    ConflictPolicy,
    DecayConfig,
    Guard,
    GuardDecision,
    GuardVerdict,
    InMemorySink,
    Intent,
    MarkSpace,
    MarkType,
    Need,
    QuotaExceededError,
    Scope,
    ScopeError,
    ValidationError,
)
from markspace.errors import ClaimError, PayloadError, StaleFence
from markspace.stores.base import Store

ALL = [kind.value for kind in MarkType]
ALLOW, CONFLICT, BLOCKED, DENIED = GuardVerdict


def agent(name: str, *scopes: str) -> Agent:
    """An agent that may do everything in scopes, by default in "a"."""
    return Agent(name=name, scopes=dict.fromkeys(scopes or ("a",), ALL))


ANN, BOB, CAT = agent("ann"), agent("bob"), agent("cat")


def guarded(store: Store, policy: str = "highest_confidence", **options: Any) -> Guard:
    """A guard over a space with scope "a"."""
    scope = Scope(name="a", conflict_policy=ConflictPolicy(policy), **options)
    return Guard(MarkSpace([scope], clock=1.0, store=store), telemetry=InMemorySink())


def actions(guard: Guard) -> list[Action]:
    """All actions in the space."""
    actions = guard.space.read("a", mark_type=MarkType.ACTION, min_strength=0.0)
    return [mark for mark in actions if isinstance(mark, Action)]


def test_a_claim_is_allowed_acted_on_and_then_bars_others(store: Store) -> None:
    guard = guarded(store)
    decision = guard.pre_action(ANN, "a", "r", "plan")
    assert decision.verdict is ALLOW
    done = guard.post_action(ANN, "a", "r", "do", {"n": 1}, decision.intent_id)
    assert [mark.id for mark in actions(guard)] == [done]
    assert guard.space.get_intents("a", "r") == []
    other = guard.pre_action(BOB, "a", "r", "plan", 1.0)
    assert (other.verdict, other.intent_id) == (CONFLICT, None)
    assert other.winning_intent is not None
    assert other.winning_intent.id == decision.intent_id
    assert guard.pre_action(ANN, "a", "r", "plan").verdict is ALLOW


def test_a_stronger_claim_goes_first_while_the_other_is_only_declared(store: Store) -> None:
    guard = guarded(store)
    weak = guard.pre_action(ANN, "a", "r", "plan", 0.4)
    strong = guard.pre_action(BOB, "a", "r", "plan", 0.8)
    assert (weak.verdict, strong.verdict) == (ALLOW, ALLOW)
    again = guard.pre_action(ANN, "a", "r", "plan", 0.5)
    assert again.verdict is CONFLICT
    assert again.winning_intent is not None
    assert again.winning_intent.id == strong.intent_id
    with pytest.raises(ClaimError, match="no live ALLOW"):
        guard.post_action(ANN, "a", "r", "do", None, weak.intent_id)
    guard.post_action(BOB, "a", "r", "do", None)


def test_ten_equal_claims_give_one_allow_and_nine_conflicts(store: Store) -> None:
    guard = guarded(store)
    verdicts = [guard.pre_action(agent(str(n)), "a", "r", "x").verdict for n in range(10)]
    assert verdicts == [ALLOW] + [CONFLICT] * 9


def test_an_action_needs_a_live_allow_of_that_agent_there(store: Store) -> None:
    guard = guarded(store)
    with pytest.raises(ClaimError):
        guard.post_action(ANN, "a", "r", "do", None)
    claim = guard.pre_action(ANN, "a", "r", "plan").intent_id
    for who, resource, name in ((BOB, "r", claim), (ANN, "other", claim), (ANN, "r", uuid4())):
        with pytest.raises(ClaimError):
            guard.post_action(who, "a", resource, "do", None, name)
    guard.space.set_clock(1e6)
    with pytest.raises(ClaimError):
        guard.post_action(ANN, "a", "r", "do", None, claim)
    assert actions(guard) == []


def test_a_running_tool_is_not_preempted_and_conflicts_name_its_holder(store: Store) -> None:
    guard = guarded(store)
    seen: list[Any] = []

    def tool() -> str:
        seen.append(guard.pre_action(BOB, "a", "r", "plan", 1.0))
        seen.append(guard.execute(ANN, "a", "r", "plan", "do", lambda: 1)[0])
        with pytest.raises(ClaimError):
            guard.post_action(ANN, "a", "r", "do", "early")
        return "done"

    decision, result = guard.execute(ANN, "a", "r", "plan", "do", tool, 0.1)
    assert (decision.verdict, result) == (ALLOW, "done")
    assert [other.verdict for other in seen] == [CONFLICT, CONFLICT]
    assert seen[0].winning_intent.id == decision.intent_id
    assert str(ANN.id) in seen[0].reason
    assert [mark.result for mark in actions(guard)] == ["done"]


def test_what_a_tool_raises_is_recorded_and_leaves_no_claim(store: Store) -> None:
    guard = guarded(store)

    def fail(error: BaseException) -> None:
        raise error

    for error in (RuntimeError("boom \ud800"), KeyboardInterrupt(), SystemExit(3)):
        with pytest.raises(type(error)):
            guard.execute(ANN, "a", "r", "plan", "do", fail, tool_args=(error,))
        assert guard.space.get_intents("a", "r") == []
    assert [mark.failed for mark in actions(guard)] == [True] * 3
    assert actions(guard)[0].result == {"error": "boom ?", "status": "failed"}
    assert guard.pre_action(BOB, "a", "r", "plan").verdict is ALLOW


def test_a_result_that_cannot_be_stored_is_a_failed_action(store: Store) -> None:
    guard = guarded(store)
    with pytest.raises(PayloadError, match="result"):
        guard.execute(ANN, "a", "r", "plan", "do", object)
    assert [mark.failed for mark in actions(guard)] == [True]


def test_what_would_fail_afterwards_fails_before_the_tool_runs(store: Store) -> None:
    guard = guarded(store, allowed_action_verbs=("do",))
    ran: list[int] = []
    with pytest.raises(ValidationError, match="wrong"):
        guard.execute(ANN, "a", "r", "plan", "wrong", ran.append, tool_args=(1,))
    planner = Agent(name="planner", scopes={"a": ["intent"]})
    decision, result = guard.execute(planner, "a", "r", "plan", "do", ran.append, tool_args=(1,))
    assert (decision.verdict, result) == (DENIED, None)
    assert "action" in decision.reason
    assert "intent" in guard.pre_action(Agent(name="nobody"), "a", "r", "plan").reason
    assert ran == []
    assert guard.space.get_intents("a", "r") == []


def test_a_repeated_claim_takes_the_place_of_the_earlier_one(store: Store) -> None:
    guard = guarded(store)
    guard.pre_action(BOB, "a", "r", "plan", 0.9)
    for _ in range(3):
        assert guard.pre_action(BOB, "a", "r", "plan", 0.8).verdict is ALLOW
    assert len(guard.space.get_intents("a", "r")) == 1


def test_a_claim_that_lost_bars_nobody(store: Store) -> None:
    guard = guarded(store)
    strong = guard.pre_action(BOB, "a", "r", "plan", 0.9)
    assert guard.pre_action(ANN, "a", "r", "plan", 0.8).verdict is CONFLICT
    assert guard.space.get_intents("a", "r") == [strong_intent(guard, strong)]
    assert guard.release(strong_intent(guard, strong))
    assert guard.pre_action(CAT, "a", "r", "plan", 0.1).verdict is ALLOW
    assert guard.pre_action(ANN, "a", "r", "plan", 0.2).verdict is ALLOW
    assert [intent.agent_id for intent in guard.space.get_intents("a", "r")] == [ANN.id]
    assert guard.space.verify().ok


def strong_intent(guard: Guard, decision: GuardDecision) -> Intent:
    """The intent of a decision."""
    assert decision.intent_id is not None
    intent = guard.space.get_mark(decision.intent_id)
    assert isinstance(intent, Intent)
    return intent


def test_a_released_claim_frees_the_resource(store: Store) -> None:
    guard = guarded(store)
    mine = guard.pre_action(ANN, "a", "r", "plan", 0.9).intent_id
    assert mine is not None
    assert not guard.release(mine, agent=BOB)
    assert not guard.release(uuid4())
    assert guard.release(mine, agent=ANN)
    assert not guard.release(mine)
    theirs = guard.pre_action(BOB, "a", "r", "plan", 0.1)
    assert theirs.verdict is ALLOW
    assert theirs.intent_id is not None
    assert guard.release(theirs.intent_id)
    assert guard.space.get_intents("a", "r") == []
    assert guard.space.verify().ok


@pytest.mark.parametrize(("first", "second"), [("a", "a/b"), ("a/b", "a")])
def test_claims_on_a_scope_and_on_one_below_it_conflict_both_ways(
    store: Store, first: str, second: str
) -> None:
    guard = guarded(store)
    assert guard.pre_action(ANN, first, "r", "plan", 0.9).verdict is ALLOW
    assert guard.pre_action(BOB, second, "r", "plan", 0.5).verdict is CONFLICT
    guard.post_action(ANN, first, "r", "do", None)
    assert guard.pre_action(BOB, second, "r", "plan", 1.0).verdict is CONFLICT
    assert guard.pre_action(BOB, "a/other" if first == "a/b" else "a", "q", "x").verdict is ALLOW


def test_when_all_yield_the_principal_is_asked_once_and_can_decide(store: Store) -> None:
    token = uuid4()
    scope = Scope(name="a", conflict_policy=ConflictPolicy.YIELD_ALL)
    guard = Guard(MarkSpace([scope], clock=1.0, store=store), principal_token=token)
    assert guard.pre_action(ANN, "a", "r", "plan").verdict is ALLOW
    for _ in range(3):
        assert guard.pre_action(BOB, "a", "r", "plan").verdict is BLOCKED
    assert guard.pre_action(ANN, "a", "r", "plan").verdict is BLOCKED
    (cluster,) = guard.space.aggregate_needs()
    assert [need.context["agent"] for need in cluster.needs] == [str(BOB.id), str(ANN.id)]
    assert (cluster.needs[0].priority, cluster.blocking_count) == (0.8, 2)
    assert not guard.choose("a", "r", BOB.id, uuid4())
    assert guard.choose("a", "r", BOB.id, token)
    assert guard.pre_action(ANN, "a", "r", "plan").verdict is BLOCKED
    decision, result = guard.execute(BOB, "a", "r", "plan", "do", lambda: 7)
    assert (decision.verdict, result) == (ALLOW, 7)
    assert guard.pre_action(ANN, "a", "r", "plan").verdict is CONFLICT


def yielding(store: Store) -> Guard:
    """A guard over a scope in which Ann and Bob yield to each other."""
    guard = guarded(store, "yield_all")
    for who in (ANN, BOB, ANN):
        decision = guard.pre_action(who, "a", "r", "plan")
    assert decision.verdict is BLOCKED
    return guard


@pytest.mark.parametrize(
    ("result", "chosen"),
    [(None, BOB), ({"agent": str(ANN.id)}, ANN), (str(ANN.id), ANN), ("no", None), ({}, None)],
    ids=["unsaid", "by a field", "by its id", "by another word", "by nothing"],
)
def test_the_answer_to_what_a_yielding_claim_asked_is_the_principals_choice(
    store: Store, result: Any, chosen: Agent | None
) -> None:
    guard, person = yielding(store), agent("person")
    (cluster,) = guard.space.aggregate_needs()
    assert cluster.needs[0].agent_id == BOB.id
    done = guard.space.write(person, Action(scope="a", resource="answer", result=result))
    guard.space.resolve(cluster.needs[0].id, done)
    verdicts = {who: guard.pre_action(who, "a", "r", "plan").verdict for who in (ANN, BOB)}
    assert verdicts == {who: ALLOW if who is chosen else BLOCKED for who in (ANN, BOB)}
    assert guard.pre_action(BOB, "a", "r", "plan").verdict is BLOCKED
    assert guard.space.verify().ok


def test_no_agent_chooses_itself_or_a_friend(store: Store) -> None:
    guard = yielding(store)
    (cluster,) = guard.space.aggregate_needs()
    of_bob, of_ann = cluster.needs
    own = guard.space.write(BOB, Action(scope="a", resource="answer"))
    guard.space.resolve(of_bob.id, own)
    friend = guard.space.write(CAT, Action(scope="a", resource="answer"))
    guard.space.resolve(of_ann.id, friend, agent=CAT)
    forged = {"resource": "r", "action": "plan", "agent": str(BOB.id)}
    need = guard.write_mark(BOB, Need(scope="a", question="Who may plan 'r'?", context=forged))
    guard.space.resolve(need, friend)
    for who in (ANN, BOB):
        assert guard.pre_action(who, "a", "r", "plan").verdict is BLOCKED


def test_the_principal_chooses_in_a_deferred_scope_where_all_yield(store: Store) -> None:
    token = uuid4()
    scope = Scope(name="a", conflict_policy=ConflictPolicy.YIELD_ALL, deferred=True)
    guard = Guard(MarkSpace([scope], clock=1.0, store=store), principal_token=token)
    for who in (ANN, BOB):
        guard.pre_action(who, "a", "r", "plan")
    assert {d.verdict for d in guard.resolve_deferred("a", "r").values()} == {BLOCKED}
    assert guard.choose("a", "r", BOB.id, token)
    decisions = guard.resolve_deferred("a", "r")
    assert [decisions[who.id].verdict for who in (ANN, BOB)] == [CONFLICT, ALLOW]
    guard.post_action(BOB, "a", "r", "do", None)


def test_a_deferred_scope_decides_for_all_at_once(store: Store) -> None:
    guard = guarded(store, deferred=True)
    for who, confidence in ((ANN, 0.5), (BOB, 0.9), (CAT, 0.7)):
        decision, result = guard.execute(who, "a", "r", "plan", "do", lambda: 1, confidence)
        assert (decision.verdict, result) == (BLOCKED, None)
        with pytest.raises(ClaimError):
            guard.post_action(who, "a", "r", "do", None)
    decisions = guard.resolve_deferred("a", "r")
    assert [decisions[who.id].verdict for who in (ANN, BOB, CAT)] == [CONFLICT, ALLOW, CONFLICT]
    assert [intent.agent_id for intent in guard.space.get_intents("a", "r")] == [BOB.id]
    guard.post_action(BOB, "a", "r", "do", "done")
    guard.pre_action(ANN, "a", "r", "plan")
    assert guard.resolve_deferred("a", "other") == {}
    guard.space.write(CAT, Intent(scope="a", resource="r", confidence=1.0))
    assert {d.verdict for d in guard.resolve_deferred("a", "r").values()} == {CONFLICT}
    assert guard.space.verify().ok


def test_a_deferred_boundary_leaves_out_who_lost_its_rights(store: Store) -> None:
    guard = guarded(store, deferred=True)
    for who, confidence in ((ANN, 0.9), (BOB, 0.5), (CAT, 0.8)):
        guard.pre_action(who, "a", "r", "plan", confidence)
    lost = Agent(name="ann", id=ANN.id, scopes={"a": ["intent"]})
    guard.get_or_create_barrier(CAT.id).narrow("a", "intent")
    decisions = guard.resolve_deferred("a", "r", {ANN.id: lost, BOB.id: BOB, CAT.id: CAT})
    assert [decisions[who.id].verdict for who in (ANN, BOB, CAT)] == [DENIED, ALLOW, DENIED]
    assert "barrier" in decisions[CAT.id].reason


def test_a_stalled_holder_is_taken_over_and_its_action_refused(store: Store) -> None:
    guard = guarded(store)
    claims = guard._contest.claims  # pyright: ignore[reportPrivateUsage]
    wall = [1000.0]
    claims.wall = lambda: wall[0]
    inside: list[Any] = []

    def stall() -> str:
        wall[0] += 60
        inside.append(guard.execute(BOB, "a", "r", "plan", "do", lambda: "second")[1])
        return "first"

    with pytest.raises(StaleFence):
        guard.execute(ANN, "a", "r", "plan", "do", stall)
    assert inside == ["second"]
    assert [mark.result for mark in actions(guard)] == ["second"]
    logged = [d for entry in guard.space.audit() for d in entry.decisions]
    assert [d.agent_id for d in logged if d.operation == "takeover"] == [str(ANN.id)]
    assert guard.space.verify().ok


def test_a_long_tool_keeps_its_claim_beyond_the_ttl(store: Store) -> None:
    short = DecayConfig(100, 100, 0.15)
    guard = Guard(MarkSpace([Scope(name="a", decay=short)], store=store))
    guard._contest.claims.ttl_s = 0.3  # pyright: ignore[reportPrivateUsage]
    others: list[GuardVerdict] = []

    def tool() -> None:
        for _ in range(4):
            time.sleep(0.15)
            others.append(guard.pre_action(BOB, "a", "r", "plan", 1.0).verdict)

    guard.execute(ANN, "a", "r", "plan", "do", tool, 0.1)
    assert others == [CONFLICT] * 4
    assert [mark.failed for mark in actions(guard)] == [False]
    assert guard.space.get_intents("a", "r") == []


def test_every_guarded_call_gives_one_event(store: Store) -> None:
    sink = InMemorySink()
    space = MarkSpace([Scope(name="a", allowed_action_verbs=("do",))], clock=1.0, store=store)
    guard = Guard(space, telemetry=sink)
    guard.execute(ANN, "a", "r", "plan", "do", lambda: 1)
    guard.execute(BOB, "a", "r", "plan", "do", lambda: 1)
    guard.pre_action(Agent(name="nobody"), "a", "r", "plan")
    with pytest.raises(ValidationError):
        guard.execute(ANN, "a", "q", "plan", "wrong", lambda: 1)
    with pytest.raises(ScopeError):
        guard.post_action(BOB, "a", "q", "do", None)
    expected = [
        ("execute", "allow"),
        ("execute", "conflict"),
        ("pre_action", "denied"),
        ("execute", "denied"),
        ("post_action", "denied"),
    ]
    assert [(event.operation, event.verdict) for event in sink.events] == expected
    logged = [d.operation for entry in space.audit() for d in entry.decisions]
    assert logged == [operation for operation, _ in expected]


def test_a_refused_claim_stores_nothing_but_needs(store: Store) -> None:
    guard = guarded(store)
    head = guard.space.head()
    guard.pre_action(Agent(name="nobody"), "a", "r", "plan")
    assert guard.space.head() == head


def test_dead_claims_are_reclaimed(store: Store) -> None:
    guard = guarded(store)
    guard.pre_action(ANN, "a", "r", "plan")
    assert guard.cleanup_locks() == 0
    guard.space.set_clock(1e6)
    assert guard.cleanup_locks() == 1
    assert guard.cleanup_locks() == 0


def test_an_agents_access_claims_as_itself(store: Store) -> None:
    guard = guarded(store)
    ann, bob = (guard.for_agent(guard.space.enroll(who)) for who in (ANN, BOB))
    claim = ann.pre_action("a", "r", "plan", 0.9)
    assert bob.pre_action("a", "r", "plan").verdict is CONFLICT
    assert claim.intent_id is not None
    assert not bob.release(claim.intent_id)
    assert ann.release(claim.intent_id)
    assert bob.execute("a", "r", "plan", "do", abs, tool_args=(-5,))[1] == 5
    forged = Agent(name="ann", id=ANN.id, scopes={"a": ALL})
    with pytest.raises(ScopeError):
        guard.pre_action(forged, "a", "r", "plan")


def test_a_full_quota_is_found_before_the_tool_runs(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], max_marks_per_agent=1, store=store)
    guard, ran = Guard(space), list[int]()
    arguments = (ANN, "a", "r", "plan", "do", ran.append, 0.5, (1,))
    guard.execute(*arguments)
    with pytest.raises(QuotaExceededError):
        guard.execute(*arguments)
    assert ran == [1]
    assert space.get_intents("a", "r") == []


def test_releasing_and_deciding_give_one_event_each(store: Store) -> None:
    sink = InMemorySink()
    scope = Scope(name="a", deferred=True)
    guard = Guard(MarkSpace([scope], clock=1.0, store=store), telemetry=sink)
    names = [guard.pre_action(who, "a", "r", "plan").intent_id for who in (ANN, BOB)]
    sink.clear()
    guard.resolve_deferred("a", "r")
    guard.resolve_deferred("a", "nothing")
    assert names[0] is not None
    guard.release(names[0])
    guard.release(names[0], BOB)
    assert [(event.operation, event.verdict) for event in sink.events] == [
        ("resolve_deferred", "allow"),
        ("resolve_deferred", ""),
        ("release", "allow"),
        ("release", "denied"),
    ]
