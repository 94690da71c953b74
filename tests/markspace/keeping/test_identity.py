"""Identity and authority: attacks by agents that pose as others or reach too far."""

import copy
import pickle
from uuid import uuid4

import pytest

from markspace import (
    Action,
    Agent,
    Guard,
    Intent,
    MarkSpace,
    Need,
    Observation,
    Scope,
    ScopeError,
    ValidationError,
    Warning,
)
from markspace.stores.base import Store

ALL = ["intent", "action", "observation", "warning", "need"]


@pytest.fixture
def space(store: Store) -> MarkSpace:
    """A space with two scopes."""
    return MarkSpace([Scope(name="a"), Scope(name="b")], clock=1.0, store=store)


def test_before_any_enrolment_everybody_may_act(space: MarkSpace) -> None:
    space.write(Agent(name="x", scopes={"a": ALL}), Observation(scope="a"))


def test_a_remade_agent_with_the_same_id_is_refused(space: MarkSpace) -> None:
    ann = Agent(name="ann", scopes={"a": ALL})
    handle = space.enroll(ann)
    space.write(handle, Observation(scope="a"))
    space.write(ann, Observation(scope="a"))
    forged = Agent(name="ann", id=ann.id, scopes={"a": ALL, "b": ALL})
    stranger = Agent(name="bob", scopes={"a": ALL})
    for who in (forged, stranger, copy.copy(ann), ann.model_copy()):
        with pytest.raises(ScopeError, match="enroll"):
            space.write(who, Observation(scope="a"))
        with pytest.raises(ScopeError):
            space.read("a", reader=who)
        with pytest.raises(ScopeError):
            Guard(space).write_mark(who, Observation(scope="a"))


def test_a_handle_cannot_be_copied_or_carried_to_another_space(space: MarkSpace) -> None:
    handle = space.enroll(Agent(name="ann", scopes={"a": ALL}))
    for action in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            action(handle)
    other = MarkSpace([Scope(name="a")])
    with pytest.raises(ScopeError):
        other.write(handle, Observation(scope="a"))


def test_strength_above_1_is_for_the_infrastructure(space: MarkSpace) -> None:
    ann = Agent(name="ann", scopes={"a": ALL})
    system = space.enroll(Agent(name="sys", scopes={"a": ALL}), system=True)
    handle = space.enroll(ann)
    loud = space.get_mark(space.write(handle, Observation(scope="a", initial_strength=100)))
    louder = space.get_mark(space.write(system, Observation(scope="a", initial_strength=100)))
    assert loud is not None
    assert louder is not None
    assert (loud.initial_strength, louder.initial_strength) == (1.0, 100)


def test_nobody_supersedes_marks_beyond_its_rights(space: MarkSpace) -> None:
    ann = Agent(name="ann", scopes={"a": ALL})
    eve = Agent(name="eve", scopes={"b": ALL, "a": ["need"]})
    system = space.enrolment.admit(Agent(name="sys", scopes={"b": ALL}))
    theirs = space.write(ann, Observation(scope="a"))
    with pytest.raises(ScopeError, match="may not supersede"):
        space.write(eve, Observation(scope="b", supersedes=theirs))
    with pytest.raises(ScopeError, match="may not supersede"):
        space.write(eve, Need(scope="a", supersedes=theirs))
    with pytest.raises(ValidationError, match="names no mark"):
        space.write(eve, Observation(scope="b", supersedes=uuid4()))
    assert [mark.id for mark in space.read("a")] == [theirs]
    bob = Agent(name="bob", scopes={"a": ["observation"]})
    newer = space.write(bob, Observation(scope="a", supersedes=theirs))
    assert [mark.id for mark in space.read("a")] == [newer]
    space.write(system, Observation(scope="b", supersedes=newer))
    assert space.read("a") == []


def test_nobody_invalidates_marks_beyond_its_rights_nor_facts(space: MarkSpace) -> None:
    ann = Agent(name="ann", scopes={"a": ALL})
    eve = Agent(name="eve", scopes={"b": ALL})
    belief = space.write(ann, Observation(scope="a"))
    fact = space.write(ann, Action(scope="a"))
    with pytest.raises(ScopeError, match="may not invalidate"):
        space.write(eve, Warning(scope="b", invalidates=belief))
    with pytest.raises(ValidationError, match="fact"):
        space.write(ann, Warning(scope="a", invalidates=fact))
    with pytest.raises(ValidationError, match="names no mark"):
        space.write(ann, Warning(scope="a", invalidates=uuid4()))
    space.write(ann, Warning(scope="a", invalidates=belief))
    assert space.read("a", min_strength=0.5)[0].id == fact


def test_an_agent_resolves_a_need_only_by_its_own_action_there(space: MarkSpace) -> None:
    ann = Agent(name="ann", scopes={"a": ALL, "b": ALL})
    eve = Agent(name="eve", scopes={"a": ["action"], "b": ["action"]})
    deaf = Agent(name="deaf", scopes={"a": ["observation"]})
    need = space.write(ann, Need(scope="a"))
    of_ann = space.write(ann, Action(scope="a"))
    elsewhere = space.write(eve, Action(scope="b"))
    for who, action in ((eve, of_ann), (eve, elsewhere), (deaf, of_ann)):
        with pytest.raises(ScopeError):
            space.resolve(need, action, agent=who)
    for action in (elsewhere, space.write(ann, Action(scope="b"))):
        with pytest.raises(ValidationError, match="there, above or below"):
            space.resolve(need, action)
    space.subscribe(ann, [])
    space.resolve(need, space.write(eve, Action(scope="a")), agent=eve)
    assert space.aggregate_needs() == []


def test_the_author_of_a_need_hears_of_its_answer_and_hooks_run(space: MarkSpace) -> None:
    from markspace import WatchPattern

    ann, eve = Agent(name="ann", scopes={"a": ALL}), Agent(name="eve", scopes={"a": ALL})
    seen: list[object] = []
    need = space.write(ann, Need(scope="a"))
    space.subscribe(ann, [WatchPattern(scope="a", mark_type="need")])  # type: ignore[arg-type]
    space.add_write_hook(lambda agent_id, mark: seen.append(mark.id))
    answer = space.write(eve, Action(scope="a"))
    resolved = space.resolve(need, answer, agent=eve)
    assert [mark.id for mark in space.get_watched_marks(ann)] == [resolved]
    assert seen == [answer, resolved]


def test_intents_and_needs_are_shown_as_their_scope_allows(store: Store) -> None:
    secret = Scope(name="a/s", visibility="classified")  # type: ignore[arg-type]
    space = MarkSpace([Scope(name="a"), secret], store=store)
    ann, eve = Agent(name="ann", scopes={"a": ALL}), Agent(name="eve", scopes={"a": ALL})
    space.write(ann, Intent(scope="a/s", resource="r"))
    space.write(ann, Need(scope="a/s", question="q"))
    assert space.get_intents("a", "r", reader=eve) == []
    assert space.aggregate_needs(reader=eve) == []
    assert len(space.get_intents("a", "r")) == len(space.aggregate_needs()) == 1


def test_who_acted_before_the_space_was_closed_is_refused_afterwards() -> None:
    space = MarkSpace([Scope(name="a")])
    early = Agent(name="early", scopes={"a": ALL})
    space.write(early, Observation(scope="a"))
    space.enroll(Agent(name="late", scopes={"a": ALL}))
    with pytest.raises(ScopeError, match="not enrolled"):
        space.write(early, Observation(scope="a"))


def test_a_replaced_handle_and_a_tampered_one_act_as_nobody_else() -> None:
    space = MarkSpace([Scope(name="a")])
    ann, bob = (Agent(name=name, scopes={"a": ALL}) for name in ("ann", "bob"))
    old, other = space.enroll(ann), space.enroll(bob)
    space.write(old, Observation(scope="a"))
    space.enroll(ann)
    with pytest.raises(ScopeError, match="not enrolled"):
        space.write(old, Observation(scope="a"))
    name = space.write(other, Observation(scope="a"))
    other._agent = ann  # pyright: ignore[reportPrivateUsage]
    written = space.get_mark(space.write(other, Observation(scope="a")))
    assert written is not None and written.agent_id == bob.id
    assert space.get_mark(name) is not None
