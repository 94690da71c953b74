import anyio
import pytest

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.base import (
    AuthFailed,
    BadRequest,
    ContextOverflow,
    MalformedReply,
    ModelError,
    OutOfCredit,
    ProviderDown,
    RateLimited,
    ReplyTruncated,
    UnknownModel,
)
from hyperspace.models.policy.retrying import Patience, Retrying
from hyperspace.models.policy.traffic import Traffic, traffic_to
from tests.support.fake_clock import FakeClock
from tests.support.models import GatedModel, ListModel

pytestmark = pytest.mark.anyio
REQUEST = ChatRequest("m", ())
OK = ChatReply("ok")


def retrying(
    time: FakeClock, *outcomes: ChatReply | Exception, outage_s: float = 600.0
) -> Retrying:
    return Retrying(ListModel("m", outcomes), Traffic(time.clock), Patience(outage_s))


async def test_transient_errors_are_tried_again_with_growing_pauses() -> None:
    errors = [ProviderDown("a"), ReplyTruncated("b"), MalformedReply("c"), RateLimited("d")]
    time = FakeClock()
    assert (await retrying(time, *errors, OK).complete(REQUEST)).text == "ok"
    assert time.slept == [0.5, 1.0, 2.0, 4.0]


async def test_jitter_is_over_the_whole_of_each_pause() -> None:
    time = FakeClock()
    bounds: list[tuple[float, float]] = []

    def uniform(low: float, high: float) -> float:
        bounds.append((low, high))
        return low

    clock = time.clock._replace(uniform=uniform)
    model = ListModel("m", [*[ReplyTruncated("x")] * 9, OK])
    await Retrying(model, Traffic(clock)).complete(REQUEST)
    assert bounds[:4] == [(0, 0.5), (0, 1), (0, 2), (0, 4)]
    assert bounds[-1] == (0, 60.0)
    assert time.slept == [0.0] * 9


@pytest.mark.parametrize(("said_s", "pause_s"), [(7.0, 7.5), (0.0, 0.5), (1e9, 120.5), (None, 0.5)])
async def test_a_pause_that_the_provider_asks_for_is_kept_up_to_two_minutes(
    said_s: float | None, pause_s: float
) -> None:
    time = FakeClock()
    await retrying(time, RateLimited("slow", said_s), OK).complete(REQUEST)
    assert time.time == pytest.approx(pause_s)


async def test_it_gives_up_after_the_outage_time_and_says_so() -> None:
    time = FakeClock()
    model = retrying(time, ProviderDown("gone"))
    with pytest.raises(ProviderDown, match=r"m failed \d+ times in .* minutes .*last: gone"):
        await model.complete(REQUEST)
    assert 400 < time.time <= 600


@pytest.mark.parametrize(
    ("outage_s", "told"),
    [(0.1, r"m failed once \("), (30.0, r"m failed [2-9] times in [12]\d\.\d s \(")],
)
async def test_a_short_outage_is_told_in_seconds_and_one_failure_as_one(
    outage_s: float, told: str
) -> None:
    with pytest.raises(ProviderDown, match=told):
        await retrying(FakeClock(), ProviderDown("gone"), outage_s=outage_s).complete(REQUEST)


async def test_the_cause_of_an_outage_is_what_the_provider_said_last() -> None:
    for outage_s in (1.0, 7.0, 600.0):  # the breaker lets no more calls pass, or there is no time
        said = ProviderDown("gone")
        with pytest.raises(ProviderDown) as caught:
            await retrying(FakeClock(), said, outage_s=outage_s).complete(REQUEST)
        causes = list[BaseException]()
        cause = caught.value.__cause__
        while cause is not None:
            causes.append(cause)
            cause = cause.__cause__
        assert causes[-1] is said


async def test_a_person_is_told_once_while_it_lasts() -> None:
    told: list[str] = []
    model = ListModel("m", [*[ProviderDown("gone")] * 12, OK])
    patience = Patience(tell=told.append)
    assert await Retrying(model, Traffic(FakeClock().clock), patience).complete(REQUEST) == OK
    assert told == ["gone; trying for 10 minutes, then the run pauses"]


async def test_the_same_call_goes_on_when_the_outage_is_over() -> None:
    time = FakeClock()
    outage = [ProviderDown("gone")] * 12
    assert await retrying(time, *outage, OK).complete(REQUEST) == OK
    assert time.time > 120


async def test_no_patience_raises_the_first_failure_as_it_is() -> None:
    error = ProviderDown("gone")
    with pytest.raises(ProviderDown) as caught:
        await retrying(FakeClock(), error, OK, outage_s=0).complete(REQUEST)
    assert caught.value is error


@pytest.mark.parametrize(
    "error",
    [AuthFailed("x"), BadRequest("x"), ContextOverflow("x"), OutOfCredit("x"), UnknownModel("x")],
)
async def test_what_asking_again_does_not_mend_is_raised_at_once(error: ModelError) -> None:
    time, inner = FakeClock(), ListModel("m", [error])
    with pytest.raises(type(error)):
        await Retrying(inner, Traffic(time.clock)).complete(REQUEST)
    assert (len(inner.requests), time.slept) == (1, [])


async def test_a_reply_that_drips_for_ever_is_ended_by_the_time_limit() -> None:
    patience = Patience(outage_s=0, call_s=0.05)
    model = Retrying(GatedModel("m", [OK]), Traffic(), patience)
    with pytest.raises(ProviderDown, match=r"no whole reply within 0\.05 s"):
        await model.complete(REQUEST)


async def test_a_provider_that_fails_for_one_is_left_alone_by_all_and_found_again() -> None:
    time = FakeClock()
    traffic = Traffic(time.clock)
    down = ListModel("a", [ProviderDown("gone")])
    with pytest.raises(ProviderDown):
        await Retrying(down, traffic, Patience(outage_s=30.0)).complete(REQUEST)
    assert traffic.breaker.is_open
    requests = len(down.requests)
    other = ListModel("b", [OK])
    began = time.time
    assert await Retrying(other, traffic).complete(REQUEST) == OK
    assert time.time > began  # it waited its turn
    assert (len(down.requests), len(other.requests)) == (requests, 1)
    assert not traffic.breaker.is_open


async def test_a_breaker_that_stays_open_is_an_outage_too() -> None:
    time = FakeClock()
    traffic = Traffic(time.clock)
    down = Retrying(ListModel("a", [ProviderDown("gone")]), traffic, Patience(outage_s=120.0))
    with pytest.raises(ProviderDown):
        await down.complete(REQUEST)
    began = time.time
    late = Retrying(ListModel("b", [OK]), traffic, Patience(outage_s=1.5))
    with pytest.raises(ProviderDown, match=r"b .*not asked for now"):
        await late.complete(REQUEST)
    assert time.time - began <= 1.5


async def test_a_cancelled_call_leaves_no_place_taken_and_ends_at_once() -> None:
    traffic = Traffic()
    inner = GatedModel("m", [OK])
    model = Retrying(inner, traffic)
    start = anyio.current_time()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(model.complete, REQUEST)
        await inner.asked.wait()
        assert traffic.limiter.busy == 1
        tasks.cancel_scope.cancel()
    assert traffic.limiter.busy == 0
    assert anyio.current_time() - start < 0.5
    inner.gate.set()
    assert await model.complete(REQUEST) == OK


async def test_a_pause_can_be_cancelled() -> None:
    model = Retrying(ListModel("m", [RateLimited("x", 100.0)]), Traffic())
    with anyio.move_on_after(0.05) as scope:
        await model.complete(REQUEST)
    assert scope.cancelled_caught


def test_all_who_ask_one_provider_share_its_traffic() -> None:
    assert traffic_to("openai", "http://a") is traffic_to("openai", "http://a")
    assert traffic_to("openai", "http://a") is not traffic_to("openai", "http://b")
    assert traffic_to("openai", "http://a") is not traffic_to("anthropic", "http://a")
