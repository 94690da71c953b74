"""P34 to P46: warnings, the guard's verdicts, the envelope, barriers and probes."""

from typing import Any
from uuid import uuid4

import pytest

from markspace import (
    AgentBarrier,
    DiagnosticProbe,
    EnvelopeConfig,
    EnvelopeVerdict,
    GuardVerdict,
    MarkType,
    Need,
    Observation,
    Scope,
    ScopeError,
    StatisticalEnvelope,
    Warning,
)
from tests.support.markspace_house import FixedEnvelope, House

ALLOW, CONFLICT, BLOCKED, DENIED = GuardVerdict


def restricted(house: Any) -> None:
    """Let the envelope restrict ann."""
    house.open(
        Scope(name="a"),
        Scope(name="b"),
        envelope=FixedEnvelope(**{str(house.ann.id): "restricted"}),
    )
    with pytest.raises(ScopeError):
        house.guard.write_mark(house.ann, Observation(scope="a"))


def test_p34_warnings_do_not_push_strength_below_0(house: Any) -> None:
    target = house.space.write(house.ann, Observation(scope="a", topic="t"))
    for _ in range(3):
        house.space.write(house.bob, Warning(scope="a", invalidates=target))
    assert house.space.read("a", topic="t") == []
    assert len(house.space.read("a", topic="t", min_strength=0.0)) == 1


def test_p35_suppression_fades_with_the_warning(house: Any) -> None:
    target = house.space.write(house.ann, Observation(scope="a", topic="t"))
    house.space.write(house.bob, Warning(scope="a", invalidates=target))
    assert house.space.read("a", topic="t", min_strength=0.1) == []
    house.space.set_clock(100 + 4 * 3600)
    assert len(house.space.read("a", topic="t", min_strength=0.1)) == 1


def test_p36_the_same_state_gives_the_same_verdict(make_store: Any) -> None:
    def verdicts() -> list[Any]:
        house = House(make_store())
        calls = [(house.ann, 0.5), (house.bob, 0.9), (house.ann, 0.95), (house.bob, 0.2)]
        return [house.guard.pre_action(who, "a", "r", "x", c).verdict for who, c in calls]

    assert verdicts() == verdicts()


def test_p37_the_tool_runs_only_if_allowed(house: Any) -> None:
    ran: list[int] = []
    house.guard.pre_action(house.bob, "a", "r", "x", 0.9)
    for who in (house.ann, house.agent("no", "b")):
        arguments = (who, "a", "r", "x", "do", ran.append, 0.1, (1,))
        assert house.guard.execute(*arguments)[1] is None
    assert ran == []


def test_p38_a_decision_explains_itself(house: Any) -> None:
    first = house.guard.pre_action(house.bob, "a", "r", "x", 0.9)
    second = house.guard.pre_action(house.ann, "a", "r", "x", 0.1)
    assert second.winning_intent.id == first.intent_id
    assert second.conflicting_intents
    refused = house.guard.pre_action(house.agent("no", "b"), "a", "r", "x")
    assert all(decision.reason for decision in (first, second, refused))


def test_p39_an_action_of_another_is_a_conflict_for_everybody_else(house: Any) -> None:
    done, _ = house.guard.execute(house.bob, "a", "r", "x", "do", lambda: 1, 0.1)
    for number in range(3):
        decision = house.guard.pre_action(house.agent(str(number)), "a", "r", "x", 1.0)
        assert (decision.verdict, decision.winning_intent.id) == (CONFLICT, done.intent_id)


def busy_envelope() -> tuple[StatisticalEnvelope, list[float], Any]:
    """An envelope that has seen 12 quiet windows of one agent, its clock, and the agent."""
    now, agent_id = [0.0], uuid4()
    envelope = StatisticalEnvelope(EnvelopeConfig(window_seconds=10), clock=lambda: now[0])
    for _ in range(12):
        envelope.record(agent_id, Observation(scope="a", topic="t"))
        now[0] += 10
    return envelope, now, agent_id


def test_p40_a_restriction_sticks_until_reset() -> None:
    envelope, now, agent_id = busy_envelope()
    assert envelope.check(agent_id) is EnvelopeVerdict.NORMAL
    for _ in range(50):
        envelope.record(agent_id, Observation(scope="a", topic="t"))
    assert envelope.check(agent_id) is EnvelopeVerdict.RESTRICTED
    now[0] += 1000
    assert envelope.check(agent_id) is EnvelopeVerdict.RESTRICTED
    assert envelope.reset(agent_id, uuid4())
    assert envelope.check(agent_id) is EnvelopeVerdict.NORMAL
    assert not envelope.reset(agent_id, uuid4())


def test_p41_nobody_is_judged_before_the_detector_is_ready() -> None:
    now, agent_id = [0.0], uuid4()
    envelope = StatisticalEnvelope(EnvelopeConfig(window_seconds=10), clock=lambda: now[0])
    for count in (1, 500, 2, 900):
        for _ in range(count):
            envelope.record(agent_id, Observation(scope="a"))
        assert envelope.check(agent_id) is EnvelopeVerdict.NORMAL
        now[0] += 10


def test_p42_a_rejected_write_stores_nothing_of_the_writer(house: Any) -> None:
    restricted(house)
    assert [m for _, m in house.space.history() if m.agent_id == house.ann.id] == []


def test_p43_one_flag_restricts_one_scope_and_the_threshold_all(house: Any) -> None:
    restricted(house)
    barrier = house.guard.get_barrier(house.ann.id)
    assert not barrier.is_allowed_checked("a/b", "observation")
    assert barrier.is_allowed_checked("b", "observation")
    assert barrier.flag_count == 1
    house.guard.write_mark(house.ann, Need(scope="a", question="may I?"))
    for _ in range(2):
        with pytest.raises(ScopeError):
            house.guard.write_mark(house.ann, Warning(scope="a"))
    barrier = house.guard.get_barrier(house.ann.id)
    assert not barrier.is_allowed_checked("b", "observation")


def test_p44_what_is_revoked_stays_revoked(house: Any) -> None:
    house.guard.get_or_create_barrier(house.ann.id).narrow("a", "observation")
    for t in (1e3, 1e9):
        house.space.set_clock(t)
        with pytest.raises(ScopeError, match="blocked by barrier"):
            house.guard.write_mark(house.ann, Observation(scope="a/b"))
    barrier = house.guard.get_or_create_barrier(house.ann.id)
    assert barrier.restore("a", "observation", house.token)
    house.guard.write_mark(house.ann, Observation(scope="a"))


def test_p45_restoring_needs_the_principals_token() -> None:
    token = uuid4()
    barrier = AgentBarrier(agent_id=uuid4(), _principal_token=token)
    barrier.narrow_all("action")
    for wrong in (uuid4(), str(token), None):
        assert not barrier.restore("*", "action", wrong)  # type: ignore[arg-type]
        assert not barrier.restore_all(wrong)  # type: ignore[arg-type]
    assert not barrier.is_allowed_checked("anywhere", "action")
    assert barrier.restore("*", "action", token)
    assert barrier.is_allowed_checked("anywhere", "action")


def test_p46_probe_marks_go_to_the_diagnostic_scope_only(house: Any) -> None:
    house.space.register_scope(Scope(name="diagnostics"))
    probe = DiagnosticProbe(house.space)
    probe.run_probe("a", {house.ann.id: ("ann", [])})
    assert {m.scope for _, m in house.space.history()} == {"diagnostics"}
    with pytest.raises(ScopeError):
        house.space.write(probe.probe_agent, Observation(scope="a"))
    assert house.space.read("a", mark_type=MarkType.NEED) == []
