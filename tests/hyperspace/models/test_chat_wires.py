"""Chat completions with the real SDKs of OpenAI and Fireworks, over real HTTP, on both backends."""

from collections.abc import Callable
from typing import Any

import anyio
import msgspec
import pytest

from hyperspace.messages import ChatReply, ChatRequest, Message, ReasoningBlock, ToolCall, Usage
from hyperspace.models.base import (
    AuthFailed,
    BadRequest,
    ContextOverflow,
    MalformedReply,
    ModelError,
    OutOfCredit,
    ProviderDown,
    RateLimited,
    Refused,
    ReplyTruncated,
    ToolsUnsupported,
    UnknownModel,
    WrongAddress,
)
from hyperspace.models.chat.completions import ChatCompletions
from hyperspace.models.chat.fireworks import fireworks_chat
from hyperspace.models.chat.openai import openai_chat
from hyperspace.models.chat.wire import ChatDialect
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import ModelTarget
from hyperspace.models.names import ModelOptions
from tests.support.servers.faulty_server import FaultyServer, Prepared, faulty_server, stream
from tests.support.servers.wires import HELLO, LOOP, chunk, completion, json_answer, last_chunk

KEY = "sk-very-secret"
NO_OPTIONS, PLAIN = ModelOptions(), ChatDialect()
Make = Callable[[Endpoint, ChatDialect], ChatCompletions]
MAKERS: dict[str, tuple[Make, str]] = {
    "openai": (openai_chat, "/v1"),
    "fireworks": (fireworks_chat, ""),
}
pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("kind", MAKERS)]


async def complete(
    kind: str,
    server: FaultyServer,
    request: ChatRequest = HELLO,
    options: ModelOptions = NO_OPTIONS,
    dialect: ChatDialect = PLAIN,
) -> ChatReply:
    make, path = MAKERS[kind]
    model = make(
        Endpoint("n", ModelTarget("m", server.root + path, KEY, "A_KEY"), options), dialect
    )
    try:
        return await model.complete(request)
    finally:
        await model.aclose()


async def test_the_request_goes_where_the_provider_expects_it(kind: str) -> None:
    with faulty_server(json_answer(completion())) as server:
        assert (await complete(kind, server, LOOP)).text == "hello"
        ((body, headers),) = server.asked
        (path,) = server.paths
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert [message["role"] for message in body["messages"]] == [m.role for m in LOOP.messages]
    assert (body["max_tokens"], body["temperature"], body["stream"]) == (99, 0.0, True)


async def test_options_of_the_name_go_before_what_an_agent_asks_for(kind: str) -> None:
    options = ModelOptions(temperature=0.5, top_p=0.9, max_tokens=50, reasoning_effort="low")
    with faulty_server(json_answer(completion())) as server:
        await complete(kind, server, LOOP, options, ChatDialect("max_completion_tokens"))
        body = server.asked[0][0]
    sent = {name: body.get(name) for name in ("temperature", "top_p", "max_completion_tokens")}
    assert sent == {"temperature": 0.5, "top_p": 0.9, "max_completion_tokens": 50}
    assert (body["reasoning_effort"], "max_tokens" in body) == ("low", False)


async def test_what_endpoints_do_differently_is_understood(kind: str) -> None:
    calls = [
        {"id": None, "type": "function", "function": {"name": "a", "arguments": {"x": 1}}},
        {"id": "same", "type": "function", "function": {"name": "b", "arguments": None}},
        {"id": "same", "type": "function", "function": {"name": "c", "arguments": "{broken"}},
    ]
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]
    answer = completion(None, "stop", content=parts, tool_calls=calls, reasoning="hm")
    answer["usage"] = {
        "prompt_tokens": 11,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 7},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    with faulty_server(json_answer(answer)) as server:
        reply = await complete(kind, server)
    assert reply.tool_calls == (
        ToolCall("call_1_0", "a", '{"x":1}'),
        ToolCall("same", "b", "{}"),
        ToolCall("call_1_2", "c", "{broken"),
    )
    assert (reply.text, reply.thinking, reply.finish) == ("one two", "hm", "tool_calls")
    assert reply.usage == Usage(11, 2, cached_tokens=7, reasoning_tokens=1)


async def test_reasoning_and_seals_of_calls_go_back_where_they_are_wanted(kind: str) -> None:
    seal = {"google": {"thought_signature": "zz"}}
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "bash", "arguments": "{}"},
        "extra_content": seal,
    }
    answer = completion(None, "tool_calls", tool_calls=[call], reasoning_content="hm")
    with faulty_server(json_answer(answer)) as server:
        reply = await complete(kind, server)
        said = Message("assistant", "", reply.tool_calls, thoughts=reply.thoughts)
        on = ChatRequest("m", (*HELLO.messages, said, Message("tool", "x", tool_call_id="c1")))
        await complete(kind, server, on)
        await complete(kind, server, on, dialect=ChatDialect(returns_reasoning=True))
        first, second = (body["messages"][1] for body, _ in server.asked[1:])
    assert reply.thoughts[0] == ReasoningBlock("reasoning", "hm")
    assert first["tool_calls"][0]["extra_content"] == seal
    assert "reasoning_content" not in first
    assert second["reasoning_content"] == "hm"


def error(status: int, message: str, **fields: Any) -> Prepared:
    return json_answer({"error": {"message": message, **fields}}, status)


@pytest.mark.long
@pytest.mark.parametrize(
    ("prepared", "kind_of_error"),
    [
        (error(400, "This model's maximum context length is 5"), ContextOverflow),
        (error(400, "The prompt is too long: 9, model maximum context length: 5"), ContextOverflow),
        (error(400, "x", code="context_length_exceeded"), ContextOverflow),
        (error(400, "The input token count (9) exceeds the maximum"), ContextOverflow),
        (json_answer([{"error": {"code": 400, "message": "API key not valid."}}], 400), AuthFailed),
        (error(400, "qwen is not a valid model ID"), UnknownModel),
        (error(400, "x", code="content_filter"), Refused),
        (error(400, "registry.ollama.ai/x does not support tools"), ToolsUnsupported),
        (error(404, "No endpoints found that support tool use."), ToolsUnsupported),
        (error(400, "nonsense"), BadRequest),
        (error(402, "Insufficient credits"), OutOfCredit),
        (error(429, "You exceeded your quota", code="insufficient_quota"), OutOfCredit),
        (error(429, "slow down"), RateLimited),
        (error(503, "busy"), ProviderDown),
        (Prepared(301, b"", (("Location", "http://127.0.0.1:9/"),)), WrongAddress),
        (json_answer({"error": {"code": 502, "message": "upstream"}}), ProviderDown),
        (json_answer({"error": {"code": 429, "message": "upstream"}}), RateLimited),
        (json_answer(completion(finish=None)), ReplyTruncated),
        (json_answer({**completion(), "choices": 5}), MalformedReply),
        (json_answer(["x"]), MalformedReply),
        (Prepared(200, b""), ReplyTruncated),
        (Prepared(200, b"x" * 999, cut=True), ProviderDown),
    ],
)
async def test_what_goes_wrong_has_a_type_and_no_key_in_its_message(
    kind: str, prepared: Prepared, kind_of_error: type[ModelError]
) -> None:
    with faulty_server(prepared) as server:
        with pytest.raises(ModelError) as caught:
            await complete(kind, server)
        assert len(server.asked) == 1
    assert type(caught.value) is kind_of_error, caught.value
    assert KEY not in f"{caught.value!r}"


@pytest.mark.parametrize("header", ["Fri, 01 Jan 2100 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00"])
async def test_a_pause_may_be_asked_for_as_a_date(kind: str, header: str) -> None:
    prepared = json_answer({"error": {"message": "x"}}, 503, ("Retry-After", header))
    with faulty_server(prepared) as server, pytest.raises(ProviderDown) as caught:
        await complete(kind, server)
    assert (caught.value.retry_after_s or 0) > 1e6


async def test_a_field_that_a_model_does_not_take_is_left_out_from_then_on(kind: str) -> None:
    no = error(400, "Unsupported value: 'temperature' does not support 0.0", param="temperature")
    request = msgspec.structs.replace(HELLO, temperature=0.0)
    make, path = MAKERS[kind]
    with faulty_server(no, json_answer(completion())) as server:
        model = make(Endpoint("n", ModelTarget("m", server.root + path, KEY, "K")), ChatDialect())
        for _ in range(2):
            assert (await model.complete(request)).text == "hello"
        await model.aclose()
        assert ["temperature" in body for body, _ in server.asked] == [True, False, False]


PIECES = (
    chunk(role="assistant", content="hel"),
    chunk(content="lo", reasoning_content="h"),
    chunk(reasoning_content="m"),
    chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "bash", "arguments": ""}}]),
    chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"command": '}}]),
    chunk(tool_calls=[{"index": 1, "id": "b", "function": {"name": "ed", "arguments": "{}"}}]),
    chunk(tool_calls=[{"index": 0, "function": {"arguments": '"ls"}'}}]),
)


async def test_a_streamed_reply_is_the_whole_one(kind: str) -> None:
    prepared = stream(*PIECES, chunk("tool_calls"), last_chunk())
    with faulty_server(prepared) as server:
        reply = await complete(kind, server)
        body = server.asked[0][0]
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert (reply.text, reply.thinking, reply.finish) == ("hello", "hm", "tool_calls")
    assert reply.tool_calls == (
        ToolCall("a", "bash", '{"command": "ls"}'),
        ToolCall("b", "ed", "{}"),
    )
    assert reply.usage == Usage(11, 2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("prepared", "kind_of_error"),
    [
        (stream(*PIECES), ReplyTruncated),
        (stream(*PIECES, end=""), ReplyTruncated),
        (stream(), ReplyTruncated),
        (stream(*PIECES, chunk("stop"))._replace(cut=True), ProviderDown),
        (stream(*PIECES, {"error": {"message": "x", "type": "overloaded_error"}}), ProviderDown),
        (stream(*PIECES, {"error": {"message": "x", "code": 429}}), RateLimited),
        (stream(*PIECES, {"id": "x"}), MalformedReply),
        (stream(*PIECES, {"choices": 5}), MalformedReply),
        (stream(*PIECES, end="data: {broken\n\n"), MalformedReply),
        (error(429, "slow"), RateLimited),
        (error(400, "x", code="context_length_exceeded"), ContextOverflow),
    ],
)
async def test_a_broken_stream_is_never_a_reply(
    kind: str, prepared: Prepared, kind_of_error: type[ModelError]
) -> None:
    with faulty_server(prepared) as server, pytest.raises(ModelError) as caught:
        await complete(kind, server)
    assert type(caught.value) is kind_of_error, caught.value


async def test_a_call_is_cancelled_at_once_and_the_model_stays_usable(kind: str) -> None:
    slow = json_answer(completion())._replace(drip_s=0.02)
    make, path = MAKERS[kind]
    with faulty_server(slow, json_answer(completion("again"))) as server:
        model = make(Endpoint("n", ModelTarget("m", server.root + path, KEY, "K")), ChatDialect())
        start = anyio.current_time()
        with anyio.move_on_after(0.3) as scope:
            await model.complete(HELLO)
        assert scope.cancelled_caught
        assert anyio.current_time() - start < 1.0
        assert (await model.complete(HELLO)).text == "again"
        await model.aclose()


async def test_checking_passes_where_something_answers(kind: str) -> None:
    make, path = MAKERS[kind]
    lists = json_answer({"data": []}), error(404, "no list"), error(401, "no")
    with faulty_server(*lists) as server:
        model = make(Endpoint("n", ModelTarget("m", server.root + path, KEY, "K")), ChatDialect())
        await model.check()
        await model.check()
        with pytest.raises(AuthFailed, match="set K"):
            await model.check()
        await model.aclose()
        await model.aclose()


@pytest.mark.long
@pytest.mark.parametrize("sealed", ["[" * 400 + "]" * 400, "[" * 400_000, "no json", ""])
async def test_a_thought_that_was_tampered_with_goes_out_as_none(kind: str, sealed: str) -> None:
    call = ToolCall("c1", "bash", "{}")
    thought = ReasoningBlock("call", signature=sealed, call_id="c1")
    request = ChatRequest("m", (Message("assistant", "", (call,), thoughts=(thought,)),))
    with faulty_server(json_answer(completion())) as server:
        assert (await complete(kind, server, request)).text == "hello"
        sent = server.asked[0][0]
    assert sent["messages"][0]["tool_calls"][0]["extra_content"] is None
