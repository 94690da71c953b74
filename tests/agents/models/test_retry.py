import anyio
import pytest

from agents.messages import ChatReply, ChatRequest
from agents.models.base import AuthFailed, BadRequest, ProviderDown, RateLimited, ReplyTruncated
from agents.models.retry import DELAYS_S, Retrying
from tests.support.models import ListModel

pytestmark = pytest.mark.anyio
REQUEST = ChatRequest("m", ())


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


class Pauses:
    """Remembers pauses in place of waiting for them."""

    def __init__(self) -> None:
        self.asked_s: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked_s.append(seconds)
        await anyio.lowlevel.checkpoint()


async def test_transient_errors_are_tried_again_with_growing_pauses() -> None:
    errors = [ProviderDown("a"), ReplyTruncated("b"), RateLimited("c")]
    pauses = Pauses()
    model = Retrying(ListModel("m", [*errors, ChatReply("ok")]), sleep=pauses)
    assert (await model.complete(REQUEST)).text == "ok"
    assert pauses.asked_s == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("said_s", "pause_s"), [(7.0, 7.0), (0.0, 0.5), (3600.0, 60.0), (None, 0.5)]
)
async def test_a_pause_that_the_provider_asks_for_is_kept_up_to_a_minute(
    said_s: float | None, pause_s: float
) -> None:
    pauses = Pauses()
    inner = ListModel("m", [RateLimited("slow", said_s), ChatReply("ok")])
    await Retrying(inner, sleep=pauses).complete(REQUEST)
    assert pauses.asked_s == [pause_s]


async def test_it_gives_up_after_a_bound_as_an_outage() -> None:
    pauses, inner = Pauses(), ListModel("m", [RateLimited("busy")])
    with pytest.raises(ProviderDown, match="m failed 6 times; last: busy"):
        await Retrying(inner, sleep=pauses).complete(REQUEST)
    assert pauses.asked_s == list(DELAYS_S)
    assert len(inner.requests) == 6


@pytest.mark.parametrize("error", [BadRequest("x"), AuthFailed("x")])
async def test_what_asking_again_does_not_mend_is_raised_at_once(error: Exception) -> None:
    inner = ListModel("m", [error])
    with pytest.raises(type(error)):
        await Retrying(inner, sleep=Pauses()).complete(REQUEST)
    assert len(inner.requests) == 1
