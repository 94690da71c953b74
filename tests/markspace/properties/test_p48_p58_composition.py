"""P48 to P58: subscriptions, manifests, schedules and telemetry."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markspace import (
    Agent,
    AgentManifest,
    FailingSink,
    Guard,
    InMemorySink,
    MarkType,
    Observation,
    Scheduler,
    ScopeError,
    WatchPattern,
    validate_manifest_permissions,
    validate_pipeline,
)


def write(house: Any, topic: str) -> Any:
    """Ann writes an observation."""
    return house.space.write(house.ann, Observation(scope="a", topic=topic))


def heard(house: Any, clear: bool = True) -> list[Any]:
    """The ids that bob hears of."""
    return [mark.id for mark in house.space.get_watched_marks(house.bob, clear=clear)]


def test_p48_subscribing_again_replaces_and_nothing_comes_twice(house: Any) -> None:
    for topic in ("t", "t", "u"):
        patterns = [WatchPattern("a", topic=topic), WatchPattern("a", MarkType.OBSERVATION, topic)]
        house.space.subscribe(house.bob, patterns)
    write(house, "t")
    name = write(house, "u")
    assert heard(house) == [name]


def test_p49_subscriptions_do_not_look_back(house: Any) -> None:
    write(house, "t")
    house.space.subscribe(house.bob, [WatchPattern("a")])
    assert heard(house) == []


def test_p50_only_matching_marks_are_delivered(house: Any) -> None:
    house.space.subscribe(house.bob, [WatchPattern("a/b", topic="t")])
    write(house, "t")
    house.space.write(house.ann, Observation(scope="a/b", topic="u"))
    name = house.space.write(house.ann, Observation(scope="a/b/c", topic="t"))
    assert heard(house) == [name]


def test_p51_p52_each_mark_comes_once_and_in_order(house: Any) -> None:
    house.space.subscribe(house.bob, [WatchPattern("a")])
    names = [write(house, str(n)) for n in range(5)]
    assert heard(house, clear=False) == names
    assert heard(house) == names
    assert heard(house) == []


def pair(output: str, wanted: str) -> list[Agent]:
    """A producer and a consumer."""
    producer = AgentManifest(outputs=((output, MarkType.OBSERVATION),))
    consumer = AgentManifest(inputs=(WatchPattern(wanted, MarkType.OBSERVATION),))
    return [Agent(name="p", manifest=producer), Agent(name="c", manifest=consumer)]


def test_p53_pipelines_are_validated_by_manifests_alone() -> None:
    assert validate_pipeline(pair("a/b", "a")) == []
    assert "No connection" in validate_pipeline(pair("a", "a/b"))[0]
    assert "no manifest" in validate_pipeline([Agent(name="x"), *pair("a", "a")])[0]
    assert validate_pipeline([]) == validate_pipeline([Agent(name="x")]) == []


def test_p54_declared_outputs_need_write_rights() -> None:
    (agent, _) = pair("a", "a")
    assert "lacks write permission" in validate_manifest_permissions(agent)[0]
    allowed = Agent(name="p", scopes={"a": ["observation"]}, manifest=agent.manifest)
    assert validate_manifest_permissions(allowed) == []
    assert validate_manifest_permissions(Agent(name="x")) == []


@given(st.sampled_from(["a", "a/b", "b"]), st.sampled_from(["t", "u", None]))
def test_p55_matching_is_pure(scope: str, topic: str | None) -> None:
    pattern, mark = WatchPattern(scope, topic=topic), Observation(scope="a/b", topic="t")
    expected = scope in ("a", "a/b") and topic in ("t", None)
    assert pattern.matches(mark) == pattern.matches(mark) == expected


def test_p56_activations_are_an_interval_apart() -> None:
    now = [1000.0]
    scheduler = Scheduler(clock=lambda: now[0])
    agent = Agent(name="x", manifest=AgentManifest(schedule_interval=10))
    assert scheduler.register(agent)
    times: list[float] = []
    for _ in range(100):
        times += [now[0] for _ in scheduler.tick_all()]
        now[0] += 3
    assert all(later - earlier >= 10 for earlier, later in pairwise(times))
    assert len(times) == 25


def test_p57_sinks_influence_nothing(house: Any) -> None:
    guard = Guard(house.space, telemetry=FailingSink())
    guard.write_mark(house.ann, Observation(scope="a"))
    assert guard.execute(house.ann, "a", "r", "x", "do", lambda: 3)[1] == 3
    with pytest.raises(ScopeError):
        guard.write_mark(house.ann, Observation(scope="_system"))
    guard.record_round_tokens(house.ann, 1, 1)


def test_p58_every_write_and_execute_gives_an_event(house: Any) -> None:
    sink = InMemorySink()
    guard = Guard(house.space, telemetry=sink)
    guard.write_mark(house.ann, Observation(scope="a"))
    with pytest.raises(ScopeError):
        guard.write_mark(house.ann, Observation(scope="_system"))
    guard.execute(house.ann, "a", "r", "x", "do", lambda: 3)
    guard.execute(house.bob, "a", "r", "x", "do", lambda: 3)
    assert [(e.operation, e.verdict) for e in sink.events] == [
        ("write_mark", "accepted"),
        ("write_mark", "denied"),
        ("execute", "allow"),
        ("execute", "conflict"),
    ]
