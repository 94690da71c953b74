"""What is no agent, mark, scope, id or export is refused by an error of ours that says so."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from markspace import (
    Agent,
    Guard,
    Intent,
    MarkSpace,
    MarkType,
    Observation,
    Scope,
    ScopeError,
    StatisticalEnvelope,
    TokenBudget,
    ValidationError,
    Warning,
)
from markspace.stores.base import Store
from tests.support.markspace_house import TOKEN

ALL = [kind.value for kind in MarkType]
ANN = Agent(name="ann", scopes={"a": ALL})
WRONG: list[Any] = [None, "ann", 5, {}, object()]
NO_NAMES: list[Any] = [None, 5, {}, ["a"]]
NO_IDS: list[Any] = ["ann", 5, {}]
MARK, CLAIM = Observation(scope="a"), ("a", "r", "plan")

Call = Callable[[Guard, Any], object]

AGENT_CALLS: dict[str, Call] = {
    "write": lambda guard, who: guard.space.write(who, MARK),
    "write_all": lambda guard, who: guard.space.write_all([(who, MARK)]),
    "subscribe": lambda guard, who: guard.space.subscribe(who, []),
    "get_watched_marks": lambda guard, who: guard.space.get_watched_marks(who),
    "enroll": lambda guard, who: guard.space.enroll(who),
    "write_mark": lambda guard, who: guard.write_mark(who, MARK),
    "guarded write_all": lambda guard, who: guard.write_all([(who, MARK)]),
    "infrastructure": lambda guard, who: guard.write_all([], infrastructure=[(who, MARK)]),
    "for_agent": lambda guard, who: guard.for_agent(who),
    "pre_action": lambda guard, who: guard.pre_action(who, *CLAIM),
    "post_action": lambda guard, who: guard.post_action(who, *CLAIM, None),
    "execute": lambda guard, who: guard.execute(who, *CLAIM, "do", int),
    "record_round_tokens": lambda guard, who: guard.record_round_tokens(who, 1, 1),
    "update_budget": lambda guard, who: guard.update_budget(who, TokenBudget(1, 1), TOKEN),
}
MARK_CALLS: dict[str, Call] = {
    "write": lambda guard, mark: guard.space.write(ANN, mark),
    "write_all": lambda guard, mark: guard.space.write_all([(ANN, mark)]),
    "write_mark": lambda guard, mark: guard.write_mark(ANN, mark),
    "guarded write_all": lambda guard, mark: guard.write_all([(ANN, mark)]),
}
SCOPE_CALLS: dict[str, Call] = {
    "write": lambda guard, scope: guard.space.write(ANN, Observation(scope=scope)),
    "intent": lambda guard, scope: guard.space.write(ANN, Intent(scope=scope)),
    "write_mark": lambda guard, scope: guard.write_mark(ANN, Observation(scope=scope)),
    "pre_action": lambda guard, scope: guard.pre_action(ANN, scope, "r", "plan"),
    "post_action": lambda guard, scope: guard.post_action(ANN, scope, "r", "do", None),
    "execute": lambda guard, scope: guard.execute(ANN, scope, "r", "plan", "do", int),
    "read": lambda guard, scope: guard.space.read(scope),
    "get_scope": lambda guard, scope: guard.space.get_scope(scope),
}
ID_CALLS: dict[str, Call] = {
    "get_mark": lambda guard, name: guard.space.get_mark(name),
    "sequence_of": lambda guard, name: guard.space.sequence_of(name),
    "attest": lambda guard, name: guard.space.attest(name),
    "resolve": lambda guard, name: guard.space.resolve(name, name),
    "release": lambda guard, name: guard.release(name),
}
REFERENCES: dict[str, Call] = {
    "supersedes": lambda guard, n: guard.write_mark(ANN, Observation(scope="a", supersedes=n)),
    "invalidates": lambda guard, n: guard.write_mark(ANN, Warning(scope="a", invalidates=n)),
}


@pytest.fixture
def guard(store: Store) -> Guard:
    """A guard over a space with scope "a"."""
    return Guard(MarkSpace([Scope(name="a")], clock=1.0, store=store), principal_token=TOKEN)


@pytest.mark.parametrize("call", AGENT_CALLS.values(), ids=AGENT_CALLS)
def test_what_is_no_agent_does_nothing(guard: Guard, call: Call) -> None:
    for wrong in WRONG:
        with pytest.raises(ScopeError, match=r"is not an agent; pass an Agent, or the handle"):
            call(guard, wrong)
    assert guard.space.head() == 0


@pytest.mark.parametrize("call", MARK_CALLS.values(), ids=MARK_CALLS)
def test_what_is_no_mark_is_not_written(guard: Guard, call: Call) -> None:
    for wrong in WRONG:
        with pytest.raises(ValidationError, match="only marks can be written, not "):
            call(guard, wrong)
    assert guard.space.head() == 0


@pytest.mark.parametrize("call", SCOPE_CALLS.values(), ids=SCOPE_CALLS)
def test_what_is_no_name_of_a_scope_is_refused(guard: Guard, call: Call) -> None:
    for wrong in NO_NAMES:
        with pytest.raises(ValidationError, match=r"scope=.* must be the name of a scope"):
            call(guard, wrong)
    assert guard.space.head() == 0


@pytest.mark.parametrize("call", ID_CALLS.values(), ids=ID_CALLS)
def test_what_is_no_id_is_refused(guard: Guard, call: Call) -> None:
    for wrong in [*WRONG, str(uuid4())]:
        with pytest.raises(ValidationError, match="must be a UUID"):
            call(guard, wrong)


@pytest.mark.parametrize("field", REFERENCES)
def test_a_mark_that_refers_to_what_is_no_id_is_refused(guard: Guard, field: str) -> None:
    for wrong in NO_IDS:
        with pytest.raises(ValidationError, match=f"{field}=.* must be a UUID"):
            REFERENCES[field](guard, wrong)
    assert guard.space.head() == 0


def test_scopes_topics_resources_and_patterns_are_what_they_are_called(guard: Guard) -> None:
    space = guard.space
    wrong: Any = 5
    for call in (lambda: space.register_scope(wrong), lambda: MarkSpace([wrong])):
        with pytest.raises(ValidationError, match=r"5 is not a scope; pass Scope\(name="):
            call()
    for call in (lambda: space.read("a", topic=wrong), lambda: space.check_conflict("a", wrong)):
        with pytest.raises(ValidationError, match="5 must be text"):
            call()
    with pytest.raises(ValidationError, match="5 is not a pattern"):
        space.subscribe(ANN, [wrong])
    with pytest.raises(ValueError, match="name=5 must be a string"):
        Scope(name=wrong)
    with pytest.raises(ValueError, match="scopes=5 must be a dict"):
        Agent(name="x", scopes=wrong)


@pytest.mark.parametrize("field", ["restricted", "completed_windows", "welford_n", "welford_m2"])
def test_stats_that_lack_a_part_are_refused_whole(field: str) -> None:
    agent_id, envelope = uuid4(), StatisticalEnvelope(clock=lambda: 0.0)
    envelope.seed_baseline(agent_id, {MarkType.OBSERVATION: 100.0, MarkType.NEED: 1.0})
    exported = envelope.export_stats()
    del exported[str(agent_id)][field]
    fresh = StatisticalEnvelope(clock=lambda: 0.0)
    with pytest.raises(ValidationError, match=f"{field}.* is missing; pass what export_stats"):
        fresh.import_stats(exported)
    stats = fresh.get_stats(agent_id)
    assert stats is None or (stats.completed_windows, stats.welford_n) == (0, {})


def test_stats_of_what_is_no_agent_or_no_numbers_are_refused() -> None:
    stats: list[Any] = [{"ann": {"restricted": False}}, {str(uuid4()): None}]
    for exported in stats:
        with pytest.raises(ValidationError, match="cannot be taken over"):
            StatisticalEnvelope().import_stats(exported)


@pytest.mark.parametrize("writes", [5, [5], [(ANN,)], [(ANN, MARK, MARK)], None])
def test_what_is_no_pair_of_author_and_mark_is_refused(store: Store, writes: Any) -> None:
    guard = Guard(MarkSpace([Scope(name="a")], store=store))
    calls: tuple[Callable[[], object], ...] = (
        lambda: guard.space.write_all(writes),
        lambda: guard.write_all(writes),
        lambda: guard.write_all([], infrastructure=writes),
    )
    for call in calls:
        with pytest.raises(ValidationError, match="pairs of author and mark"):
            call()
    assert list(guard.space.history()) == []


def test_what_is_no_number_of_a_mark_or_entry_is_refused(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], store=store)
    word: Any = "x"
    with pytest.raises(ValidationError, match="must be a whole number"):
        space.at(word)
    with pytest.raises(ValidationError, match="must be a whole number"):
        next(space.audit(word))
    with pytest.raises(ValueError, match="not within 0 and 0"):
        space.at(-1)
