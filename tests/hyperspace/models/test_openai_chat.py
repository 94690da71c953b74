from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from hyperspace.messages import ChatRequest, Message, ToolCall, ToolSpec, Usage
from hyperspace.models.base import (
    AuthFailed,
    BadRequest,
    ContextOverflow,
    MalformedReply,
    ModelError,
    ProviderDown,
    RateLimited,
    ReplyTruncated,
    UnknownModel,
    WrongAddress,
)
from hyperspace.models.chat.completions import ChatCompletions
from hyperspace.models.chat.openai import openai_chat
from hyperspace.models.chat.wire import ChatDialect
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import ModelTarget
from hyperspace.models.local_server import pages_of
from tests.support.servers.faulty_server import FaultyServer, Prepared, faulty_server, free_port

pytestmark = pytest.mark.anyio
KEY = "sk-very-secret"
REQUEST = ChatRequest(
    model="m",
    messages=(
        Message("system", "be brief"),
        Message("user", "hi"),
        Message("assistant", tool_calls=(ToolCall("c1", "bash", '{"command": "ls"}'),)),
        Message("tool", "out", tool_call_id="c1"),
    ),
    tools=(ToolSpec("bash", "runs", {"type": "object", "properties": {}}),),
    temperature=0.0,
    seed=7,
    max_tokens=99,
)
STREAM = {"stream": True, "stream_options": {"include_usage": True}}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"  # test_chat_wires runs on both


def body(**changes: Any) -> dict[str, Any]:
    """A whole answer, with changes to its only choice."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "hello"}}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m-2026",
        "choices": [{**choice, "finish_reason": "stop", **changes}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13},
    }


def answer(content: Any, status: int = 200, *headers: tuple[str, str]) -> Prepared:
    kind = ("Content-Type", "application/json")
    return Prepared(status, msgspec.json.encode(content), (kind, *headers))


def refusal(status: int, message: str, code: str | None = None) -> Prepared:
    return answer({"error": {"message": message, "type": "t", "param": None, "code": code}}, status)


def model_at(url: str) -> ChatCompletions:
    endpoint = Endpoint(f"m@{url}", ModelTarget("m", url, KEY, "OPENAI_API_KEY"))
    return openai_chat(endpoint, ChatDialect())


@asynccontextmanager
async def asking(url: str) -> AsyncGenerator[ChatCompletions]:
    model = model_at(url)
    try:
        yield model
    finally:
        await model.aclose()


async def complete(server: FaultyServer, request: ChatRequest = REQUEST) -> Any:
    async with asking(server.url) as model:
        return await model.complete(request)


async def test_everything_that_decides_the_answer_is_sent_and_nothing_else() -> None:
    with faulty_server(answer(body())) as server:
        await complete(server)
        await complete(server, ChatRequest("m", (Message("user", "hi"),)))
        (full, headers), (bare, _) = server.asked
    assert full == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "bash", "arguments": '{"command": "ls"}'},
                    }
                ],
            },
            {"role": "tool", "content": "out", "tool_call_id": "c1"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "bash",
                    "description": "runs",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "temperature": 0.0,
        "seed": 7,
        "max_tokens": 99,
        **STREAM,
    }
    assert headers["authorization"] == f"Bearer {KEY}"
    assert bare == {"model": "m", "messages": [{"role": "user", "content": "hi"}], **STREAM}


async def test_a_reply_is_taken_over_whole() -> None:
    message = {
        "role": "assistant",
        "content": None,
        "reasoning_content": "hm",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "bash", "arguments": "{broken"}},
            {"id": "b", "type": "function", "function": {"name": "editor", "arguments": "{}"}},
        ],
    }
    with faulty_server(answer(body(message=message, finish_reason="tool_calls"))) as server:
        reply = await complete(server)
    assert reply.text == ""
    assert reply.tool_calls == (ToolCall("a", "bash", "{broken"), ToolCall("b", "editor", "{}"))
    assert (reply.finish, reply.thinking, reply.model) == ("tool_calls", "hm", "m-2026")
    assert (reply.usage, reply.cost_usd) == (Usage(11, 2), None)


@pytest.mark.parametrize(
    ("changes", "finish"),
    [
        ({"finish_reason": "length"}, "length"),
        ({"finish_reason": "content_filter"}, "refusal"),
        ({"message": {"role": "assistant", "content": None, "refusal": "no"}}, "refusal"),
    ],
)
async def test_the_reason_to_stop_is_kept(changes: dict[str, Any], finish: str) -> None:
    with faulty_server(answer(body(**changes))) as server:
        assert (await complete(server)).finish == finish


async def test_usage_is_estimated_where_the_endpoint_counts_nothing() -> None:
    content = body()
    del content["usage"]
    with faulty_server(answer(content)) as server:
        assert (await complete(server)).usage == Usage(3, 1)


@pytest.mark.parametrize("counts", [(11, 10**18), (-5, 2), (10**8 + 1, 2), (11, -1)])
async def test_usage_is_estimated_where_the_endpoint_counts_what_cannot_be(
    counts: tuple[int, int],
) -> None:
    content = body()
    content["usage"] = dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True))
    with faulty_server(answer(content)) as server:
        assert (await complete(server)).usage == Usage(3, 1)


@pytest.mark.parametrize(("cached", "counted"), [(7, 7), (10**18, 0), (-7, 0), (12, 11)])
async def test_of_a_prompt_no_more_than_all_was_cached(cached: int, counted: int) -> None:
    content = body()
    content["usage"]["prompt_tokens_details"] = {"cached_tokens": cached}
    with faulty_server(answer(content)) as server:
        assert (await complete(server)).usage == Usage(11, 2, cached_tokens=counted)


@pytest.mark.long
@pytest.mark.parametrize(
    ("prepared", "error", "said"),
    [
        (refusal(400, "bad shape"), BadRequest, "refused the request"),
        (refusal(422, "bad shape"), BadRequest, "bad shape"),
        (refusal(400, "x", "context_length_exceeded"), ContextOverflow, "too long"),
        (refusal(400, "the maximum context is 5"), ContextOverflow, "too long"),
        (refusal(401, f"wrong key {KEY}"), AuthFailed, r"wrong key \[key\]"),
        (refusal(403, "not yours"), AuthFailed, "OPENAI_API_KEY"),
        (refusal(404, "no such model"), UnknownModel, "is the name right"),
        (refusal(429, "slow"), RateLimited, "asks for a pause"),
        (refusal(500, "oops"), ProviderDown, "status 500"),
        (refusal(503, "oops"), ProviderDown, "status 503"),
        (Prepared(502, b"<html>", (("Content-Type", "text/html"),)), ProviderDown, "502"),
        (Prepared(200, b"{broken"), MalformedReply, "sent no answer"),
        (Prepared(200, b"<html>", (("Content-Type", "text/html"),)), WrongAddress, "a web page"),
        (Prepared(200, b"x" * 1000, cut=True), ProviderDown, "connection to .* broke"),
        (answer({"hello": 1}), MalformedReply, "no chat completion"),
        (answer(body(message={"content": 5})), MalformedReply, "no chat completion"),
        (answer({**body(), "choices": []}), ReplyTruncated, "no choice"),
        (answer(body(finish_reason=None)), ReplyTruncated, "finish reason None"),
        (answer(body(finish_reason="half")), ReplyTruncated, "'half'"),
    ],
)
async def test_what_goes_wrong_has_a_type_and_no_key_in_its_message(
    prepared: Prepared, error: type[ModelError], said: str
) -> None:
    with faulty_server(prepared) as server:
        with pytest.raises(error, match=said) as caught:
            await complete(server)
        assert len(server.asked) == 1
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r}"


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("x", None), ("-1", None)])
async def test_the_pause_that_a_provider_asks_for_is_kept(
    header: str, seconds: float | None
) -> None:
    prepared = answer({"error": {"message": "slow"}}, 429, ("Retry-After", header))
    with faulty_server(prepared) as server, pytest.raises(RateLimited) as caught:
        await complete(server)
    assert caught.value.retry_after_s == seconds


async def test_a_port_that_nobody_listens_on_is_one_clear_sentence() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    async with asking(url) as model:
        with pytest.raises(ProviderDown, match=f"nothing answers at {url} .*is the server running"):
            await model.check()
        with pytest.raises(ProviderDown, match="nothing answers"):
            await model.complete(REQUEST)


@pytest.mark.parametrize("prepared", [answer({"data": []}), refusal(404, "no list here")])
async def test_checking_passes_where_something_answers(prepared: Prepared) -> None:
    with faulty_server(prepared) as server:
        async with asking(server.url) as model:
            await model.check()
            assert server.paths == ["/v1/models", *pages_of("m")]


async def test_checking_tells_of_a_refused_key() -> None:
    with faulty_server(refusal(401, "no")) as server:
        async with asking(server.url) as model:
            with pytest.raises(AuthFailed):
                await model.check()


async def test_closing_twice_is_fine() -> None:
    model = model_at("http://127.0.0.1:1/v1")
    await model.aclose()
    await model.aclose()
