"""Schedules that survive their callbacks, and probes."""

import threading

import pytest

from markspace import (
    Agent,
    AgentManifest,
    AnyMark,
    DiagnosticProbe,
    MarkSpace,
    Observation,
    ProbeVerdict,
    Scheduler,
    Scope,
    Warning,
)
from markspace.stores.base import Store


def timed(interval: float | None) -> Agent:
    """An agent with an interval."""
    return Agent(name="x", manifest=AgentManifest(schedule_interval=interval))


def test_only_agents_with_an_interval_are_scheduled() -> None:
    scheduler = Scheduler(clock=lambda: 100.0)
    for agent in (Agent(name="x"), timed(None), timed(0), timed(-1)):
        assert not scheduler.register(agent)
    agent = timed(10)
    assert scheduler.register(agent)
    assert scheduler.due() == scheduler.due() == [agent]
    scheduler.mark_activated(agent)
    assert scheduler.due() == []
    scheduler.update(Agent(name="x", id=agent.id, manifest=AgentManifest(schedule_interval=0)))
    assert scheduler.tick_all() == []


def test_a_refused_activation_is_not_stamped() -> None:
    refusals: list[str | None] = ["no", None]
    scheduler = Scheduler(lambda: 100.0, lambda agent: refusals.pop(0))
    agent = timed(10)
    scheduler.register(agent)
    assert scheduler.tick_all() == []
    assert scheduler.tick_all() == [agent]


def test_a_schedule_follows_a_spaces_clock() -> None:
    space = MarkSpace(clock=5.0)
    scheduler = Scheduler(space)
    agent = timed(10)
    scheduler.register(agent)
    assert scheduler.tick_all() == [agent]  # however small the clock is
    assert scheduler.due() == []
    space.set_clock(15)
    assert scheduler.due() == [agent]


def test_a_raising_callback_does_not_end_the_schedule() -> None:
    times, twice = [0.0], threading.Event()

    def clock() -> float:
        times[0] += 10
        return times[0]

    agents, calls = [timed(1), timed(1)], list[list[Agent]]()

    def on_due(due: list[Agent]) -> None:
        calls.append(due)
        if len(calls) >= 3:
            twice.set()
        raise RuntimeError("broken")

    scheduler = Scheduler(clock)
    for agent in agents:
        scheduler.register(agent)
    scheduler.start(poll_interval=0.001, on_due=on_due)
    scheduler.start(poll_interval=0.001, on_due=on_due)
    assert twice.wait(60)
    assert calls[0] == agents
    scheduler.stop()
    scheduler.stop()
    assert scheduler._thread is None  # pyright: ignore[reportPrivateUsage]
    assert not scheduler._running  # pyright: ignore[reportPrivateUsage]


def test_a_probe_judges_by_what_was_written_after_the_canary(store: Store) -> None:
    space = MarkSpace([Scope(name="diagnostics")], clock=1.0, store=store)
    probe = DiagnosticProbe(space)
    canary = probe.inject_canary("ops")
    assert probe.check_canary_visibility(canary)
    cases: dict[ProbeVerdict, list[AnyMark]] = {
        ProbeVerdict.COMPROMISED: [],
        ProbeVerdict.SUSPICIOUS: [Observation(topic="weather")],
        ProbeVerdict.HEALTHY: [Warning(topic="probe-canary")],
    }
    details: list[str] = []
    for verdict, marks in cases.items():
        agent = Agent(name="x")
        result = probe.check_agent_response(agent.id, "x", canary, marks)
        assert result.verdict is verdict
        details.append(result.details)
    echo = Observation(content={"canary_id": str(canary)})
    agent = Agent(name="x")
    result = probe.check_agent_response(agent.id, "x", canary, [echo])
    assert result.verdict is ProbeVerdict.HEALTHY
    for text, detail in zip(("no marks", "1 marks", "acknowledged"), details, strict=True):
        assert text in detail
    assert len(probe.get_results()) == 4


def test_the_principal_is_asked_about_a_compromised_agent(store: Store) -> None:
    space = MarkSpace([Scope(name="diagnostics")], clock=1.0, store=store)
    probe, agent = DiagnosticProbe(space), Agent(name="mole")
    (result,) = probe.run_probe("ops", {agent.id: ("mole", [])})
    assert result.verdict is ProbeVerdict.COMPROMISED
    (cluster,) = space.aggregate_needs()
    (need,) = cluster.needs
    assert (need.priority, need.blocking) == (1.0, True)
    assert "mole" in need.question
    assert "COMPROMISED" in need.question


def test_importing_model_names_says_where_they_live() -> None:
    import markspace

    with pytest.raises(ImportError, match=r"hyperspace\.models"):
        from markspace import LLMClient  # type: ignore[attr-defined]  # noqa: F401
    with pytest.raises(AttributeError):
        markspace.nothing  # type: ignore[attr-defined] # noqa: B018
    assert len(markspace.__all__) == 71
    assert all(hasattr(markspace, name) for name in markspace.__all__)
