import pytest

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.base import BadRequest, ProviderDown
from hyperspace.models.policy.retrying import ProviderDowntime, Retrying, counting_downtime
from hyperspace.models.policy.traffic import Traffic
from tests.support.fake_clock import FakeClock
from tests.support.models import ListModel

REQUEST = ChatRequest("m", ())


def test_only_time_of_failing_counts_and_no_time_counts_twice() -> None:
    time = FakeClock()
    excuses = ProviderDowntime(lambda: time.time)
    time.time = 100.0
    excuses.begin(5.0)  # since 95
    time.time = 110.0
    excuses.begin(3.0)  # within the first
    assert excuses.seconds() == 15.0
    excuses.end()
    time.time = 120.0
    excuses.end()
    time.time = 150.0
    assert excuses.seconds() == 25.0
    excuses.begin(40.0)  # since 110, but all up to 120 is counted
    assert excuses.seconds() == 55.0


@pytest.mark.anyio
async def test_a_call_that_fails_for_a_while_excuses_for_as_long() -> None:
    time = FakeClock()
    excuses = ProviderDowntime(lambda: time.time)
    outcomes = [ProviderDown("x")] * 4 + [ChatReply("ok")]
    model = Retrying(ListModel("m", outcomes), Traffic(time.clock))
    with counting_downtime(excuses):
        await model.complete(REQUEST)
        assert excuses.seconds() == time.time > 0
        time.time += 50
        await model.complete(REQUEST)  # at once
    assert excuses.seconds() == time.time - 50


@pytest.mark.anyio
async def test_waiting_for_what_others_met_is_excused_too() -> None:
    time = FakeClock()
    excuses = ProviderDowntime(lambda: time.time)
    traffic = Traffic(time.clock)
    async with traffic.limiter.slot() as round_:
        traffic.limiter.limited(round_, 30.0)
    with counting_downtime(excuses):
        await Retrying(ListModel("m", [ChatReply("ok")]), traffic).complete(REQUEST)
    assert excuses.seconds() == time.time == 30.0


@pytest.mark.anyio
async def test_an_excuse_ends_with_the_call_however_it_ends() -> None:
    time = FakeClock()
    excuses = ProviderDowntime(lambda: time.time)
    model = Retrying(ListModel("m", [ProviderDown("x"), BadRequest("y")]), Traffic(time.clock))
    with counting_downtime(excuses), pytest.raises(BadRequest):
        await model.complete(REQUEST)
    until = excuses.seconds()
    time.time += 100
    assert excuses.seconds() == until
