"""The tries of one call, counted in a ledger."""

from hyperspace.messages import CallPlace
from hyperspace.spending.ledger_lines import (
    FORMAT,
    LedgerHead,
    Line,
    ReleasedCall,
    ReservedCall,
    SettledCall,
)
from hyperspace.spending.tries import Tries, tries_of

PLACE = CallPlace("tinker", 3, "modify//1")


def reserved(name: str, agent: str = "tinker", call_id: str = "modify//1") -> ReservedCall:
    return ReservedCall(
        id=name,
        agent=agent,
        generation=3,
        purpose="modify",
        call_id=call_id,
        model="m",
        prompt_tokens=1,
        completion_tokens=1,
        cost_usd=None,
        reserved_utc="",
    )


def settled(name: str, agent: str, call_id: str) -> SettledCall:
    return SettledCall(
        id=name,
        agent=agent,
        generation=3,
        purpose="modify",
        call_id=call_id,
        model="m",
        prompt_tokens=1,
        completion_tokens=1,
        cached_tokens=0,
        cache_write_tokens=0,
        reasoning_tokens=0,
        cost_usd=None,
        ended_utc="",
    )


def test_tries_are_counted_over_starts_and_other_calls_from_the_first_try_on() -> None:
    lines: list[Line] = [
        LedgerHead(format=FORMAT),
        reserved("a1-1", call_id="modify//0"),
        settled("a1-1", "tinker", "modify//0"),
        reserved("a1-2"),
        ReleasedCall(id="a1-2", ended_utc=""),
        reserved("a1-3"),
        reserved("a1-4", "magpie", "modify//0"),
        settled("a1-4", "magpie", "modify//0"),
        reserved("b2-1"),
        reserved("b2-2", "magpie", "modify//1"),
    ]
    assert tries_of(PLACE, lines) == Tries("m", tries=3, starts=2, others=2, answered=1)


def test_a_call_that_was_never_tried_has_no_tries() -> None:
    lines = [LedgerHead(format=FORMAT), reserved("a1-1", call_id="modify//0")]
    assert tries_of(PLACE, lines) == Tries()
