"""What is for the books alone is read leniently; what decides what runs is not."""

import gzip
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from hyperspace.messages import ChatReply, ChatRequest, Message, ToolCall, Usage
from hyperspace.models.anthropic.messages import AnthropicMessages
from hyperspace.models.base import (
    BadRequest,
    MalformedReply,
    Model,
    ModelError,
    RepeatedlyMalformed,
    ReplyTruncated,
    ServerRefuses,
)
from hyperspace.models.chat.openai import openai_chat
from hyperspace.models.chat.wire import ChatDialect
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import ModelTarget
from hyperspace.models.names import ModelOptions
from hyperspace.models.policy.control import QUESTION, Controlled
from hyperspace.models.policy.retrying import Retrying
from hyperspace.models.policy.traffic import Traffic
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_file import read_lines
from hyperspace.spending.ledger_lines import Account
from hyperspace.spending.metered import Metered, Payer, paying
from hyperspace.spending.prices import PriceTable
from tests.support.fake_clock import FakeClock
from tests.support.models import ListModel
from tests.support.servers.faulty_server import FaultyServer, Prepared, faulty_server
from tests.support.servers.wires import HELLO, LOOP, anthropic_message, completion, json_answer

pytestmark = pytest.mark.anyio
WHOLE = ModelOptions(stream="off")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def asking(server: FaultyServer, wire: str = "openai") -> AsyncGenerator[Model]:
    target = ModelTarget("m", server.url if wire == "openai" else server.root, "key", "A_KEY")
    endpoint = Endpoint("m", target, WHOLE)
    claude = wire == "anthropic"
    model = AnthropicMessages(endpoint) if claude else openai_chat(endpoint, ChatDialect())
    try:
        yield model
    finally:
        await model.aclose()


async def reply_to(
    answer: Prepared, wire: str = "openai", request: ChatRequest = HELLO
) -> ChatReply:
    with faulty_server(answer) as server:
        async with asking(server, wire) as model:
            return await model.complete(request)


@pytest.mark.parametrize("count", [11.0, "11", " 11 "])
async def test_whole_numbers_of_tokens_count_in_any_form(count: object) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 2}
    assert (await reply_to(json_answer({**completion(), "usage": usage}))).usage == Usage(11, 2)


@pytest.mark.parametrize("count", ["12.5", 12.5, [12], {}, "many", True, None, -1, 0, "9" * 400])
async def test_numbers_that_cannot_be_are_estimated(count: object) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 2}
    assert (await reply_to(json_answer({**completion(), "usage": usage}))).usage == Usage(0, 1)


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"1e999", b"1" * 5_000])
async def test_numbers_that_json_does_not_have_are_none(number: bytes) -> None:
    body = msgspec.json.encode(completion()).replace(b":11", b":" + number)
    assert (await reply_to(Prepared(200, body))).text == "hello"


@pytest.mark.parametrize(
    ("word", "finish"),
    [
        ("STOP", "stop"),
        ("end_turn", "stop"),
        ("eos_token", "stop"),
        ("FinishReason.STOP", "stop"),
        ("FINISH_REASON_MAX_TOKENS", "length"),
        ("max_tokens", "length"),
        ("tool_use", "tool_calls"),
        ("SAFETY", "refusal"),
        ("whatever-comes", "stop"),
        (1, "stop"),
    ],
)
async def test_a_reply_has_ended_whichever_word_says_so(word: object, finish: str) -> None:
    answer = completion()
    answer["choices"][0]["finish_reason"] = word
    assert (await reply_to(json_answer(answer))).finish == finish


@pytest.mark.parametrize("word", [None, "", "error", "ABORTED", "timeout", "incomplete"])
async def test_a_reply_that_broke_off_is_none(word: object) -> None:
    answer = completion()
    answer["choices"][0]["finish_reason"] = word
    with pytest.raises(ReplyTruncated):
        await reply_to(json_answer(answer))


@pytest.mark.parametrize("error", [{"code": 0, "message": ""}, False, None, {}, "", []])
async def test_an_error_that_says_nothing_is_none(error: object) -> None:
    for wire, answer in (("openai", completion()), ("anthropic", anthropic_message())):
        assert (await reply_to(json_answer({**answer, "error": error}), wire)).text == "hello"


async def test_calls_come_in_older_and_odder_forms() -> None:
    function = {"name": "bash", "arguments": {"command": "ls"}}
    for message in (
        {"tool_calls": [{"id": 7, "function": function}]},
        {"function_call": {**function, "arguments": '{"command":"ls"}'}},
    ):
        reply = await reply_to(json_answer(completion(None, "stop", **message)))
        (call,) = reply.tool_calls
        assert (call.name, call.arguments) == ("bash", '{"command":"ls"}')
        assert reply.finish == "tool_calls"
    block = {"type": "tool_use", "id": 7, "name": "bash", "input": '{"command": "ls"}'}
    reply = await reply_to(json_answer(anthropic_message(block, stop="END_TURN")), "anthropic")
    assert reply.tool_calls == (ToolCall("7", "bash", '{"command":"ls"}'),)
    assert reply.finish == "tool_calls"


@pytest.mark.parametrize(
    "call",
    [
        {"id": "x", "function": {"name": 5, "arguments": "{}"}},
        {"id": "x", "function": {"arguments": "{}"}},
        {"id": "x", "function": {"name": "bash", "arguments": ["ls"]}},
        "bash ls",
    ],
)
async def test_what_would_run_is_read_strictly(call: object) -> None:
    with pytest.raises(MalformedReply):
        await reply_to(json_answer(completion(None, "tool_calls", tool_calls=[call])))


async def test_an_id_that_the_conversation_has_is_another_one() -> None:
    call = {"id": "c1", "function": {"name": "bash", "arguments": "{}"}}
    answer = json_answer(completion(None, "tool_calls", tool_calls=[call]))
    assert (await reply_to(answer, request=LOOP)).tool_calls[0].id == "call_4_0"


@pytest.mark.parametrize(
    "begin",
    [b": keepalive\n\n", b"\xef\xbb\xbf", b"\n \n", b"// note\n# more\n", b"/* a\nnote */ "],
)
async def test_a_body_may_begin_with_what_is_no_json(begin: bytes) -> None:
    body = begin + msgspec.json.encode(completion())
    assert (await reply_to(Prepared(200, body))).text == "hello"


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_a_packed_reply_is_unpacked(wire: str) -> None:
    answer = completion() if wire == "openai" else anthropic_message()
    packed = gzip.compress(msgspec.json.encode(answer))
    headers = (("Content-Type", "application/json"), ("Content-Encoding", "gzip"))
    assert (await reply_to(Prepared(200, packed, headers), wire)).text == "hello"


ACCOUNT = Account("a", 1, "modify", "modify//0")


async def test_a_reply_that_is_malformed_three_times_pauses_at_once_and_leaves_nothing_reserved(
    tmp_path: Any,
) -> None:
    odd = json_answer({**completion(), "choices": 5, "padding": "x" * 4_000})
    with faulty_server(odd) as server, Ledger(tmp_path / "ledger.jsonl") as ledger:
        async with asking(server) as model:
            retrying = Retrying(Metered(model, server.url), Traffic(FakeClock().clock))
            with (
                paying(Payer(ledger, PriceTable(), ACCOUNT)),
                pytest.raises(RepeatedlyMalformed, match=r"3 times .* no chat completion"),
            ):
                await retrying.complete(HELLO)
        assert len(server.asked) == 3
        assert (ledger.unknown(), ledger.budget.reserved_tokens()) == ([], 0)
        spent = ledger.budget.spent
        assert spent.calls == 0
        assert 3 * 1_000 < spent.tokens < 3 * 1_200  # a quarter of the characters that came
        assert ledger.budget.by["a", "modify"].tokens == spent.tokens
    with Ledger(tmp_path / "ledger.jsonl") as again:  # as a process that was killed finds it
        assert (again.budget.spent.tokens, again.unknown()) == (spent.tokens, [])
        assert sum(1 for _ in read_lines(tmp_path / "ledger.jsonl")) >= 7


async def test_a_page_in_place_of_a_reply_was_surely_not_spent(tmp_path: Any) -> None:
    page = Prepared(200, b"<html>hello</html>")
    with faulty_server(page) as server, Ledger(tmp_path / "ledger.jsonl") as ledger:
        async with asking(server) as model:
            with paying(Payer(ledger, PriceTable(), ACCOUNT)), pytest.raises(ModelError):
                await Metered(model, server.url).complete(HELLO)
        assert (ledger.budget.spent.tokens, ledger.unknown()) == (0, [])


async def test_other_complaints_each_time_are_an_outage_as_before() -> None:
    errors = [MalformedReply(f"{word} is odd") for word in ("this", "that", "so", "which")]
    model = Retrying(ListModel("m", [*errors, ChatReply("hello")]), Traffic(FakeClock().clock))
    assert (await model.complete(HELLO)).text == "hello"


async def test_a_server_that_refuses_a_plain_question_too_refuses_no_candidate() -> None:
    model = ListModel("m", [BadRequest("no"), BadRequest("no")])
    with pytest.raises(ServerRefuses, match="no candidate"):
        await Controlled(model).complete(LOOP)
    assert [request.messages[0].content for request in model.requests][1:] == [QUESTION]


async def test_a_request_that_alone_is_refused_is_told_so_at_the_price_of_one_question() -> None:
    model = ListModel("m", [BadRequest("no"), ChatReply("ok"), *[BadRequest("no")] * 5])
    controlled = Controlled(model)
    for _ in range(6):
        with pytest.raises(BadRequest):
            await controlled.complete(ChatRequest("m", (Message("user", "x"),)))
    assert len(model.requests) == 7
