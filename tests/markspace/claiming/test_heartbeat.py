"""The heartbeat of running claims: it ends with the tool, and outlives the trouble of one."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from markspace import Agent, DecayConfig, Guard, GuardVerdict, MarkSpace, Scope, ScopeError
from markspace.claiming.execution import RunningClaim
from markspace.stores.base import Store

ANN, BOB, CAT = (Agent(name=n, scopes={"a": ["intent", "action"]}) for n in ("ann", "bob", "cat"))


def guarded(store: Store, ttl_s: float, intent_ttl: float = 1e6) -> Any:
    """A guard whose running claims are dead after some seconds without a beat."""
    scope = Scope(name="a", decay=DecayConfig(1e6, 1e6, intent_ttl))
    guard = Guard(MarkSpace([scope], store=store))
    guard._contest.claims.ttl_s = ttl_s  # pyright: ignore[reportPrivateUsage]
    return guard


def test_a_beat_that_comes_after_the_end_leaves_the_claim_alone(store: Store) -> None:
    guard, seen = guarded(store, 60.0), list[RunningClaim]()
    executions = guard._contest.executions
    guard.execute(ANN, "a", "r", "plan", "do", lambda: seen.extend(executions._running))
    head = guard.space.audit_head()
    executions.renew(seen[0])
    assert guard.space.audit_head() == head
    assert guard.space.leases.holder(f"claim:{seen[0].intent_id}") is None


def test_tools_that_end_as_the_heart_beats_give_no_warning(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    guard = guarded(store, ttl_s=0.15)  # a beat every 50 ms

    def work(who: Agent) -> None:
        for number in range(20):
            seconds = 0.02 + number % 5 / 100
            resource = f"{who.name} {number}"
            guard.execute(who, "a", resource, "plan", "do", time.sleep, 0.5, (seconds,))

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, [ANN, BOB, CAT]))
    assert caplog.messages == []


def test_one_claim_that_cannot_be_renewed_does_not_end_the_others(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    guard = guarded(store, 1.5, intent_ttl=0.4)
    bob, cat = guard.space.enroll(BOB), guard.space.enroll(CAT)
    ann = guard.space.enroll(ANN)
    over, verdicts = threading.Event(), list[GuardVerdict]()

    def until_over() -> None:
        guard.space.enroll(ANN)  # the first handle is worthless from now on
        over.wait(60)

    def ask() -> None:
        deadline = time.monotonic() + 60
        while not caplog.messages and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(2.0)  # longer than a claim lives without a beat
        verdicts.append(guard.pre_action(cat, "a", "bob's", "plan", 1.0).verdict)
        over.set()

    with ThreadPoolExecutor(2) as pool:
        lost = pool.submit(guard.execute, ann, "a", "ann's", "plan", "do", until_over)
        kept = pool.submit(guard.execute, bob, "a", "bob's", "plan", "do", ask)
        assert kept.result()[0].verdict is GuardVerdict.ALLOW
        with pytest.raises(ScopeError, match="not the enrolled object"):
            lost.result()
    assert verdicts == [GuardVerdict.CONFLICT]
    assert "could not be renewed: 'ann' is not enrolled" in caplog.messages[0]
