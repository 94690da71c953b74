from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from hyperspace.messages import ChatReply, ChatRequest, Message, ToolSpec, Usage
from hyperspace.models.base import (
    BadRequest,
    LimitReached,
    Model,
    ModelError,
    ProviderDown,
    RateLimited,
    ReplyTruncated,
    UnknownPrice,
)
from hyperspace.models.chat.openai import openai_chat
from hyperspace.models.chat.wire import ChatDialect
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import ModelTarget
from hyperspace.models.names import REPLY_TOKENS
from hyperspace.models.policy.retrying import Retrying
from hyperspace.models.policy.traffic import Traffic
from hyperspace.spending.budget import SpendingLimits
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_file import LedgerFile, read_lines
from hyperspace.spending.ledger_lines import Account, ReservedCall, SettledCall
from hyperspace.spending.metered import Metered, Payer, bound, paying, prices_needed
from hyperspace.spending.prices import Price, PricedProvider, PriceTable
from tests.support.fake_clock import FakeClock
from tests.support.models import GatedModel, ListModel
from tests.support.servers.faulty_server import Prepared, faulty_server, free_port

pytestmark = pytest.mark.anyio
NAME = "m@https://host.example/v1"
URL = "https://host.example/v1"
REPLY = ChatReply("hello", usage=Usage(100, 10))
REQUEST = ChatRequest("m", (Message("user", "hi"),))
PRICES = PriceTable(
    (PricedProvider(name="mine", models=(Price(id="m", input=10.0, output=100.0),)),)
)
ACCOUNT = Account("a", 1, "modify", "modify//0")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


@pytest.fixture
def ledger(path: Path) -> Generator[Ledger]:
    with Ledger(path) as opened:
        yield opened


def payer(ledger: Ledger, prices: PriceTable = PRICES) -> Payer:
    return Payer(ledger, prices, ACCOUNT)


def adapter(url: str) -> Model:
    """The real SDK, asking an address."""
    return openai_chat(Endpoint(NAME, ModelTarget("m", url, "k", "KEY")), ChatDialect())


class NetworkModel(ListModel):
    """A `ListModel` that passes for one behind a network."""

    offline = False


async def test_the_cap_that_is_reserved_is_the_one_that_is_sent(ledger: Ledger) -> None:
    for own, requested, sent in (
        (REPLY_TOKENS, None, REPLY_TOKENS),
        (500, None, 500),
        (500, 70, 70),
    ):
        model = NetworkModel(NAME, [REPLY])
        request = ChatRequest("m", REQUEST.messages, max_tokens=requested)
        with paying(payer(ledger)):
            await Metered(model, URL, reply_tokens=own).complete(request)
        assert [request.max_tokens for request in model.requests] == [sent]
    reserved = [line for line in read_lines_of(ledger) if isinstance(line, ReservedCall)]
    assert [line.completion_tokens for line in reserved] == [REPLY_TOKENS, 500, 70]


def read_lines_of(ledger: Ledger) -> list[object]:
    assert isinstance(ledger.lines, LedgerFile)
    return list(read_lines(ledger.lines.path))


async def test_a_reply_has_its_price_and_the_ledger_the_same(ledger: Ledger) -> None:
    with paying(payer(ledger)):
        reply = await Metered(NetworkModel(NAME, [REPLY]), URL).complete(REQUEST)
    assert reply.cost_usd == pytest.approx((100 * 10 + 10 * 100) / 1e6)
    (settled,) = [line for line in read_lines_of(ledger) if isinstance(line, SettledCall)]
    assert (settled.model, settled.cost_usd) == ("m", reply.cost_usd)


async def test_what_the_endpoint_says_it_charged_goes_before_the_table(ledger: Ledger) -> None:
    charged = ChatReply("hello", usage=Usage(100, 10), cost_usd=0.75)
    with paying(payer(ledger)):
        await Metered(NetworkModel(NAME, [charged]), URL).complete(REQUEST)
    assert ledger.budget.spent.cost_usd == 0.75


@pytest.mark.parametrize(
    ("error", "stays"),
    [
        (RateLimited("wait"), False),
        (BadRequest("no"), False),
        (ProviderDown("nobody there", may_be_billed=False), False),
        (ProviderDown("cut"), True),
        (ReplyTruncated("half"), True),
        (KeyError("a defect"), True),
    ],
)
async def test_only_an_attempt_that_is_certainly_free_gives_its_reservation_back(
    ledger: Ledger, error: Exception, stays: bool
) -> None:
    with paying(payer(ledger)), pytest.raises(type(error)):
        await Metered(NetworkModel(NAME, [error]), URL).complete(REQUEST)
    assert len(ledger.unknown()) == stays


async def test_every_try_of_a_retried_call_is_reserved(ledger: Ledger) -> None:
    failures = [ProviderDown("cut"), RateLimited("wait"), ReplyTruncated("half")]
    model = NetworkModel(NAME, [*failures, REPLY])
    with paying(payer(ledger)):
        await Retrying(Metered(model, URL), Traffic(FakeClock().clock)).complete(REQUEST)
    assert sum(isinstance(line, ReservedCall) for line in read_lines_of(ledger)) == 4
    assert len(ledger.unknown()) == 2
    assert ledger.budget.spent.calls == 1


async def test_a_reached_limit_is_not_retried_and_nothing_is_sent(path: Path) -> None:
    model = NetworkModel(NAME, [REPLY])
    reached = pytest.raises(LimitReached, match="--max-tokens 100 is reached")
    with Ledger(path, SpendingLimits(tokens=100)) as ledger, paying(payer(ledger)), reached:
        await Retrying(Metered(model, URL), Traffic(FakeClock().clock)).complete(REQUEST)
    assert model.requests == []


async def test_a_cancelled_call_stays_reserved_as_unknown(ledger: Ledger) -> None:
    model = GatedModel(NAME, [REPLY])
    async with anyio.create_task_group() as tasks:
        with paying(payer(ledger)):
            tasks.start_soon(Metered(model, URL).complete, REQUEST)
        await model.asked.wait()
        assert ledger.unknown() == []
        tasks.cancel_scope.cancel()
    assert [line.call_id for line in ledger.unknown()] == ["modify//0"]


async def test_outside_of_a_run_a_model_is_just_asked() -> None:
    assert await Metered(NetworkModel(NAME, [REPLY]), URL).complete(REQUEST) == REPLY


async def test_where_prices_are_needed_a_model_without_one_does_not_pass_its_check() -> None:
    model = Retrying(Metered(NetworkModel(NAME, [REPLY]), URL), Traffic())
    await model.check()
    with prices_needed(PRICES):
        await model.check()
    with prices_needed(PriceTable()), pytest.raises(UnknownPrice, match="--allow-unknown-price"):
        await model.check()
    with prices_needed(PriceTable()):
        await Metered(ListModel("offline/x", [REPLY])).check()


async def test_a_price_that_nobody_knows_is_none_in_reply_and_ledger(ledger: Ledger) -> None:
    with paying(payer(ledger, PriceTable())):
        reply = await Metered(NetworkModel(NAME, [REPLY]), URL).complete(REQUEST)
    assert reply.cost_usd is None
    assert ledger.budget.spent.unpriced == 1


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "\x00\x01\x02" * 50,
        "\N{SNOWMAN}" * 99,
        '"\\' * 80,
        "\N{DOUBLE-STRUCK CAPITAL C}" * 70,
    ],
)
def test_the_bound_on_a_prompt_is_above_one_token_a_byte(text: str) -> None:
    tool = ToolSpec("bash", text, {"type": "object", "description": text})
    messages = (Message("system", text), Message("user", text))
    limit = bound(ChatRequest("m", messages, (tool,), max_tokens=5), None)
    assert limit.prompt_tokens >= 6 * len(text.encode()) + 2 * len(messages)
    assert limit.completion_tokens == 5


COMPLETION = (
    b'{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{'
    b'"prompt_tokens":50,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":30},'
    b'"completion_tokens_details":{"reasoning_tokens":5}}}'
)


async def test_over_the_real_sdk_cached_and_reasoning_tokens_are_counted_apart(
    ledger: Ledger,
) -> None:
    with faulty_server(Prepared(200, COMPLETION)) as server, paying(payer(ledger)):
        model = Metered(adapter(server.url), server.url)
        reply = await model.complete(REQUEST)
        await model.aclose()
        body, _ = server.asked[0]
    assert reply.usage == Usage(50, 7, cached_tokens=30, reasoning_tokens=5)
    assert body["max_tokens"] == REPLY_TOKENS
    assert ledger.budget.spent.cached_tokens == 30
    assert ledger.budget.spent.reasoning_tokens == 5


@pytest.mark.parametrize(
    ("answer", "stays"),
    [
        (Prepared(200, COMPLETION, cut=True), True),
        (Prepared(504, b"{}"), True),
        (Prepared(500, b"{}"), False),
        (Prepared(429, b"{}"), False),
        (Prepared(401, b"{}"), False),
    ],
)
async def test_over_the_real_sdk_a_cut_reply_stays_reserved_and_a_refusal_does_not(
    ledger: Ledger, answer: Prepared, stays: bool
) -> None:
    with faulty_server(answer) as server, paying(payer(ledger)):
        model = Metered(adapter(server.url), server.url)
        with pytest.raises(ModelError):
            await model.complete(REQUEST)
        await model.aclose()
    assert len(ledger.unknown()) == stays


async def test_where_nobody_listens_nothing_was_sent_and_nothing_stays_reserved(
    ledger: Ledger,
) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    model = Metered(adapter(url), url)
    with paying(payer(ledger)), pytest.raises(ProviderDown):
        await model.complete(REQUEST)
    await model.aclose()
    assert ledger.unknown() == []
