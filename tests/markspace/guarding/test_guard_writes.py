"""The guard's write path: policies, refusals, telemetry, batches, and what agents hold."""

import inspect
from typing import Any, ClassVar

import pytest

from markspace import (
    Action,
    Agent,
    AnyMark,
    ContentPolicy,
    ContentPolicyError,
    FailingSink,
    Guard,
    InMemorySink,
    Intent,
    MarkSpace,
    MarkType,
    Need,
    Observation,
    PolicyResult,
    PolicyVerdict,
    Scope,
    ScopeError,
    ScopeVisibility,
    TelemetrySink,
    ValidationError,
    Warning,
    WatchPattern,
)
from markspace.errors import StaleFence
from markspace.stores.base import Store

ALL = ["intent", "action", "observation", "warning", "need"]


class Says(ContentPolicy):
    """Answers with what it was made with."""

    def __init__(self, verdict: str, content: Any = None, reason: str | None = None) -> None:
        self.answer = PolicyResult(PolicyVerdict(verdict), content, reason)
        self.seen: list[Any] = []

    def evaluate(self, agent: Agent, mark: AnyMark, scope: Scope) -> PolicyResult:
        self.seen.append(getattr(mark, "content", None))
        return self.answer


class Raises(ContentPolicy):
    """Fails."""

    def evaluate(self, agent: Agent, mark: AnyMark, scope: Scope) -> PolicyResult:
        raise KeyError("lost")


class Redacts(ContentPolicy):
    """Asks for every text."""

    inspects: ClassVar[tuple[str, ...]] = ("content", "reason", "question")

    def evaluate(self, agent: Agent, mark: AnyMark, scope: Scope) -> PolicyResult:
        fields = {field: "redacted" for field in self.inspects if hasattr(mark, field)}
        return PolicyResult(PolicyVerdict.REWRITE, fields)


class Results(ContentPolicy):
    """Lets no key pass, redacts names, and flags what is long."""

    inspects: ClassVar[tuple[str, ...]] = ("result",)

    def evaluate(self, agent: Agent, mark: AnyMark, scope: Scope) -> PolicyResult:
        assert isinstance(mark, Action)
        if "key" in str(mark.result):
            return PolicyResult(PolicyVerdict.REJECT, reason="that looks like a key")
        if "name" in str(mark.result):
            return PolicyResult(PolicyVerdict.REWRITE, {"result": "redacted"})
        verdict = PolicyVerdict.FLAG if len(str(mark.result)) > 9 else PolicyVerdict.ALLOW
        return PolicyResult(verdict, reason="long")


@pytest.fixture
def space(store: Store) -> MarkSpace:
    """A space with scope "a"."""
    return MarkSpace([Scope(name="a")], clock=1.0, store=store)


@pytest.fixture
def ann() -> Agent:
    """An agent that may do everything in "a"."""
    return Agent(name="ann", scopes={"a": ALL})


def guarded(space: MarkSpace, *policies: ContentPolicy) -> tuple[Guard, InMemorySink]:
    """A guard that reports to a list."""
    sink = InMemorySink()
    return Guard(space, telemetry=sink, content_policies=list(policies)), sink


def test_an_accepted_write_is_stored_reported_and_logged_once(space: MarkSpace, ann: Agent) -> None:
    guard, sink = guarded(space)
    name = guard.write_mark(ann, Observation(scope="a"))
    assert [mark.id for mark in space.read("a")] == [name]
    (event,) = sink.events
    assert (event.operation, event.verdict, event.scope) == ("write_mark", "accepted", "a")
    assert event.trace_id
    assert sink.counters[0][0] == "markspace.marks.written"
    assert sink.counters[0][2]["verdict"] == "accepted"
    *_, entry = space.audit()
    assert [(d.agent, d.verdict) for d in entry.decisions] == [("ann", "accepted")]


@pytest.mark.parametrize(
    ("mark", "error", "text"),
    [
        (Intent(scope="a"), ValueError, "Cannot write intent"),
        (Action(scope="a"), ValueError, "Cannot write action"),
        (Observation(scope="_system"), ScopeError, "may not write"),
        (Observation(scope="nowhere"), ValidationError, "not registered"),
        (Observation(scope="a", content=object()), ValidationError, "content"),
    ],
)
def test_a_refusal_is_raised_reported_and_logged_once(
    space: MarkSpace, ann: Agent, mark: Observation, error: type[Exception], text: str
) -> None:
    guard, sink = guarded(space)
    with pytest.raises(error, match=text):
        guard.write_mark(ann, mark)
    (event,) = sink.events
    assert event.verdict == "denied"
    assert text in event.reason
    assert space.head() == 0
    *_, entry = space.audit()
    assert (entry.kind, entry.decisions[0].reason) == ("refusal", event.reason)


def test_a_quota_refusal_at_the_store_is_reported_too(store: Store, ann: Agent) -> None:
    space = MarkSpace([Scope(name="a")], max_marks_per_agent=1, store=store)
    guard, sink = guarded(space)
    guard.write_mark(ann, Observation(scope="a"))
    with pytest.raises(Exception, match="live marks"):
        guard.write_mark(ann, Observation(scope="a"))
    assert [event.verdict for event in sink.events] == ["accepted", "denied"]


def test_a_rewrite_feeds_the_next_policy_and_the_first_reject_stops(
    space: MarkSpace, ann: Agent
) -> None:
    rewrite, reject, last = Says("rewrite", "clean"), Says("reject", reason="rude"), Says("allow")
    guard, sink = guarded(space, rewrite, reject, last)
    with pytest.raises(ContentPolicyError, match=r"^rude$"):
        guard.write_mark(ann, Observation(scope="a", content="dirty"))
    assert (rewrite.seen, reject.seen, last.seen) == (["dirty"], ["clean"], [])
    assert space.read("a") == []
    assert [(e.operation, e.verdict) for e in sink.events] == [
        ("content_policy", "rewrite"),
        ("content_policy", "reject"),
        ("write_mark", "rejected"),
    ]
    assert len({event.trace_id for event in sink.events}) == 1
    assert sink.counters[0][2]["verdict"] == "content_rejected"
    Guard(space, content_policies=[rewrite]).write_mark(ann, Observation(scope="a", content=1))
    (mark,) = space.read("a")
    assert isinstance(mark, Observation)
    assert mark.content == "clean"


def test_flags_are_kept_with_the_mark_in_one_warning(space: MarkSpace, ann: Agent) -> None:
    guard, _ = guarded(space, Says("flag", reason="odd"), Says("flag", reason="very odd"))
    guard.write_mark(ann, Observation(scope="a"))
    (warning,) = space.read("_system")
    assert isinstance(warning, Warning)
    assert (warning.topic, warning.severity) == ("content-policy-flag", "caution")
    assert warning.reason == "ann in a: odd; very odd"
    *_, entry = space.audit()
    assert len(entry.marks) == 2


def test_a_policy_that_raises_rejects(space: MarkSpace, ann: Agent) -> None:
    guard, sink = guarded(space, Raises())
    with pytest.raises(ContentPolicyError, match="Raises failed: KeyError"):
        guard.write_mark(ann, Observation(scope="a"))
    assert [event.verdict for event in sink.events] == ["reject", "rejected"]


def test_policies_see_observations_only_unless_they_ask_for_more(
    space: MarkSpace, ann: Agent
) -> None:
    strict = Says("reject")
    guard, _ = guarded(space, strict)
    guard.write_mark(ann, Need(scope="a", question="q"))
    guard.write_mark(ann, Warning(scope="a", reason="r"))
    assert strict.seen == []
    guard, _ = guarded(space, Redacts())
    for mark in (Need(scope="a", question="q"), Observation(scope="a", content="c")):
        guard.write_mark(ann, mark)
    assert "redacted" in [getattr(m, "question", None) for m in space.read("a")]
    assert "redacted" in [getattr(m, "content", None) for m in space.read("a")]


def test_a_batch_passes_whole_or_not_at_all(space: MarkSpace, ann: Agent) -> None:
    guard, sink = guarded(space)
    system = space.enroll(Agent(name="sys", scopes={"a": ALL}), system=True)
    handle = space.enroll(ann)
    good, bad = Observation(scope="a", content=1), Observation(scope="b")
    with pytest.raises(ValidationError):
        guard.write_all([(handle, good), (handle, bad)], infrastructure=[(system, Action())])
    with pytest.raises(ValueError, match="Cannot write action"):
        guard.write_all([(handle, Action(scope="a"))])
    with pytest.raises(ScopeError, match="not a system agent"):
        guard.write_all([], infrastructure=[(handle, Action(scope="a"))])
    assert space.head() == 0
    sink.clear()
    ids = guard.write_all([(handle, good)], infrastructure=[(system, Action(scope="a"))])
    assert [mark.id for _, mark in space.history()] == ids
    assert [event.verdict for event in sink.events] == ["accepted"]
    *_, entry = space.audit()
    assert len(entry.marks) == 2


def test_a_batch_with_a_stale_fence_is_refused(space: MarkSpace, ann: Agent) -> None:
    guard, sink = guarded(space)
    lease = space.leases.acquire("run", "ann", 60.0)
    space.leases.release(lease)
    with pytest.raises(StaleFence):
        guard.write_all([(ann, Observation(scope="a"))], fence=lease)
    assert [event.verdict for event in sink.events] == ["denied"]
    assert space.head() == 0


@pytest.mark.parametrize("sink", [FailingSink(), None])
def test_a_sink_cannot_change_what_happens(
    space: MarkSpace, ann: Agent, sink: TelemetrySink | None
) -> None:
    guard = Guard(space, telemetry=sink, content_policies=[Says("allow")])
    guard.write_mark(ann, Observation(scope="a"))
    with pytest.raises(ScopeError):
        guard.write_mark(ann, Observation(scope="_system"))
    assert space.head() == 1


def test_an_agent_holds_no_way_to_the_space(space: MarkSpace, ann: Agent) -> None:
    guard, _ = guarded(space)
    access = guard.for_agent(space.enroll(ann))
    name = access.write_mark(Observation(scope="a", topic="t"))
    assert [mark.id for mark in access.read("a", topic="t")] == [name]
    assert access.agent == ann
    reachable = [value for _, value in inspect.getmembers(access)]
    assert not any(isinstance(value, MarkSpace | Guard | type(space.store)) for value in reachable)
    with pytest.raises(AttributeError):
        access.space  # type: ignore[attr-defined] # noqa: B018
    with pytest.raises(AttributeError):
        access.extra = 1  # type: ignore[attr-defined]


def test_an_agents_access_reads_subscribes_and_resolves_as_itself(
    space: MarkSpace, ann: Agent
) -> None:
    space.register_scope(Scope(name="a/s", visibility=ScopeVisibility.CLASSIFIED))
    guard, _ = guarded(space)
    eve = Agent(name="eve", scopes={"a": ALL})
    mine, theirs = (guard.for_agent(space.enroll(who)) for who in (ann, eve))
    theirs.subscribe([WatchPattern("a")])
    need = mine.write_mark(Need(scope="a", question="q"))
    secret = mine.write_mark(Observation(scope="a/s"))
    assert [mark.id for mark in theirs.get_watched_marks()] == [need]
    assert theirs.get_mark(secret) is None
    _, _ = theirs.execute("a", "r", "plan", "do", int)
    (done,) = theirs.read("a", resource="r")
    resolved = theirs.resolve(need, done.id)
    assert mine.get_mark(resolved) is not None
    with pytest.raises(ValidationError):
        mine.resolve(need, done.id)


def test_two_guards_share_a_space(space: MarkSpace, ann: Agent) -> None:
    for _ in range(2):
        guard, _ = guarded(space, Says("flag"))
        guard.write_mark(ann, Observation(scope="a"))
    assert len(space.read("_system")) == 2
    assert space.verify().ok


@pytest.mark.parametrize(
    ("said", "stored"),
    [("ok", "ok"), ("a name", "redacted"), ("a key", {"withheld": "that looks like a key"})],
)
def test_a_policy_that_asks_for_results_sees_those_of_tools(
    space: MarkSpace, ann: Agent, said: str, stored: object
) -> None:
    guard, _ = guarded(space, Results())
    decision, result = guard.execute(ann, "a", "host", "reboot", "rebooted", lambda: said)
    assert (decision.verdict.value, result) == ("allow", said)
    (action,) = space.read("a", mark_type=MarkType.ACTION)
    assert isinstance(action, Action)
    assert (action.result, action.failed) == (stored, False)
    bob = Agent(name="bob", scopes={"a": ALL})
    assert guard.pre_action(bob, "a", "host", "reboot").verdict.value == "conflict"


def test_a_policy_sees_what_a_tool_failed_with(space: MarkSpace, ann: Agent) -> None:
    def fails() -> None:
        raise ValueError("no such key")

    guard, _ = guarded(space, Results())
    with pytest.raises(ValueError, match="no such key"):
        guard.execute(ann, "a", "host", "reboot", "rebooted", fails)
    (action,) = space.read("a", mark_type=MarkType.ACTION)
    assert isinstance(action, Action)
    assert (action.result, action.failed) == ({"withheld": "that looks like a key"}, True)


def test_a_result_that_a_policy_rejects_leaves_the_claim(space: MarkSpace, ann: Agent) -> None:
    guard, _ = guarded(space, Results())
    guard.pre_action(ann, "a", "host", "reboot")
    with pytest.raises(ContentPolicyError, match="looks like a key"):
        guard.post_action(ann, "a", "host", "rebooted", "a key")
    guard.post_action(ann, "a", "host", "rebooted", "a long result")
    (action,) = space.read("a", mark_type=MarkType.ACTION)
    (warning,) = space.read("_system", mark_type=MarkType.WARNING)
    assert isinstance(action, Action)
    assert isinstance(warning, Warning)
    assert action.result == "a long result"
    assert "long" in warning.reason
