import anyio
import pytest

from hyperspace.models.policy.traffic import (
    FIRST_WINDOW,
    LARGEST_WINDOW,
    SHARED_BY,
    Limiter,
    Traffic,
    shared_by,
)
from tests.support.fake_clock import FakeClock

pytestmark = pytest.mark.anyio


async def test_no_more_calls_than_the_window_are_in_flight() -> None:
    limiter = Limiter(FakeClock().clock, window=3.0)
    most, done = 0, 0

    async def call() -> None:
        nonlocal most, done
        async with limiter.slot():
            most = max(most, limiter.busy)
            await anyio.lowlevel.checkpoint()
        done += 1

    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(call)
    assert (most, done, limiter.busy) == (3, 20, 0)


async def test_a_round_of_answers_widens_the_window_by_about_one() -> None:
    limiter = Limiter(FakeClock().clock, window=4.0)
    for _ in range(4):
        limiter.answered()
    assert 4.8 < limiter.window <= 5.0
    for _ in range(10_000):
        limiter.answered()
    assert limiter.window == LARGEST_WINDOW


async def test_a_burst_of_429_halves_the_window_once_and_never_below_one() -> None:
    limiter = Limiter(FakeClock().clock, window=8.0)
    async with limiter.slot() as first, limiter.slot() as second:
        limiter.limited(first, 0.0)
        limiter.limited(second, 0.0)
    assert limiter.window == 4.0
    for _ in range(5):
        async with limiter.slot() as round_:
            limiter.limited(round_, 0.0)
    assert limiter.window == 1.0


async def test_a_pause_holds_everybody_back() -> None:
    time = FakeClock()
    limiter = Limiter(time.clock)
    async with limiter.slot() as round_:
        limiter.limited(round_, 30.0)
    async with limiter.slot():
        assert time.time == 30.0


async def test_waiters_that_are_cancelled_keep_nobody_from_a_place() -> None:
    limiter = Limiter(FakeClock().clock, window=1.0)
    got = anyio.Event()

    async def wait(scope: anyio.CancelScope) -> None:
        with scope:
            async with limiter.slot():
                got.set()

    async with anyio.create_task_group() as tasks:
        async with limiter.slot():
            given_up, patient = anyio.CancelScope(), anyio.CancelScope()
            tasks.start_soon(wait, given_up)
            tasks.start_soon(wait, patient)
            await anyio.wait_all_tasks_blocked()
            given_up.cancel()
        with anyio.fail_after(60):
            await got.wait()
    assert limiter.busy == 0


@pytest.mark.parametrize("count", [1, 2, 5, 64, 500])
def test_processes_that_share_a_provider_have_its_window_together(count: int) -> None:
    limiters = [Traffic(FakeClock().clock, count).limiter for _ in range(count)]
    first = sum(int(limiter.window) for limiter in limiters)
    for limiter in limiters:
        for _ in range(10_000 if count < 9 else 100):
            limiter.answered()
    most = sum(int(limiter.window) for limiter in limiters)
    assert first <= max(FIRST_WINDOW, count)
    assert LARGEST_WINDOW / 2 < most <= max(LARGEST_WINDOW, count)


def test_what_is_no_number_of_processes_shares_nothing() -> None:
    told = ("", "0", "-3", "many", "\u00b2", "4")
    assert [shared_by({SHARED_BY: text}) for text in told] == [1, 1, 1, 1, 1, 4]
    assert shared_by({}) == 1
