"""P59 to P70: budgets, rate limits and content policies."""

from typing import Any, ClassVar

import pytest

from markspace import (
    Agent,
    AgentManifest,
    BudgetStatus,
    ContentPolicy,
    ContentPolicyError,
    GuardVerdict,
    Need,
    Observation,
    PolicyResult,
    PolicyVerdict,
    Scope,
    ScopeError,
    ScopeRateLimit,
    TokenBudget,
    Warning,
)
from tests.support.markspace_house import FixedEnvelope


def budgeted(house: Any, **ceilings: int) -> Agent:
    """An agent with a token budget."""
    return house.agent("rich", manifest=AgentManifest(budget=TokenBudget(**ceilings)))


def questions(house: Any) -> list[Need]:
    """The needs in the system scope."""
    return [m for m in house.space.read("_system") if isinstance(m, Need)]


def test_p59_without_a_budget_nothing_binds(house: Any) -> None:
    assert house.guard.record_round_tokens(house.ann, 10**9, 10**9) is BudgetStatus.OK
    assert house.guard.check_budget_activation(house.ann) is None
    assert house.guard.get_budget_status(house.ann.id) is None
    house.guard.write_mark(house.ann, Observation(scope="a"))


def test_p60_each_dimension_warns_once_without_blocking(house: Any) -> None:
    rich = budgeted(house, max_input_tokens_total=100, max_output_tokens_total=10)
    for tokens, output in ((79, 0), (1, 0), (1, 9), (1, 0)):
        house.guard.record_round_tokens(rich, tokens, output)
    needs = questions(house)
    assert [need.blocking for need in needs] == [False, False]
    assert all("budget" in need.question and "rich" in need.question for need in needs)


def test_p61_at_the_limit_activation_writes_and_executes_are_refused(house: Any) -> None:
    rich = budgeted(house, max_input_tokens_total=100)
    house.guard.record_round_tokens(rich, 100, 0)
    assert "exhausted" in house.guard.check_budget_activation(rich)
    with pytest.raises(ScopeError, match="exhausted"):
        house.guard.write_mark(rich, Observation(scope="a"))
    decision, _ = house.guard.execute(rich, "a", "r", "x", "do", lambda: 1)
    assert decision.verdict is GuardVerdict.DENIED
    assert house.guard.get_budget_status(rich.id) == (100, 0, True)


def test_p62_a_raised_ceiling_lets_the_agent_resume(house: Any) -> None:
    rich = budgeted(house, max_input_tokens_total=100)
    house.guard.record_round_tokens(rich, 150, 0)
    higher = TokenBudget(max_input_tokens_total=1000)
    assert not house.guard.update_budget(rich, higher, None)
    assert house.guard.update_budget(rich, TokenBudget(max_input_tokens_total=150), house.token)
    assert house.guard.check_budget_activation(rich) is not None
    assert house.guard.update_budget(rich, higher, house.token)
    assert house.guard.check_budget_activation(rich) is None
    house.guard.write_mark(rich, Observation(scope="a"))


def test_p63_consumption_never_decreases(house: Any) -> None:
    rich = budgeted(house, max_input_tokens_total=100)
    house.guard.record_round_tokens(rich, 5, 6)
    for bad in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="negative"):
            house.guard.record_round_tokens(rich, *bad)
    assert house.guard.get_budget_status(rich.id) == (5, 6, False)


def limited(house: Any, own: int | None, fleet: int | None) -> FixedEnvelope:
    """A scope that takes few writes in 10 seconds."""
    limit = ScopeRateLimit(own, fleet, 10.0)
    envelope = FixedEnvelope()
    house.open(Scope(name="a", rate_limit=limit), envelope=envelope)
    return envelope


def test_p64_an_agents_excess_is_rejected_and_the_envelope_is_told(house: Any) -> None:
    envelope = limited(house, 2, None)
    for _ in range(2):
        house.guard.write_mark(house.ann, Observation(scope="a"))
    with pytest.raises(ScopeError, match="Rate limit exceeded"):
        house.guard.write_mark(house.ann, Observation(scope="a"))
    assert "Rate limit" in house.guard.pre_action(house.ann, "a", "r", "x").reason
    house.guard.write_mark(house.bob, Observation(scope="a"))
    assert envelope.attempts == [(house.ann.id, "observation"), (house.ann.id, "intent")]


def test_p65_the_fleets_excess_rejects_everybody_until_the_window_moves(house: Any) -> None:
    limited(house, None, 2)
    for who in (house.ann, house.bob):
        house.guard.write_mark(who, Observation(scope="a"))
    for who in (house.ann, house.bob):
        with pytest.raises(ScopeError, match="Fleet rate limit"):
            house.guard.write_mark(who, Observation(scope="a"))
    house.space.set_clock(110.1)
    house.guard.write_mark(house.ann, Observation(scope="a"))


def test_p66_rate_limits_need_neither_envelope_nor_budget(house: Any) -> None:
    house.open(Scope(name="a", rate_limit=ScopeRateLimit(1)))
    house.guard.write_mark(house.ann, Observation(scope="a"))
    with pytest.raises(ScopeError):
        house.guard.write_mark(house.ann, Observation(scope="a"))


class Says(ContentPolicy):
    """Answers with what it was made with."""

    inspects: ClassVar[tuple[str, ...]] = ("content",)

    def __init__(self, verdict: PolicyVerdict, content: Any = None) -> None:
        self.answer = PolicyResult(verdict, content, "said so")
        self.seen: list[Any] = []

    def evaluate(self, agent: Any, mark: Any, scope: Any) -> PolicyResult:
        self.seen.append(mark.content)
        return self.answer


def test_p67_a_rejected_content_is_not_stored(house: Any) -> None:
    house.open(Scope(name="a"), policies=[Says(PolicyVerdict.REJECT)])
    with pytest.raises(ContentPolicyError, match="said so"):
        house.guard.write_mark(house.ann, Observation(scope="a", content="x"))
    assert house.space.head() == 0


def test_p68_rewrites_feed_on_and_the_first_reject_stops(house: Any) -> None:
    first, second = Says(PolicyVerdict.REWRITE, "y"), Says(PolicyVerdict.REJECT)
    third = Says(PolicyVerdict.ALLOW)
    house.open(Scope(name="a"), policies=[first, second, third])
    with pytest.raises(ContentPolicyError):
        house.guard.write_mark(house.ann, Observation(scope="a", content="x"))
    assert (first.seen, second.seen, third.seen) == (["x"], ["y"], [])


def test_p69_only_the_content_of_observations_may_change(house: Any) -> None:
    house.open(Scope(name="a"), policies=[Says(PolicyVerdict.REWRITE, "y")])
    given = Observation(scope="a", topic="t", content="x", confidence=0.7)
    stored = house.space.get_mark(house.guard.write_mark(house.ann, given))
    kept = ("scope", "topic", "confidence", "source", "initial_strength")
    assert stored.content == "y"
    assert all(getattr(stored, field) == getattr(given, field) for field in kept)
    need = house.space.get_mark(house.guard.write_mark(house.ann, Need(scope="a", context="x")))
    warning = house.guard.write_mark(house.ann, Warning(scope="a", reason="x"))
    assert (need.context, house.space.get_mark(warning).reason) == ("x", "x")


def test_p70_policies_have_no_effect_on_barrier_and_envelope(house: Any) -> None:
    envelope = FixedEnvelope()
    house.open(Scope(name="a"), envelope=envelope, policies=[Says(PolicyVerdict.REJECT)])
    with pytest.raises(ContentPolicyError):
        house.guard.write_mark(house.ann, Observation(scope="a"))
    assert envelope.attempts == []
    assert house.guard.get_barrier(house.ann.id) is None
