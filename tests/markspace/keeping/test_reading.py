"""What reads return: order, filters, visibility, decay, needs, subscriptions."""

import math
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markspace import (
    Action,
    Agent,
    AnyMark,
    ConflictPolicy,
    DecayConfig,
    Intent,
    MarkSpace,
    MarkType,
    Need,
    Observation,
    Scope,
    ScopeVisibility,
    ValidationError,
    Warning,
    WatchPattern,
)
from markspace.keeping.codec import resource_key
from markspace.keeping.reading import characters
from markspace.keeping.subscriptions import MAX_PENDING
from markspace.stores.base import Query, Store

ALL = [kind.value for kind in MarkType]
SLOW = DecayConfig(1000, 1000, 1000)


def agent(name: str = "ann", *scopes: str) -> Agent:
    """An agent that may write everything in scopes, by default in "a"."""
    return Agent(name=name, scopes=dict.fromkeys(scopes or ("a",), ALL))


@pytest.fixture
def space(store: Store) -> MarkSpace:
    """A space with one scope at time 100."""
    return MarkSpace([Scope(name="a", decay=SLOW)], clock=100.0, store=store)


def test_strength_orders_reads_and_ties_keep_the_order_of_writing(space: MarkSpace) -> None:
    ann = agent()
    weak = space.write(ann, Observation(scope="a", initial_strength=0.1))
    equal = [space.write(ann, Observation(scope="a")) for _ in range(5)]
    assert [mark.id for mark in space.read("a")] == [*equal, weak]
    assert len(space.read("a", min_strength=0.5)) == 5
    space.set_clock(100 + 20 * 1000)
    assert space.read("a") == []
    assert len(space.read("a", min_strength=0.0)) == 6


def test_filters_select_by_type_topic_and_resource(space: MarkSpace) -> None:
    ann = agent()
    marks: list[AnyMark] = [
        Observation(scope="a", topic="x"),
        Warning(scope="a/b", topic="x"),
        Intent(scope="a", resource="x"),
        Action(scope="a/b/c", resource="x"),
        Need(scope="a"),
    ]
    ids = [space.write(ann, mark) for mark in marks]

    def found(**filters: object) -> list[int]:
        return [ids.index(mark.id) for mark in space.read("a", **filters)]  # type: ignore[arg-type]

    assert found() == [0, 1, 2, 3, 4]
    assert found(topic="x") == [0, 1]
    assert found(resource="x") == [2, 3]
    assert found(topic="x", resource="x") == []
    assert found(topic="x", mark_type="warning") == [1]
    assert found(mark_type=MarkType.NEED) == [4]
    assert found(mark_type=MarkType.NEED, topic="x") == []
    assert [mark.id for mark in space.read("a/b")] == [ids[1], ids[3]]


def test_a_scope_whose_name_only_begins_alike_is_not_below(store: Store) -> None:
    names = ["a", "a/b", "a-b", "a.b", "ab", "a0", "a/b/c"]
    space = MarkSpace([Scope(name=name) for name in names], store=store)
    writer = agent("w", *names)
    for name in names:
        space.write(writer, Observation(scope=name, topic="t"))
    assert {mark.scope for mark in space.read("a", topic="t")} == {"a", "a/b", "a/b/c"}
    assert {mark.scope for mark in space.read("a")} == {"a", "a/b", "a/b/c"}


def test_visibility_is_that_of_the_marks_own_scope(store: Store) -> None:
    kinds = {"a": "open", "a/p": "protected", "a/c": "classified"}
    scopes = [Scope(name=n, visibility=ScopeVisibility(v)) for n, v in kinds.items()]
    space = MarkSpace(scopes, clock=1.0, store=store)
    writer, guest = agent("w"), Agent(name="guest")
    reader = Agent(name="reader", read_scopes=frozenset({"a"}))
    for scope in ("a", "a/p/deep", "a/c/deep"):
        space.write(writer, Observation(scope=scope, content=scope))

    def seen(who: Agent | None, scope: str = "a") -> list[object]:
        return [m.content for m in space.read(scope, reader=who) if isinstance(m, Observation)]

    assert seen(None) == seen(reader) == ["a", "a/p/deep", "a/c/deep"]
    assert seen(guest) == ["a", None]
    assert seen(guest, "a/c") == []
    secret = space.read("a/c")[0].id
    assert space.get_mark(secret, reader=guest) is None
    assert space.get_mark(secret, reader=reader) is not None
    assert space.read("a/p", reader=guest)[0].projected


def test_a_mark_decays_by_its_own_scope_however_it_is_read(store: Store) -> None:
    fast = DecayConfig(1, 1, 1)
    scopes = [Scope(name="a", decay=SLOW), Scope(name="a/fast", decay=fast)]
    space = MarkSpace(scopes, clock=0.0, store=store)
    space.write(agent(), Observation(scope="a/fast"))
    space.write(agent(), Observation(scope="a"))
    space.set_clock(20)
    assert [mark.scope for mark in space.read("a")] == ["a"]


def test_warnings_weaken_what_they_name_until_they_fade(store: Store) -> None:
    space = MarkSpace([Scope(name="a", decay=DecayConfig(1e9, 10, 1))], clock=0.0, store=store)
    ann = agent()
    target = space.write(ann, Observation(scope="a", topic="t"))
    space.write(ann, Warning(scope="a", topic="w", invalidates=target, initial_strength=0.8))
    assert space.read("a", topic="t", min_strength=0.5) == []
    assert [m.id for m in space.read("a", topic="t", min_strength=0.1)] == [target]
    space.set_clock(100)
    assert [m.id for m in space.read("a", topic="t", min_strength=0.5)] == [target]


def test_a_token_budget_skips_a_mark_that_never_fits_and_stops_at_the_limit(
    space: MarkSpace,
) -> None:
    ann = agent()
    space.write(ann, Observation(scope="a", content="x" * 3000))
    small = [space.write(ann, Observation(scope="a", content=n)) for n in range(5)]
    assert [mark.id for mark in space.read("a", max_tokens=200)] == small[:2]
    assert space.read("a", max_tokens=10) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.uuids(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NUMBERS = st.floats(0, 1)
MARKS: st.SearchStrategy[AnyMark] = st.one_of(
    st.builds(Observation, scope=st.text(), topic=st.text(), content=VALUES, confidence=NUMBERS),
    st.builds(Action, scope=st.text(), resource=st.text(), result=VALUES, failed=st.booleans()),
    st.builds(Need, scope=st.text(), context=VALUES, resolved_by=st.none() | st.uuids()),
    st.builds(Warning, scope=st.text(), reason=st.text(), invalidates=st.none() | st.uuids()),
    st.builds(Intent, scope=st.text(), resource=st.text(), initial_strength=NUMBERS),
)


@given(MARKS)
def test_a_mark_takes_as_many_characters_as_its_dump(mark: AnyMark) -> None:
    assert characters(mark) == len(str(mark.model_dump()))


def test_needs_are_grouped_and_resolved(space: MarkSpace) -> None:
    ann = agent()
    needs = [space.write(ann, Need(scope="a", question=q, priority=0.5)) for q in "xy"]
    space.write(ann, Need(scope="a/b", priority=0.9, blocking=True, context="c"))
    urgent, usual = space.aggregate_needs()
    assert (urgent.scope, urgent.blocking_count, urgent.contexts) == ("a/b", 1, ["c"])
    assert usual.effective_priority == pytest.approx(0.5 + 0.1 * math.log(2))
    done = space.write(ann, Action(scope="a"))
    copy = space.get_mark(space.resolve(needs[0], done))
    assert isinstance(copy, Need)
    assert (copy.agent_id, copy.resolved_by, copy.resolved_by_agent) == (ann.id, done, ann.id)
    assert [n.id for c in space.aggregate_needs() if c.scope == "a" for n in c.needs] == needs[1:]
    with pytest.raises(ValidationError, match="resolved"):
        space.resolve(needs[0], done)
    with pytest.raises(ValidationError, match="not a need"):
        space.resolve(done, done)
    with pytest.raises(ValidationError):
        space.resolve(needs[1], uuid4())
    with pytest.raises(ValidationError, match="failed"):
        space.resolve(needs[1], space.write(ann, Action(scope="a", failed=True)))


def test_conflicts_break_ties_by_order_of_writing(store: Store) -> None:
    for policy, expected in (("first_writer", 0), ("highest_confidence", 2), ("yield_all", None)):
        scope = Scope(name=policy, conflict_policy=ConflictPolicy(policy))
        space = MarkSpace([scope], clock=1.0, store=store)
        writer = agent("w", policy)
        assert space.check_conflict(policy, "r") is None
        ids: list[UUID] = []
        for confidence in (0.5, 0.5, 0.9, 0.9):
            claim = Intent(scope=policy, resource="r", confidence=confidence)
            ids.append(space.write(writer, claim))
            if len(ids) == 1:
                assert space.check_conflict(policy, "r") == ids[0]
        winner = space.check_conflict(policy, "r")
        assert winner == (None if expected is None else ids[expected])


def test_subscribers_hear_of_what_others_write_once_and_in_order(space: MarkSpace) -> None:
    ann, bob = agent("ann"), agent("bob")
    space.write(ann, Observation(scope="a", topic="before"))
    space.subscribe(bob, [WatchPattern(scope="a", topic="t"), WatchPattern(scope="a", topic="t")])
    ids = [space.write(ann, Observation(scope="a/b", topic="t")) for _ in range(3)]
    space.write(bob, Observation(scope="a", topic="t"))
    replaced = space.write(ann, Observation(scope="a", topic="other", supersedes=ids[0]))
    assert [m.id for m in space.get_watched_marks(bob, clear=False)] == [*ids, replaced]
    assert [m.id for m in space.get_watched_marks(bob)] == [*ids, replaced]
    assert space.get_watched_marks(bob) == []
    space.write(ann, Observation(scope="a", topic="t"))
    space.subscribe(bob, [])
    space.write(ann, Observation(scope="a", topic="t"))
    assert len(space.get_watched_marks(bob)) == 1
    space.unsubscribe(bob)
    assert space.get_watched_marks(ann) == []


def test_a_subscriber_hears_of_marks_that_were_archived_before_it_asked(space: MarkSpace) -> None:
    ann, bob = agent("ann"), agent("bob")
    space.subscribe(bob, [WatchPattern("a")])
    written = space.write(ann, Observation(scope="a", topic="t"))
    space.set_clock(1e9)
    assert space.gc() == 1
    assert [m.id for m in space.get_watched_marks(bob)] == [written]
    assert space.lost_marks(bob) == 0


@pytest.mark.long
def test_what_a_subscriber_is_too_late_for_is_counted(space: MarkSpace) -> None:
    ann, bob = agent("ann"), agent("bob")
    space.subscribe(bob, [WatchPattern("a", topic="t")])
    others = [(ann, Observation(scope="a", topic="u"))]
    ids = space.write_all([(ann, Observation(scope="a", topic="t"))] * (MAX_PENDING + 3) + others)
    assert space.lost_marks(bob) == 3
    assert [m.id for m in space.get_watched_marks(bob)] == ids[3:-1]
    assert (space.lost_marks(bob), space.lost_marks(ann)) == (3, 0)


def test_subscribers_hear_of_marks_as_their_scope_shows_them(store: Store) -> None:
    kinds = {"a": "open", "a/p": "protected", "a/c": "classified"}
    scopes = [Scope(name=n, visibility=ScopeVisibility(v)) for n, v in kinds.items()]
    space = MarkSpace(scopes, clock=1.0, store=store)
    writer, guest = agent("w"), Agent(name="guest")
    space.subscribe(guest, [WatchPattern("a")])
    for scope in kinds:
        space.write(writer, Observation(scope=scope, content=scope))
    heard = space.get_watched_marks(guest)
    assert [m.content for m in heard if isinstance(m, Observation)] == ["a", None]


def test_whoever_fetches_first_each_subscriber_hears_what_it_waits_for(space: MarkSpace) -> None:
    ann, bob, cleo, dan = (agent(name) for name in ("ann", "bob", "cleo", "dan"))
    space.subscribe(bob, [WatchPattern("a", topic="x"), WatchPattern("a/b")])
    space.subscribe(cleo, [WatchPattern("a", MarkType.ACTION, resource="x")])
    belief = space.write(ann, Observation(scope="a", topic="x"))
    assert [mark.id for mark in space.get_watched_marks(bob)] == [belief]
    space.subscribe(dan, [WatchPattern("a", topic="x")])
    fact = space.write(ann, Action(scope="a/b", resource="x"))
    newer = space.write(ann, Observation(scope="a", topic="y", supersedes=belief))
    space.unsubscribe(bob)
    space.subscribe(bob, [WatchPattern("a", topic="y")])
    assert [mark.id for mark in space.get_watched_marks(dan)] == [newer]
    assert [mark.id for mark in space.get_watched_marks(cleo)] == [fact]
    assert space.get_watched_marks(bob) == []
    space.subscribe(cleo, [])
    last = space.write(dan, Observation(scope="a", topic="y"))
    assert [mark.id for mark in space.get_watched_marks(bob)] == [last]
    assert space.get_watched_marks(cleo) == space.get_watched_marks(dan) == []


def test_an_exact_query_leaves_out_the_scopes_below(store: Store) -> None:
    ann, space = agent(), MarkSpace([Scope(name="a")], store=store)
    old = space.write(ann, Action(scope="a", resource="x"))
    below = [space.write(ann, Action(scope=f"a/{n}", resource="x")) for n in range(3)]
    kept = space.write(ann, Action(scope="a", resource="x", supersedes=old))
    with pytest.raises(KeyError), space.writing() as commit:
        commit.add(space.draft(ann, Action(scope="a", resource="x", supersedes=kept)))
        raise KeyError("so that it is taken back")
    key = resource_key("x")
    for query, expected in (
        (Query("a", key=key, exact=True), [kept]),
        (Query("a", (MarkType.ACTION,), exact=True), [kept]),
        (Query("a", key=key, exact=True, upto=1), [old]),
        (Query("a/1", key=key, exact=True), below[1:2]),
        (Query("a", key=key), [*below, kept]),
    ):
        with store.snapshot() as snapshot:
            rows = snapshot.select(query)
        assert [space.decoder.decode(row.body).id for row in rows] == expected
