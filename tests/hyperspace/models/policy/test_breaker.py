import pytest

from hyperspace.models.policy.traffic import FAILURES, FIRST_REST_S, LONGEST_REST_S, Breaker
from tests.support.fake_clock import FakeClock

pytestmark = pytest.mark.anyio
FOREVER = float("inf")


def opened(time: FakeClock) -> Breaker:
    breaker = Breaker(time.clock)
    for _ in range(FAILURES):
        assert not breaker.is_open
        breaker.failed()
    return breaker


async def test_it_opens_after_failures_in_a_row_only() -> None:
    breaker = Breaker(FakeClock().clock)
    for _ in range(3):
        for _ in range(FAILURES - 1):
            breaker.failed()
        breaker.answered()
    assert not breaker.is_open
    assert opened(FakeClock()).is_open


async def test_after_a_rest_one_call_finds_out_and_its_answer_closes() -> None:
    time = FakeClock()
    breaker = opened(time)
    assert await breaker.admits(FOREVER) == "probe"
    assert time.time == FIRST_REST_S
    assert await breaker.admits(time.time + 2.5) == "no"  # one at a time
    breaker.answered()
    assert await breaker.admits(time.time) == "yes"


async def test_each_failure_of_the_one_doubles_the_rest_up_to_a_bound() -> None:
    time = FakeClock()
    breaker = opened(time)
    rests: list[float] = []
    for _ in range(7):
        began = time.time
        assert await breaker.admits(FOREVER) == "probe"
        rests.append(time.time - began)
        breaker.failed("probe")
    assert rests == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0, LONGEST_REST_S]


async def test_late_failures_of_calls_in_flight_do_not_lengthen_the_rest() -> None:
    time = FakeClock()
    breaker = opened(time)
    for _ in range(20):
        breaker.failed()
    assert await breaker.admits(FOREVER) == "probe"
    assert time.time == FIRST_REST_S


async def test_a_call_that_is_cancelled_lets_another_one_find_out() -> None:
    time = FakeClock()
    breaker = opened(time)
    assert await breaker.admits(FOREVER) == "probe"
    breaker.left("yes")  # one that was under way before
    assert await breaker.admits(time.time + 1) == "no"
    breaker.left("probe")
    assert await breaker.admits(time.time + 1) == "probe"
