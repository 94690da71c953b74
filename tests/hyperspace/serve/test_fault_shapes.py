"""What each SDK makes of each fault: the facts that adapters rely on, seen over real HTTP."""

import json
import time
from typing import Any, Final

import anthropic
import anyio
import fireworks
import httpx
import httpx2
import openai
import pytest

from hyperspace.offline.policies.scripted import ScriptedCall, ScriptedPolicy, ScriptedReply
from hyperspace.serve.behaviour import Behaviour
from hyperspace.serve.faults import FaultRule, Faults
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer
from tests.support.servers.sdk_clients import UNFINISHED_STREAMS, WIRES, client

pytestmark = [pytest.mark.anyio, UNFINISHED_STREAMS, pytest.mark.long]
USER: Final[Any] = {"role": "user", "content": "hi"}
REPLY = ScriptedReply("I call it with words", (ScriptedCall("add", {"x": 1}),))
SDKS: Final[dict[str, Any]] = {
    "openai": openai,
    "openai-responses": openai,
    "anthropic": anthropic,
    "fireworks": fireworks,
}
STATUSES: Final = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
    500: "InternalServerError",
    503: "InternalServerError",
    529: "InternalServerError",
}
ANTHROPIC_STATUSES: Final = {503: "ServiceUnavailableError", 529: "OverloadedError"}


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def faulty(*rules: FaultRule, **behaviour: Any) -> ChatServer:
    brains = ServedPolicies({"m": ScriptedPolicy([REPLY])})
    return ChatServer(brains, behaviour=Behaviour(Faults(rules=rules), **behaviour))


async def caught(wire: str, fault: str, stream: bool) -> Any:
    async with faulty(FaultRule(fault)).serving() as server:
        async with client(wire, server, "m") as asking:
            with pytest.raises(Exception) as error:
                await asking.ask(USER, stream=stream)
        assert server.stats.snapshot()["faults"] == {fault: 1}
        assert server.stats.snapshot()["completed"] == 0
    return error.value


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_a_status_is_the_sdks_own_error_with_the_providers_own_body(
    wire: str, stream: bool
) -> None:
    for status, name in STATUSES.items():
        if wire == "anthropic":
            name = ANTHROPIC_STATUSES.get(status, name)
        error = await caught(wire, str(status), stream)
        assert type(error) is getattr(SDKS[wire], name)
        assert error.status_code == status
        assert error.response.headers["x-request-id"].startswith("req_")
        if wire != "fireworks":
            assert error.request_id == error.response.headers["x-request-id"]


async def test_the_bodies_of_errors_have_the_providers_shapes() -> None:
    bodies = {wire: (await caught(wire, "529", False)).body for wire in WIRES}
    assert bodies["openai"] == {
        "message": "overloaded",
        "type": "server_error",
        "param": None,
        "code": None,
    }
    assert bodies["openai-responses"] == bodies["openai"]
    assert bodies["anthropic"]["type"] == "error"
    assert bodies["anthropic"]["error"] == {"type": "overloaded_error", "message": "overloaded"}
    assert bodies["anthropic"]["request_id"].startswith("req_")
    assert bodies["fireworks"]["error"]["object"] == "error"


@pytest.mark.parametrize("wire", WIRES)
async def test_a_429_says_when_to_come_back(wire: str) -> None:
    async with (
        faulty(FaultRule("429", first=2), retry_after_s=0.25).serving() as server,
        client(wire, server, "m", retries=2) as asking,
    ):
        started = time.monotonic()
        seen = await asking.ask(USER, stream=False)  # the SDK's own retries obey the header
        assert time.monotonic() - started >= 0.5
        assert seen.text == REPLY.text
        assert server.stats.snapshot()["faults"] == {"429": 2}
    error = await caught(wire, "429", False)
    assert error.response.headers["retry-after"] == "1"


@pytest.mark.parametrize("stream", [False, True])
async def test_a_conversation_that_is_too_long_is_refused_in_words_that_clients_know(
    stream: bool,
) -> None:
    error = await caught("openai", "overflow", stream)
    assert error.code == "context_length_exceeded"
    for wire in ("anthropic", "fireworks"):
        assert "prompt is too long: 8193 tokens > 8192 maximum" in str(
            await caught(wire, "overflow", stream)
        )


async def test_a_cut_body_is_a_connection_error_and_a_cut_stream_may_come_raw() -> None:
    for wire in WIRES:
        assert type(await caught(wire, "cut", False)) is SDKS[wire].APIConnectionError
    assert type(await caught("openai", "cut", True)) is openai.APIConnectionError
    assert type(await caught("anthropic", "cut", True)) is httpx2.RemoteProtocolError
    assert type(await caught("fireworks", "cut", True)) is httpx.RemoteProtocolError


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_malformed_json_comes_raw_out_of_every_sdk(wire: str, stream: bool) -> None:
    assert type(await caught(wire, "malformed", stream)) is json.JSONDecodeError


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_a_server_that_hangs_is_a_timeout_and_notices_that_the_client_left(
    wire: str, stream: bool
) -> None:
    async with faulty(FaultRule("hang")).serving() as server:
        async with client(wire, server, "m", timeout_s=0.2) as asking:
            with pytest.raises(SDKS[wire].APITimeoutError):
                await asking.ask(USER, stream=stream)
        with anyio.fail_after(60):
            while server.stats.snapshot()["in_flight"]:  # noqa: ASYNC110  nobody tells us
                await anyio.sleep(0.01)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_slow_bytes_arrive_in_the_end(wire: str, stream: bool) -> None:
    async with (
        faulty(FaultRule("slow"), slow_s=0.2).serving() as server,
        client(wire, server, "m") as asking,
    ):
        started = time.monotonic()
        seen = await asking.ask(USER, stream=stream)
        assert time.monotonic() - started > 0.15
        assert seen.calls == [("add", {"x": 1})]
        assert server.stats.snapshot()["completed"] == 1


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_a_reply_that_does_not_say_why_it_ended_raises_nothing(
    wire: str, stream: bool
) -> None:
    async with (
        faulty(FaultRule("no_finish")).serving() as server,
        client(wire, server, "m") as asking,
    ):
        seen = await asking.ask(USER, stream=stream)
        assert seen.finish is None
        assert (seen.calls == []) == stream  # the call never came, and no SDK says so
        assert server.stats.snapshot()["completed"] == 0


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_an_empty_reply_has_no_content_and_no_reason_to_stop(wire: str, stream: bool) -> None:
    if wire in ("openai", "fireworks") and not stream:
        assert type(await caught(wire, "empty", stream)) is IndexError  # choices is empty
        return
    async with faulty(FaultRule("empty")).serving() as server, client(wire, server, "m") as asking:
        seen = await asking.ask(USER, stream=stream)
        assert (seen.text, seen.calls, seen.finish) == ("", [], None)


async def test_null_ids_are_passed_on_unchecked() -> None:
    async with faulty(FaultRule("null_ids", first=9)).serving() as server:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="k") as sdk:
            said: Any = await sdk.chat.completions.create(model="m", messages=[USER])
            assert (said.id, said.choices[0].message.tool_calls[0].id) == (None, None)
        async with anthropic.AsyncAnthropic(base_url=server.root, api_key="k") as claude:
            heard: Any = await claude.messages.create(model="m", max_tokens=99, messages=[USER])
            assert (heard.id, heard.content[1].id) == (None, None)
        assert server.stats.snapshot()["completed"] == 2


async def test_an_error_in_a_stream_is_raised_by_two_sdks_and_passed_over_by_the_third() -> None:
    assert type(await caught("openai", "stream_error", True)) is openai.APIError
    error = await caught("anthropic", "stream_error", True)
    assert (error.status_code, error.body["error"]["type"]) == (200, "overloaded_error")
    assert type(error) is anthropic.APIStatusError
    async with faulty(FaultRule("stream_error")).serving() as server:
        sdk: Any = fireworks.AsyncFireworks(
            base_url=server.fireworks_url, api_key="k", http_client=httpx.AsyncClient()
        )
        async with sdk:
            chunks = await sdk.chat.completions.create(model="m", messages=[USER], stream=True)
            seen: list[Any] = [chunk async for chunk in chunks]
    assert seen[-1].choices is None
    assert seen[-1].usage is None
