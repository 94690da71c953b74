"""Records: defaults, validation, copies; the mark type belongs to the class."""

import math
from copy import deepcopy
from typing import Any
from uuid import UUID, uuid4

import pytest

from markspace import (
    Action,
    Agent,
    AgentManifest,
    DecayConfig,
    Intent,
    Mark,
    MarkType,
    Need,
    Observation,
    Scope,
    ScopeVisibility,
    Source,
    Warning,
    WatchPattern,
    project_mark,
    scope_contains,
)
from markspace.core import CONTENT_FIELDS


def test_the_base_mark_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="base"):
        Mark()


def test_the_mark_type_is_fixed_by_the_class() -> None:
    assert [c().mark_type for c in (Intent, Action, Observation, Warning, Need)] == list(MarkType)
    with pytest.raises(TypeError, match="Observation is 'observation'"):
        Observation(mark_type=MarkType.ACTION)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Observation is 'observation'"):
        Observation().model_copy(update={"mark_type": MarkType.ACTION})
    with pytest.raises(TypeError, match="base"):
        Mark(mark_type=MarkType.ACTION)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Observation().mark_type = MarkType.ACTION  # type: ignore[misc]


@pytest.mark.parametrize("kind", [Intent, Action, Observation, Warning, Need])
def test_a_mark_may_be_told_its_own_type(kind: type[Any]) -> None:
    mark = kind(mark_type=kind.mark_type, scope="a")
    assert kind(mark_type=kind.mark_type.value, scope="a", id=mark.id).scope == "a"
    assert kind(**mark.model_dump()) == mark
    assert mark.model_copy(update=mark.model_dump()) == mark


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, "high", True, None])
def test_a_confidence_outside_0_to_1_is_refused_by_name(value: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        Observation(confidence=value)
    with pytest.raises(ValueError, match="confidence"):
        Intent(confidence=value)
    with pytest.raises(ValueError, match="priority"):
        Need(priority=value)


@pytest.mark.parametrize("value", [-1.0, math.nan])
def test_a_negative_strength_is_refused_and_a_large_one_is_not(value: float) -> None:
    with pytest.raises(ValueError, match="initial_strength"):
        Action(initial_strength=value)
    assert Action(initial_strength=5).initial_strength == 5


def test_strings_stand_for_enums_and_lists_for_tuples() -> None:
    scope = Scope(name="a", visibility="protected", observation_topics=["x"])  # type: ignore[arg-type]
    assert scope.visibility is ScopeVisibility.PROTECTED
    assert scope.observation_topics == ("x",)
    assert Observation(source="external_verified").source is Source.EXTERNAL_VERIFIED  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"source='rumour' is not one of: fleet"):
        Observation(source="rumour")  # type: ignore[arg-type]


def test_unknown_keywords_are_an_error() -> None:
    with pytest.raises(TypeError):
        Scope(name="a", colour="red")  # type: ignore[call-arg]


def test_copies_are_validated_and_leave_the_original() -> None:
    mark = Observation(scope="a", content={"k": 1})
    assert mark.model_copy(update={"confidence": 1.0}).confidence == 1.0
    assert mark.confidence == 0.5
    with pytest.raises(ValueError, match="confidence"):
        mark.model_copy(update={"confidence": 2})


def test_a_dump_holds_every_field_and_the_type() -> None:
    dump = Warning(scope="a", reason="r").model_dump()
    assert dump["mark_type"] == "warning"
    assert dump["reason"] == "r"
    assert isinstance(dump["id"], UUID)


def test_decay_takes_infinity_but_not_zero() -> None:
    assert DecayConfig(math.inf, math.inf, math.inf).intent_ttl == math.inf
    for bad in (0, -1, math.nan):
        with pytest.raises(ValueError, match="intent_ttl"):
            DecayConfig(1, 1, bad)


def test_an_agents_rights_cannot_be_changed() -> None:
    rights = {"a": ["intent"]}
    agent = Agent(name="x", scopes=rights)
    rights["b"] = ["action"]
    rights["a"].append("action")
    assert not agent.can_write("a", MarkType.ACTION)
    assert not agent.can_write("b", MarkType.ACTION)
    with pytest.raises(TypeError):
        agent.scopes["b"] = ("action",)  # type: ignore[index]
    with pytest.raises(AttributeError):
        agent.scopes = {}  # type: ignore[misc]


def test_agents_are_equal_by_id_alone() -> None:
    name = uuid4()
    assert Agent(name="x", id=name) == Agent(name="y", id=name)
    assert hash(Agent(name="x", id=name)) == hash(name)
    assert Agent(name="x").__eq__(3) is NotImplemented


def test_rights_hold_for_all_descendants_and_no_siblings() -> None:
    agent = Agent(name="x", scopes={"a/b": ["need"]}, read_scopes=frozenset({"a/b"}))
    assert agent.can_write("a/b/c/d", MarkType.NEED)
    assert agent.can_read_content("a/b/c")
    for other in ("a", "a/bc", "b"):
        assert not agent.can_write(other, MarkType.NEED)
        assert not agent.can_read_content(other)
        assert not scope_contains("a/b", other)


def test_a_pattern_with_topic_and_resource_matches_nothing() -> None:
    pattern = WatchPattern(scope="a", topic="t", resource="r")
    assert not pattern.matches(Observation(scope="a", topic="t"))
    assert not pattern.matches(Intent(scope="a", resource="r"))


def test_manifests_compare_exactly() -> None:
    manifest = AgentManifest(outputs=[("a", "need")])  # type: ignore[arg-type]
    assert manifest.produces("a", MarkType.NEED)
    assert not manifest.produces("a/b", MarkType.NEED)


@pytest.mark.parametrize(
    "mark",
    [
        Intent(resource="r", action="a"),
        Action(resource="r", result={"x": 1}),
        Observation(topic="t", content="secret"),
        Warning(topic="t", reason="secret"),
        Need(question="secret", context=["secret"]),
    ],
)
def test_projection_blanks_content_fields_only_and_twice_is_once(mark: Observation) -> None:
    shown = project_mark(mark)
    hidden = set(CONTENT_FIELDS[mark.mark_type])
    for field in mark.__struct_fields__:
        if field not in hidden | {"projected"}:
            assert getattr(shown, field) == getattr(mark, field)
    assert shown.projected
    assert all(getattr(shown, field) in (None, "") for field in hidden)
    assert project_mark(shown) == shown


def test_a_deep_copy_of_an_agent_is_the_agent() -> None:
    manifest = AgentManifest(expected_activity={"need": 1.0})
    agent = Agent(name="ann", scopes={"a": ["need"]}, manifest=manifest)
    assert deepcopy({"who": agent})["who"] is agent


def test_rights_compare_with_lists_and_still_cannot_be_changed() -> None:
    agent = Agent(name="ann", scopes={"a": ["observation", "need"]})
    assert agent.scopes == {"a": ["observation", "need"]} == {"a": agent.scopes["a"]}
    assert agent.scopes["a"] == ("observation", "need")
    assert agent.scopes["a"] != ["need", "observation"]
    assert {agent.scopes["a"]} == {("observation", "need")}
    assert not hasattr(agent.scopes["a"], "append")
