"""Names of the published package are ours, too: those of methods and of what they take."""

import inspect
from uuid import uuid4

import pytest

import markspace
from markspace import AgentBarrier, BudgetTracker, Scope, WelfordDetector

PARAMETERS: dict[str, dict[str, str]] = {
    "Scope": {
        "allows_intent_verb": "action",
        "allows_action_verb": "action",
        "allows_observation_topic": "topic",
        "allows_warning_topic": "topic",
    },
    "Agent": {"can_write": "scope_name mark_type", "can_read_content": "scope_name"},
    "WatchPattern": {"matches": "mark"},
    "AgentManifest": {"produces": "scope mark_type", "consumes_pattern": "pattern"},
    "MarkSpace": {
        "register_scope": "scope",
        "add_write_hook": "hook",
        "remove_write_hook": "handle",
        "set_clock": "t",
        "get_scope": "scope_name",
        "write": "agent mark",
        "read": "scope resource topic mark_type min_strength reader max_tokens",
        "resolve": "need_mark_id resolving_action_id agent",
        "get_mark": "mark_id",
        "get_intents": "scope resource",
        "check_conflict": "scope resource",
        "gc": "grace_period",
        "subscribe": "agent patterns",
        "unsubscribe": "agent",
        "get_watched_marks": "agent clear",
    },
    "AgentBarrier": {
        "is_allowed": "scope mark_type_value",
        "narrow": "scope mark_type_value",
        "narrow_all": "mark_type_value",
        "require_need": "scope",
        "needs_required": "scope",
        "restore": "scope mark_type_value principal_token",
        "restore_all": "principal_token",
        "is_allowed_checked": "scope mark_type_value",
    },
    "BudgetTracker": {
        "record_input": "tokens",
        "record_output": "tokens",
        "check_lifetime": "budget",
        "is_exhausted": "budget",
        "try_clear_exhaustion": "budget",
    },
    "StatisticalEnvelope": {
        "add_exempt_agent": "agent_id",
        "seed_baseline": "agent_id expected_per_hour",
        "record": "agent_id mark",
        "record_attempt": "agent_id mark_type",
        "check": "agent_id",
        "get_stats": "agent_id",
        "reset": "agent_id principal_token",
        "import_stats": "data",
    },
    "RateLimitTracker": {"check_and_record": "scope agent_id limit now"},
    "Guard": {
        "get_budget_status": "agent_id",
        "check_budget_activation": "agent",
        "record_round_tokens": "agent input_tokens output_tokens",
        "update_budget": "agent new_budget principal_token",
        "write_mark": "agent mark",
        "get_barrier": "agent_id",
        "get_or_create_barrier": "agent_id",
        "set_barrier": "agent_id barrier",
        "pre_action": "agent scope resource action confidence",
        "resolve_deferred": "scope resource agents",
        "post_action": "agent scope resource action result intent_id",
        "execute": "agent scope resource intent_action result_action tool_fn confidence "
        "tool_args tool_kwargs",
    },
    "WelfordDetector": {
        "seed_baseline": "expected synthetic_windows",
        "observe": "window_counts",
        "is_anomalous": "current_counts",
        "import_state": "data",
    },
    "DiagnosticProbe": {
        "inject_canary": "target_scope content",
        "check_canary_visibility": "canary_id",
        "check_agent_response": "agent_id agent_name canary_id marks_after",
        "run_probe": "target_scope agents content",
    },
    "Scheduler": {
        "register": "agent",
        "unregister": "agent",
        "mark_activated": "agent",
        "update": "agent",
        "start": "poll_interval on_due",
    },
}


@pytest.mark.parametrize("kind", PARAMETERS)
def test_methods_take_what_the_published_ones_take(kind: str) -> None:
    for name, published in PARAMETERS[kind].items():
        ours = list(inspect.signature(getattr(getattr(markspace, kind), name)).parameters)[1:]
        assert ours[: len(published.split())] == published.split(), name


def test_barriers_take_the_value_of_a_mark_type() -> None:
    token = uuid4()
    barrier = AgentBarrier(agent_id=uuid4(), _principal_token=token)
    barrier.narrow("a", mark_type_value="observation")
    barrier.narrow_all(mark_type_value="need")
    assert not barrier.is_allowed("a", mark_type_value="observation")
    assert not barrier.is_allowed_checked("b", mark_type_value="need")
    assert barrier.restore("a", mark_type_value="observation", principal_token=token)
    assert barrier.is_allowed("a", mark_type_value="observation")


def test_a_barrier_reaches_below_in_what_it_takes_and_gives_back() -> None:
    token = uuid4()
    barrier = AgentBarrier(agent_id=uuid4(), _principal_token=token)
    for scope in ("a", "a/b", "ab"):
        barrier.narrow(scope, "action")
    barrier.narrow_all("need")
    assert not barrier.is_allowed("a/c", "action")
    assert not barrier.is_allowed("a/b", "need")
    assert barrier.restore("a/b", "action", token)
    assert not barrier.is_allowed("a/b", "action")
    assert barrier.restore("a", "action", token)
    allowed = {scope: barrier.is_allowed(scope, "action") for scope in ("a", "a/b", "ab")}
    assert allowed == {"a": True, "a/b": True, "ab": False}
    assert barrier.restore("a", "need", token)
    assert not barrier.is_allowed("a", "need")
    assert barrier.restore("*", "need", token)
    assert barrier.is_allowed("a", "need")


def test_a_scope_says_of_verbs_what_it_does() -> None:
    assert Scope(name="a").allows_intent_verb("x")
    assert Scope(name="a").allows_action_verb("x")
    strict = Scope(name="a", allowed_intent_verbs=("y",), allowed_action_verbs=("z",))
    assert (strict.allows_intent_verb("x"), strict.allows_intent_verb("y")) == (False, True)
    assert (strict.allows_action_verb("y"), strict.allows_action_verb("z")) == (False, True)


def test_budgets_take_tokens_and_detectors_data() -> None:
    tracker = BudgetTracker()
    tracker.record_input(tokens=3)
    tracker.record_output(tokens=4)
    assert (tracker.total_input_consumed, tracker.total_output_consumed) == (3, 4)
    detector = WelfordDetector()
    detector.import_state(data=WelfordDetector().export_state())
    assert not detector.is_ready()
