"""The real SDK of Anthropic over real HTTP, on asyncio and trio."""

from typing import Any

import msgspec
import pytest

from hyperspace.messages import ChatReply, ChatRequest, Message, ReasoningBlock, ToolCall, Usage
from hyperspace.models.anthropic.messages import AnthropicMessages
from hyperspace.models.base import (
    AuthFailed,
    BadRequest,
    ContextOverflow,
    FieldRefused,
    MalformedReply,
    ModelError,
    OutOfCredit,
    ProviderDown,
    RateLimited,
    ReplyTruncated,
    UnknownModel,
    WrongAddress,
)
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import ModelTarget
from hyperspace.models.local_server import pages_of
from hyperspace.models.names import ModelOptions
from tests.support.servers.faulty_server import FaultyServer, Prepared, faulty_server, stream
from tests.support.servers.wires import (
    HELLO,
    LOOP,
    anthropic_events,
    anthropic_message,
    json_answer,
)

pytestmark = pytest.mark.anyio
KEY = "sk-ant-very-secret"
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}
NO_OPTIONS = ModelOptions()
SEALED = {"type": "redacted_thinking", "data": "zzz"}
CALL = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}


async def complete(
    server: FaultyServer, request: ChatRequest = HELLO, options: ModelOptions = NO_OPTIONS
) -> ChatReply:
    target = ModelTarget("claude-m", server.root, KEY, "ANTHROPIC_API_KEY")
    model = AnthropicMessages(Endpoint("claude-m", target, options))
    try:
        return await model.complete(request)
    finally:
        await model.aclose()


async def sent(request: ChatRequest, options: ModelOptions = NO_OPTIONS) -> Any:
    with faulty_server(json_answer(anthropic_message())) as server:
        await complete(server, request, options)
        return server.asked[0][0]


async def test_a_conversation_with_tools_goes_out_in_the_protocols_form() -> None:
    with faulty_server(json_answer(anthropic_message())) as server:
        await complete(server, LOOP)
        ((body, headers),) = server.asked
        assert server.paths == ["/v1/messages"]
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "claude-m",
        "max_tokens": 99,
        "system": "be brief",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "so"},
                    {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "out"}],
            },
        ],
        "tools": [
            {
                "name": "bash",
                "description": "runs",
                "input_schema": {
                    "type": "object",
                    "properties": {"command": {"type": "string"}},
                },
            }
        ],
        "temperature": 0.0,
        "cache_control": {"type": "ephemeral"},
        "stream": True,
    }


async def test_a_bare_question_sends_the_bare_minimum() -> None:
    assert await sent(HELLO) == {
        "model": "claude-m",
        "max_tokens": 16_384,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        "stream": True,
    }


async def test_options_of_the_name_go_before_what_an_agent_asks_for() -> None:
    options = ModelOptions(
        temperature=0.5, max_tokens=5_000, reasoning_effort="high", thinking="2048"
    )
    body = await sent(msgspec.structs.replace(HELLO, temperature=1.0, max_tokens=9_000), options)
    assert body["max_tokens"] == 5_000
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2048}
    assert body["output_config"] == {"effort": "high"}
    assert "temperature" not in body  # the protocol has none beside thinking


async def test_several_results_and_the_next_word_are_one_turn() -> None:
    messages = (
        Message("user", "hi"),
        Message("assistant", tool_calls=(ToolCall("a/b", "x", "[]"), ToolCall("c", "y", "{}"))),
        Message("tool", "1", tool_call_id="a/b"),
        Message("tool", "", tool_call_id="c"),
        Message("user", "go on"),
        Message("assistant", "half way "),
    )
    body = await sent(ChatRequest("m", messages))
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user", "assistant"]
    called, answered, last = (turn["content"] for turn in body["messages"][1:])
    assert [block["input"] for block in called] == [{"invalid_json": "[]"}, {}]
    assert [block.get("tool_use_id") for block in answered] == ["a_b", "c", None]
    assert answered[1]["content"] == "(empty)"
    assert last == [{"type": "text", "text": "half way"}]


async def test_thoughts_come_back_and_go_out_again_as_they_were() -> None:
    answer = anthropic_message(
        THOUGHT, SEALED, {"type": "text", "text": "x"}, CALL, stop="tool_use"
    )
    options = ModelOptions(thinking="adaptive")
    with faulty_server(json_answer(answer)) as server:
        reply = await complete(server, HELLO, options)
        said = Message("assistant", reply.text, reply.tool_calls, thoughts=reply.thoughts)
        result = Message("tool", "out", tool_call_id="t1")
        on = ChatRequest("m", (*HELLO.messages, said, result))
        await complete(server, on, options)
        body = server.asked[1][0]
    assert reply.thinking == "hm"
    assert reply.thoughts == (
        ReasoningBlock("thinking", "hm", "sig"),
        ReasoningBlock("redacted", signature="zzz"),
    )
    assert body["messages"][1]["content"] == [THOUGHT, SEALED, {"type": "text", "text": "x"}, CALL]
    assert body["thinking"] == {"type": "adaptive"}


async def test_a_loop_whose_thoughts_are_lost_goes_on_without_thinking() -> None:
    assert "thinking" not in await sent(LOOP, ModelOptions(thinking="adaptive"))


async def test_a_reply_is_taken_over_whole() -> None:
    usage = {
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_read_input_tokens": 300,
        "cache_creation_input_tokens": 4_000,
        "output_tokens_details": {"thinking_tokens": 5},
    }
    second = {**CALL, "id": "t2", "input": {}}
    answer = anthropic_message(CALL, second, stop="tool_use", usage=usage)
    with faulty_server(json_answer(answer)) as server:
        reply = await complete(server)
    assert reply.tool_calls == (
        ToolCall("t1", "bash", '{"command":"ls"}'),
        ToolCall("t2", "bash", "{}"),
    )
    assert reply.usage == Usage(4_310, 20, 300, 4_000, 5)
    assert (reply.finish, reply.model, reply.text) == ("tool_calls", "claude-2026", "")


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"input_tokens": -5, "cache_read_input_tokens": 300}, Usage(0, 1)),
        ({"output_tokens": 10**18}, Usage(0, 1)),
        ({"cache_read_input_tokens": 10**18}, Usage(10, 20)),
    ],
)
async def test_a_count_that_cannot_be_is_as_good_as_none(
    counts: dict[str, int], usage: Usage
) -> None:
    told = {"input_tokens": 10, "output_tokens": 20} | counts
    text = {"type": "text", "text": "hello"}
    with faulty_server(json_answer(anthropic_message(text, usage=told))) as server:
        assert (await complete(server)).usage == usage


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
    ],
)
async def test_the_reason_to_stop_is_kept(stop: str, finish: str) -> None:
    with faulty_server(json_answer(anthropic_message(stop=stop))) as server:
        assert (await complete(server)).finish == finish


async def test_a_call_that_the_limit_cut_off_is_no_whole_call() -> None:
    with faulty_server(json_answer(anthropic_message(CALL, CALL, stop="max_tokens"))) as server:
        whole, cut = (await complete(server)).tool_calls
    assert msgspec.json.decode(whole.arguments) == {"command": "ls"}
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(cut.arguments)


def refusal(status: int, kind: str, message: str, *headers: tuple[str, str]) -> Prepared:
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return json_answer(body, status, *headers)


@pytest.mark.long
@pytest.mark.parametrize(
    ("prepared", "error"),
    [
        (
            refusal(400, "invalid_request_error", "prompt is too long: 2 > 1 maximum"),
            ContextOverflow,
        ),
        (refusal(413, "request_too_large", "too big"), ContextOverflow),
        (refusal(400, "invalid_request_error", "messages: bad"), BadRequest),
        (
            refusal(400, "invalid_request_error", "Your credit balance is too low to access"),
            OutOfCredit,
        ),
        (refusal(401, "authentication_error", f"no {KEY}"), AuthFailed),
        (refusal(402, "billing_error", "pay"), OutOfCredit),
        (refusal(404, "not_found_error", "model: claude-m"), UnknownModel),
        (refusal(429, "rate_limit_error", "slow"), RateLimited),
        (refusal(529, "overloaded_error", "busy"), ProviderDown),
        (Prepared(307, b"", (("Location", "http://127.0.0.1:9/"),)), WrongAddress),
        (Prepared(200, b"x" * 999, cut=True), ProviderDown),
        (Prepared(200, b"{broken"), MalformedReply),
        (json_answer({"hello": 1}), MalformedReply),
        (json_answer({"type": "error", "error": {"type": "api_error"}}), ProviderDown),
        (json_answer(anthropic_message({"type": "tool_use", "id": "x"})), MalformedReply),
        (json_answer(anthropic_message(stop=None)), ReplyTruncated),
        (json_answer(anthropic_message(stop="pause_turn")), ReplyTruncated),
    ],
)
async def test_what_goes_wrong_has_a_type_and_no_key_in_its_message(
    prepared: Prepared, error: type[ModelError]
) -> None:
    with faulty_server(prepared) as server:
        with pytest.raises(error) as caught:
            await complete(server)
        assert len(server.asked) == 1
    assert type(caught.value) is error
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r}"


async def test_a_field_that_a_model_does_not_take_is_left_out_unless_a_person_asked_for_it() -> (
    None
):
    no = refusal(400, "invalid_request_error", "`temperature` is deprecated for this model.")
    request = msgspec.structs.replace(HELLO, temperature=0.0)
    with faulty_server(no, json_answer(anthropic_message())) as server:
        assert (await complete(server, request)).text == "hello"
        first, second = (body for body, _ in server.asked)
    assert first == {**second, "temperature": 0.0}
    with faulty_server(no) as server, pytest.raises(FieldRefused, match="takes no temperature"):
        await complete(server, request, ModelOptions(temperature=0.3))


TEXT = (
    {"type": "text", "text": ""},
    {"type": "text_delta", "text": "hel"},
    {"type": "text_delta", "text": "lo"},
)
TOOL = (
    {**CALL, "input": {}},
    {"type": "input_json_delta", "partial_json": '{"command":'},
    {"type": "input_json_delta", "partial_json": ' "ls"}'},
)


async def test_a_streamed_reply_is_the_whole_one() -> None:
    events = anthropic_events(TEXT, TOOL, stop="tool_use")
    with faulty_server(stream(*events, end="", names=True)) as server:
        reply = await complete(server)
        assert server.asked[0][0]["stream"] is True
    assert (reply.text, reply.finish) == ("hello", "tool_calls")
    assert reply.tool_calls == (ToolCall("t1", "bash", '{"command":"ls"}'),)
    assert reply.usage == Usage(11, 7)


BROKEN = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}


@pytest.mark.long
@pytest.mark.parametrize(
    ("prepared", "error"),
    [
        (stream(*anthropic_events(TEXT, stop=None), end="", names=True), ReplyTruncated),
        (
            stream(*anthropic_events(TEXT, TOOL[:2], stop=None)[:-1], end="", names=True),
            ReplyTruncated,
        ),
        (stream(*anthropic_events(TEXT), end="", names=True)._replace(cut=True), ProviderDown),
        (stream(*anthropic_events(TEXT, stop=None), BROKEN, end="", names=True), ProviderDown),
        (stream(end=""), ReplyTruncated),
        (stream(end="event: message_start\ndata: {broken\n\n"), MalformedReply),
        (stream({"type": "message_start", "message": 5}, end="", names=True), MalformedReply),
    ],
)
async def test_a_broken_stream_is_never_a_reply(
    prepared: Prepared, error: type[ModelError]
) -> None:
    with faulty_server(prepared) as server, pytest.raises(ModelError) as caught:
        await complete(server)
    assert type(caught.value) is error


@pytest.mark.parametrize("prepared", [json_answer({"data": []}), refusal(404, "x", "no list")])
async def test_checking_passes_where_something_answers(prepared: Prepared) -> None:
    with faulty_server(prepared) as server:
        target = ModelTarget("claude-m", server.root, KEY, "ANTHROPIC_API_KEY")
        model = AnthropicMessages(Endpoint("claude-m", target))
        await model.check()
        await model.aclose()
        await model.aclose()
        assert server.paths == ["/v1/models?limit=1", *pages_of("claude-m")]
