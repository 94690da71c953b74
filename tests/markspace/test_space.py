"""Writing to a space, on every store: rules, payloads, batches, order, growth."""

import math
from threading import Thread
from typing import Any
from uuid import UUID, uuid4

import pytest

from markspace import (
    Action,
    Agent,
    AnyMark,
    DecayConfig,
    Intent,
    Mark,
    MarkSpace,
    MarkType,
    Need,
    Observation,
    QuotaExceededError,
    Scope,
    ScopeError,
    ScopeVisibility,
    Source,
    ValidationError,
    Warning,
)
from markspace.errors import PayloadError, StoreError
from markspace.stores.base import Store

ALL = [kind.value for kind in MarkType]
SLOW = DecayConfig(1000, 1000, 1000)


def agent(name: str = "ann", *scopes: str) -> Agent:
    """An agent that may write everything in scopes, by default in "a"."""
    return Agent(name=name, scopes=dict.fromkeys(scopes or ("a",), ALL))


@pytest.fixture
def space(store: Store) -> MarkSpace:
    """A space with one scope at time 100."""
    return MarkSpace([Scope(name="a", decay=SLOW)], clock=100.0, store=store)


def test_a_written_mark_is_a_copy_with_author_id_and_time(space: MarkSpace) -> None:
    ann = agent()
    given = Observation(scope="a", topic="t", content={"k": [1, (2, 3)]}, confidence=0.9)
    name = space.write(ann, given)
    (mark,) = space.read("a")
    assert isinstance(mark, Observation)
    assert (mark.id, mark.agent_id, mark.created_at) == (name, ann.id, 100.0)
    assert (mark.content, mark.confidence) == ({"k": [1, [2, 3]]}, 0.9)
    assert name != given.id
    assert given.created_at == 0


def test_what_was_read_or_written_cannot_reach_into_the_space(space: MarkSpace) -> None:
    content = {"k": [1]}
    space.write(agent(), Observation(scope="a", content=content))
    content["k"].append(2)
    for _ in range(2):
        (mark,) = space.read("a")
        assert isinstance(mark, Observation)
        assert mark.content == {"k": [1]}
        mark.content["k"].append(3)


@pytest.mark.parametrize(
    ("mark", "error"),
    [
        (Observation(scope="nowhere"), ValidationError),
        (Observation(scope="b"), ScopeError),
        (Observation(scope="rules", topic="wrong"), ValidationError),
        (Warning(scope="rules", topic="wrong"), ValidationError),
        (Intent(scope="rules", action="wrong"), ValidationError),
        (Action(scope="rules", action="wrong"), ValidationError),
        (Observation(scope="rules", topic="ok", source=Source.FLEET), ScopeError),
    ],
)
def test_what_breaks_a_rule_is_refused_and_stores_nothing(
    store: Store, mark: AnyMark, error: type[Exception]
) -> None:
    rules = Scope(
        name="rules",
        observation_topics=("ok",),
        warning_topics=("ok",),
        allowed_intent_verbs=("ok",),
        allowed_action_verbs=("ok",),
    )
    space = MarkSpace([rules, Scope(name="b")], store=store)
    writer = Agent(name="x", scopes={"rules": ALL}, max_source=Source.EXTERNAL_VERIFIED)
    with pytest.raises(error):
        space.write(writer, mark)
    assert space.head() == 0
    space.write(writer, Observation(scope="rules", topic="ok", source=Source.EXTERNAL_VERIFIED))
    space.write(writer, Intent(scope="rules/below", action="ok"))


@pytest.mark.parametrize("bad", [{1, 2}, object(), math.nan, {"x": {(1,): 2}}, 2**70, "\ud800"])
def test_a_payload_that_cannot_be_stored_is_named(space: MarkSpace, bad: object) -> None:
    with pytest.raises(PayloadError, match=r"content\.k"):
        space.write(agent(), Observation(scope="a", content={"k": bad}))
    space.write(agent(), Observation(scope="a", content={"k": "fine"}))


def test_a_payload_of_100_megabytes_is_refused_with_the_way_out(space: MarkSpace) -> None:
    with pytest.raises(PayloadError, match=r"result takes 1\d{8} bytes.*path"):
        space.write(agent(), Action(scope="a", result=bytes(100 * 1024**2)))
    assert space.head() == 0


def test_large_values_are_kept_once_and_come_back_whole(space: MarkSpace) -> None:
    text, data = "ä" * 5000, bytes(range(256)) * 100
    many = [str(n) for n in range(5000)]
    for number in range(3):
        content = {"n": number, "text": text, "data": data, "list": many}
        space.write(agent(), Observation(scope="a", content=content))
    observations = [mark for mark in space.read("a") if isinstance(mark, Observation)]
    assert [mark.content["n"] for mark in observations] == [0, 1, 2]
    assert all(mark.content["text"] == text for mark in observations)
    assert all(mark.content["data"] == data for mark in observations)
    assert all(mark.content["list"] == many for mark in observations)


def test_a_batch_is_stored_whole_or_not_at_all(space: MarkSpace) -> None:
    ann = agent()
    head = space.audit_head()
    bad = [(ann, Observation(scope="a")), (ann, Observation(scope="a", supersedes=uuid4()))]
    with pytest.raises(ValidationError, match="supersedes"):
        space.write_all(bad)
    assert (space.head(), space.audit_head(), space.read("a")) == (0, head, [])
    first = space.write(ann, Observation(scope="a", topic="old"))
    bad = [(ann, Observation(scope="a", supersedes=first)), *bad]
    with pytest.raises(ValidationError):
        space.write_all(bad)
    assert [mark.id for mark in space.read("a", topic="old")] == [first]
    assert space.verify().ok


def test_a_batch_may_refer_to_itself_through_named_ids(store: Store) -> None:
    names = iter([UUID(int=1), UUID(int=2)])
    space = MarkSpace([Scope(name="a")], store=store, id_factory=lambda mark: next(names))
    old, new = Observation(scope="a"), Observation(scope="a", supersedes=UUID(int=1))
    ann = agent()
    assert space.write_all([(ann, old), (ann, new)]) == [UUID(int=1), UUID(int=2)]
    assert [mark.id for mark in space.read("a")] == [UUID(int=2)]


def test_an_id_that_exists_is_refused(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], store=store, id_factory=lambda mark: UUID(int=1))
    space.write(agent(), Observation(scope="a"))
    with pytest.raises(ValidationError, match="id_factory"):
        space.write(agent(), Observation(scope="a"))


def test_the_id_factory_sees_author_and_time(store: Store) -> None:
    seen: list[AnyMark] = []

    def factory(mark: AnyMark) -> UUID:
        seen.append(mark)
        return uuid4()

    space = MarkSpace([Scope(name="a")], clock=7.0, store=store, id_factory=factory)
    ann = agent()
    space.write(ann, Observation(scope="a", topic="t"))
    assert (seen[0].agent_id, seen[0].created_at, seen[0].scope) == (ann.id, 7.0, "a")


def test_only_the_newest_of_a_chain_is_read_and_all_are_kept(space: MarkSpace) -> None:
    ann, last = agent(), None
    ids: list[UUID] = []
    for number in range(50):
        last = space.write(ann, Observation(scope="a", topic="t", content=number, supersedes=last))
        ids.append(last)
    assert [mark.id for mark in space.read("a", topic="t")] == [last]
    assert all(space.get_mark(name) is not None for name in ids)
    assert [mark.id for _, mark in space.history("a")] == ids
    assert [sequence for sequence, _ in space.history(after=10, limit=3)] == [11, 12, 13]
    assert [space.sequence_of(name) for name in ids] == list(range(1, 51))
    assert space.sequence_of(uuid4()) is None


def test_time_never_runs_backwards_in_what_is_written(space: MarkSpace) -> None:
    times: list[float] = []
    for t in (100, 50, 150, 120):
        space.set_clock(t)
        mark = space.get_mark(space.write(agent(), Action(scope="a")))
        assert mark is not None
        times.append(mark.created_at)
    assert times == [100, 100, 150, 150]


def test_a_quota_counts_live_marks_and_replacing_an_own_one_is_free(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], max_marks_per_agent=2, store=store)
    ann = agent()
    ids = [space.write(ann, Observation(scope="a")) for _ in range(2)]
    with pytest.raises(QuotaExceededError, match="supersede"):
        space.write(ann, Observation(scope="a"))
    space.write(ann, Observation(scope="a", supersedes=ids[0]))
    space.write(agent("bob"), Observation(scope="a"))
    with pytest.raises(QuotaExceededError):
        space.write(ann, Observation(scope="a", supersedes=ids[0]))


def test_garbage_collection_archives_and_get_mark_still_finds(space: MarkSpace) -> None:
    ann = agent()
    intent = space.write(ann, Intent(scope="a", resource="r"))
    need = space.write(ann, Need(scope="a"))
    done = space.write(ann, Action(scope="a"))
    resolved = space.resolve(need, done)
    assert space.gc() == 2
    space.set_clock(100 + 1001)
    assert space.gc(grace_period=500) == 0
    assert space.gc() == 1
    assert [mark.id for mark in space.read("a", min_strength=0.0)] == [done]
    assert all(space.get_mark(name) for name in (intent, need, done, resolved))
    assert space.verify().ok
    with pytest.raises(ValueError, match="grace_period"):
        space.gc(-1)


def test_hooks_run_after_the_commit_and_cannot_harm(space: MarkSpace) -> None:
    seen: list[tuple[UUID, Mark]] = []

    def hook(agent_id: UUID, mark: AnyMark) -> None:
        assert space.get_mark(mark.id) is not None
        seen.append((agent_id, mark))

    def broken(agent_id: UUID, mark: AnyMark) -> None:
        raise RuntimeError("broken")

    space.add_write_hook(broken)
    handle = space.add_write_hook(hook)
    ann = agent()
    name = space.write(ann, Observation(scope="a"))
    assert [(who, mark.id) for who, mark in seen] == [(ann.id, name)]
    assert space.remove_write_hook(handle)
    assert not space.remove_write_hook(handle)
    space.write(ann, Observation(scope="a"))
    assert len(seen) == 1


def test_scopes_are_kept_in_the_store(store: Store) -> None:
    MarkSpace([Scope(name="a", decay=SLOW)], store=store)
    again = MarkSpace(store=store)
    assert again.get_scope("a/b").decay == SLOW
    late = Scope(name="late", visibility=ScopeVisibility.CLASSIFIED)
    MarkSpace([late], store=store)
    assert again.get_scope("late") == late
    assert [scope.name for scope in again.scopes()] == ["a", "late"]
    assert again.verify().ok


def test_scopes_that_are_added_together_are_on_record_one_by_one_and_all_or_none(
    store: Store,
) -> None:
    space = MarkSpace([Scope(name=f"s{n}") for n in range(3)], store=store)
    again = MarkSpace(store=store)
    wrong: list[Any] = [Scope(name="late"), "no scope"]
    with pytest.raises(ValidationError, match="is not a scope"):
        again.register_scopes(wrong)
    assert not space.is_registered("late")
    again.register_scopes([Scope(name="s1"), Scope(name="late")])
    assert space.is_registered("late")
    told = [entry.subject.partition(" ")[0] for entry in space.audit() if entry.kind == "scope"]
    assert told == ["s0", "s1", "s2", "late"]
    assert space.verify().ok


def test_threads_share_one_order(space: MarkSpace) -> None:
    def work(name: str) -> None:
        writer = agent(name)
        for _ in range(50):
            space.write(writer, Observation(scope="a", topic=name))

    threads = [Thread(target=work, args=(str(n),)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [sequence for sequence, _ in space.history()] == list(range(1, 401))
    assert space.verify().ok


def test_long_topics_are_found_and_too_long_texts_refused(space: MarkSpace) -> None:
    ann = agent()
    for topic in ("ä" * 300, "ä" * 100_000):
        name = space.write(ann, Observation(scope="a", topic=topic))
        assert [mark.id for mark in space.read("a", topic=topic)] == [name]
    with pytest.raises(PayloadError, match=r"topic has \d+ characters"):
        space.write(ann, Observation(scope="a", topic="x" * 2**21))
    with pytest.raises(PayloadError, match=r"scope has 502 characters"):
        space.write(ann, Observation(scope="a/" + "x" * 500))
    with pytest.raises(PayloadError, match="NUL"):
        space.write(ann, Observation(scope="a", topic="x\x00"))


def test_hooks_and_id_factories_see_whole_payloads(store: Store) -> None:
    content, seen = {"text": "x" * 10_000, "n": [1]}, list[object]()

    def factory(mark: AnyMark) -> UUID:
        seen.append(getattr(mark, "content", None))
        return uuid4()

    space = MarkSpace([Scope(name="a")], store=store, id_factory=factory)
    space.add_write_hook(lambda agent_id, mark: seen.append(getattr(mark, "content", None)))
    space.write(agent(), Observation(scope="a", content=content))
    assert seen == [content, content]


def test_a_write_inside_a_write_is_an_error_and_harms_nothing(store: Store) -> None:
    def factory(mark: AnyMark) -> UUID:
        return space.write(agent(), Observation(scope="a"))

    space = MarkSpace([Scope(name="a")], store=store, id_factory=factory)
    with pytest.raises(StoreError, match="open in this thread"):
        space.write(agent(), Observation(scope="a"))
    assert space.head() == 0
    assert space.verify().ok
