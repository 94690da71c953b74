"""Envelope, barriers, rate limits and budgets under attack."""

import threading
from typing import Any
from uuid import uuid4

import pytest

from markspace import (
    Agent,
    AgentBarrier,
    AgentManifest,
    EnvelopeConfig,
    EnvelopeVerdict,
    GuardVerdict,
    MarkType,
    Need,
    Observation,
    RateLimitTracker,
    Scope,
    ScopeError,
    ScopeRateLimit,
    StatisticalEnvelope,
    TokenBudget,
    Warning,
    WelfordConfig,
    WelfordDetector,
)
from markspace.budget import BudgetStatus, BudgetTracker
from markspace.errors import GuardRefusal
from markspace.stores.base import Store
from tests.support.markspace_house import FixedEnvelope, House

OBSERVATION, WARNING, INTENT = MarkType.OBSERVATION, MarkType.WARNING, MarkType.INTENT


@pytest.fixture
def house(store: Store) -> House:
    """A house on each store."""
    return House(store)


def refused(house: House, mark: Any) -> GuardRefusal:
    """Let ann write a mark that the guard refuses."""
    with pytest.raises(GuardRefusal) as caught:
        house.guard.write_mark(house.ann, mark)
    return caught.value


def restrict(house: House) -> None:
    """Restrict ann by the envelope."""
    envelope = FixedEnvelope(**{str(house.ann.id): "restricted"})
    house.open(Scope(name="a"), envelope=envelope)


def test_a_scope_that_is_restricted_again_after_a_restore_is_told_of_again(house: House) -> None:
    restrict(house)
    for told in (1, 2):
        refused(house, Warning(scope="a"))
        assert len(house.space.read("_system", mark_type=MarkType.NEED)) == told
        assert house.guard.get_or_create_barrier(house.ann.id).restore_all(house.token)
        barrier = house.guard.get_barrier(house.ann.id)
        assert barrier is not None
        assert barrier.flagged_scopes == frozenset()


def test_a_flood_of_refused_writes_is_not_answered_by_a_flood_of_marks(house: House) -> None:
    restrict(house)
    for _ in range(20):
        before = house.space.head()
        refused(house, Warning(scope="a"))
        refused(house, Observation(scope="a"))
        assert house.space.head() - before <= 1
    assert house.space.head() == 1
    (need,) = house.space.read("_system")
    assert isinstance(need, Need)
    assert (need.priority, need.context["scope"]) == (0.9, "a")
    event = house.sink.events[0]
    assert (event.verdict, event.envelope_status) == ("rejected", "restricted")


def test_a_restricted_agent_can_write_the_need_that_it_must_write(house: House) -> None:
    restrict(house)
    assert refused(house, Observation(scope="a")).stage == "envelope"
    assert "need" in str(refused(house, Warning(scope="a")))
    house.guard.write_mark(house.ann, Need(scope="a", question="may I?"))
    assert refused(house, Warning(scope="a")).stage == "envelope"
    barrier = house.guard.get_or_create_barrier(house.ann.id)
    assert barrier.restore_all(house.token)
    assert isinstance(house.guard.envelope, FixedEnvelope)
    house.guard.envelope.verdicts.clear()
    house.guard.write_mark(house.ann, Observation(scope="a"))


def test_a_crowded_topic_is_flagged_once_a_window(house: House) -> None:
    house.open(Scope(name="a"), envelope=FixedEnvelope(**{str(house.ann.id): "flagged"}))
    for topic in ("t", "t", "u", "t"):
        house.guard.write_mark(house.ann, Observation(scope="a", topic=topic))
    flags = house.space.read("_system")
    assert [mark.topic for mark in flags if isinstance(mark, Warning)] == ["envelope-flag"] * 2
    assert len(house.space.read("a")) == 4


@pytest.mark.parametrize("revoked", ["intent", "action"])
def test_a_barrier_on_intent_or_action_stops_claims(house: House, revoked: str) -> None:
    house.guard.get_or_create_barrier(house.ann.id).narrow("a", revoked)
    ran: list[int] = []
    claim = (house.ann, "a", "r", "x", "do", ran.append, 0.5, (1,))
    decision, _ = house.guard.execute(*claim)
    assert decision.verdict is GuardVerdict.DENIED
    assert "barrier" in decision.reason
    assert ran == []
    assert house.sink.events[-1].barrier_restricted


def test_a_barrier_raised_after_the_claim_stops_the_action(house: House) -> None:
    claim = house.guard.pre_action(house.ann, "a", "r", "x")
    barrier = AgentBarrier(agent_id=house.ann.id)
    house.guard.set_barrier(house.ann.id, barrier)
    barrier.narrow_all("action")
    with pytest.raises(ScopeError, match="barrier"):
        house.guard.post_action(house.ann, "a", "r", "do", None, claim.intent_id)


def test_barriers_stand_concurrent_change() -> None:
    barrier, errors = AgentBarrier(agent_id=uuid4()), list[Exception]()

    def work(number: int) -> None:
        try:
            for n in range(300):
                barrier.narrow(f"s{number}/{n}", "action")
                barrier.increment_flags()
                barrier.snapshot()
                barrier.is_allowed_checked("x/y", "action")
        except RuntimeError as error:  # a set that changes during iteration raises this
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (errors, barrier.flag_count, len(barrier.snapshot().revoked)) == ([], 1200, 1200)


def trained(**config: Any) -> WelfordDetector:
    """A detector that saw 4 to 6 observations in each of 12 windows."""
    detector = WelfordDetector(WelfordConfig(**config))
    for n in range(12):
        detector.observe({OBSERVATION: 4 + n % 3})
    return detector


def test_a_detector_judges_rate_and_shares_once_it_is_ready() -> None:
    detector = trained()
    assert detector.is_ready()
    assert not detector.is_anomalous({OBSERVATION: 9})
    assert detector.is_anomalous({OBSERVATION: 30})
    assert detector.is_anomalous({OBSERVATION: 1, WARNING: 3})
    assert not WelfordDetector().is_ready()


def test_a_type_that_was_never_seen_can_trip_the_rate_test() -> None:
    detector = trained(type_shift_threshold=2)
    assert not detector.is_anomalous({OBSERVATION: 5, WARNING: 3})
    assert detector.is_anomalous({OBSERVATION: 5, WARNING: 4})
    assert detector.is_anomalous({OBSERVATION: 5, INTENT: 4})


def test_outliers_at_the_start_do_not_shift_the_baseline() -> None:
    detector = WelfordDetector()
    for n in range(10):
        detector.observe({OBSERVATION: 500 if n == 3 else 5})
    assert detector.diagnostic_stats()["mean"]["observation"] == 5
    assert detector.is_anomalous({OBSERVATION: 100})


def test_what_was_learned_can_be_carried_over() -> None:
    detector, other = trained(), WelfordDetector()
    other.import_state(detector.export_state())
    assert other.export_state() == detector.export_state()
    assert (other.is_ready(), other.completed_windows) == (True, 12)


def test_rejected_intents_count_towards_the_envelope() -> None:
    now, agent_id = [0.0], uuid4()
    envelope = StatisticalEnvelope(EnvelopeConfig(window_seconds=10), clock=lambda: now[0])
    for _ in range(12):
        envelope.record(agent_id, Observation(scope="a"))
        now[0] += 10
    for _ in range(10):
        envelope.record_attempt(agent_id, INTENT)
    assert envelope.check(agent_id) is EnvelopeVerdict.RESTRICTED
    copy = StatisticalEnvelope(EnvelopeConfig(window_seconds=10), clock=lambda: now[0])
    copy.import_stats(envelope.export_stats())
    assert copy.check(agent_id) is EnvelopeVerdict.RESTRICTED
    stats = copy.get_stats(agent_id)
    assert stats is not None
    assert stats.restricted
    assert copy.get_stats(uuid4()) is None


def test_many_writers_on_a_topic_are_flagged_until_their_windows_move() -> None:
    now = [0.0]
    envelope = StatisticalEnvelope(EnvelopeConfig(window_seconds=10), clock=lambda: now[0])
    agents = [uuid4() for _ in range(3)]
    for agent_id in agents:
        envelope.seed_baseline(agent_id, {OBSERVATION: 3600.0})
    for agent_id in agents:
        envelope.record(agent_id, Observation(scope="a", topic="t"))
    assert [envelope.check(agent_id).value for agent_id in agents] == ["flagged"] * 3
    envelope.add_exempt_agent(agents[1])
    assert envelope.check(agents[1]) is EnvelopeVerdict.NORMAL
    now[0] = 11
    assert [envelope.check(agent_id).value for agent_id in agents] == ["normal"] * 3


def test_a_manifest_seeds_the_baseline(house: House) -> None:
    envelope = StatisticalEnvelope(clock=lambda: house.space.now())
    house.open(Scope(name="a"), envelope=envelope)
    manifest = AgentManifest(expected_activity={"observation": 12.0})
    agent = house.agent("planned", manifest=manifest)
    with pytest.raises(GuardRefusal):
        for _ in range(100):
            house.guard.write_mark(agent, Observation(scope="a"))
    assert 3 <= len(house.space.read("a")) <= 6


def test_a_child_scope_does_not_evade_its_parents_rate_limit(house: House) -> None:
    limit = ScopeRateLimit(max_writes_per_agent_per_window=2)
    house.open(Scope(name="a", rate_limit=limit), Scope(name="a/registered"))
    for scope in ("a/x", "a/registered"):
        house.guard.write_mark(house.ann, Observation(scope=scope))
    for scope in ("a", "a/y", "a/registered"):
        assert refused(house, Observation(scope=scope)).stage == "rate_limit"


def test_unauthorised_writes_take_no_slot(house: House) -> None:
    limit = ScopeRateLimit(max_total_writes_per_window=1)
    house.open(Scope(name="a", rate_limit=limit, observation_topics=("t",)))
    for _ in range(3):
        with pytest.raises(Exception, match="wrong"):
            house.guard.write_mark(house.ann, Observation(scope="a", topic="wrong"))
        with pytest.raises(ScopeError, match="may not write"):
            house.guard.write_mark(Agent(name="eve"), Observation(scope="a", topic="t"))
    house.guard.write_mark(house.ann, Observation(scope="a", topic="t"))


def test_windows_of_rate_limits_slide_and_are_forgotten() -> None:
    tracker, limit = RateLimitTracker(), ScopeRateLimit(1, None, 10.0)
    agents = [uuid4() for _ in range(50)]
    for number, agent_id in enumerate(agents):
        assert tracker.check_and_record("a", agent_id, limit, number * 11.0) is None
    assert tracker.check_and_record("a", agents[-1], limit, 49 * 11.0 + 10) is not None
    assert tracker.check_and_record("a", agents[-1], limit, 49 * 11.0 + 10.1) is None
    assert len(tracker._by_agent) < 5  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ValueError, match="window_seconds"):
        ScopeRateLimit(window_seconds=0)


def test_both_dimensions_of_a_budget_are_reported_and_bind_at_once(house: House) -> None:
    budget = TokenBudget(max_input_tokens_total=100, max_output_tokens_total=10)
    rich = house.agent("rich", manifest=AgentManifest(budget=budget))
    status = house.guard.record_round_tokens(rich, 500, 50)
    assert status is BudgetStatus.WARNING_INPUT
    assert "exhausted" in (house.guard.check_budget_activation(rich) or "")
    assert len(house.space.read("_system")) == 2
    gauges = {labels["dimension"]: value for _, value, labels in house.sink.gauges}
    assert gauges == {"input": 0, "output": 0}


def test_a_tracker_alone_warns_first_and_is_exhausted_on_the_next_check() -> None:
    tracker, budget = BudgetTracker(), TokenBudget(max_input_tokens_total=10)
    tracker.record_input(10)
    statuses = [tracker.check_lifetime(budget) for _ in range(3)]
    assert [status.value for status in statuses] == ["warning_input"] + ["exhausted_input"] * 2
    assert tracker.is_exhausted(TokenBudget())
    assert tracker.try_clear_exhaustion(TokenBudget(max_input_tokens_total=11))
    assert not tracker.is_exhausted(TokenBudget(max_input_tokens_total=11))
    for bad in (0, 1, -1):
        with pytest.raises(ValueError, match="warning_fraction"):
            TokenBudget(warning_fraction=bad)
