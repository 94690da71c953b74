import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import anyio
import openai
import pytest

from hyperspace.broker.broker import Broker
from hyperspace.lookup.resolve import resolve
from hyperspace.messages import ChatRequest, Message
from hyperspace.models.base import UnknownModel
from hyperspace.offline.policies.scripted import ScriptedCall, ScriptedPolicy, ScriptedReply
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer
from hyperspace.tracing.traces import Recorder, read_trace
from tests.support.agent_workspace import make_workspace, run_inside

SCRIPT = [
    ScriptedReply("I look", (ScriptedCall("bash", {"command": "echo seen > x; cat x"}),)),
    ScriptedReply("done"),
]
HI: list[Any] = [{"role": "user", "content": "hi"}]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(ServedPolicies({"script": ScriptedPolicy(SCRIPT)})).running() as server:
        yield server


def http(server: ChatServer, method: str, path: str, body: bytes | None = None) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", server.server_port)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def chat(**fields: Any) -> bytes:
    return json.dumps({"model": "script", "messages": HI, **fields}).encode()


@pytest.mark.anyio
async def test_an_agent_works_over_the_real_sdk_from_sandbox_to_server(
    server: ChatServer, tmp_path: Path
) -> None:
    make_workspace(tmp_path / "w")
    name = f"script@{server.url}"
    code = f"from meta_agent import MetaAgent\nMetaAgent({name!r}).forward('.', 'evals')"
    model = resolve(name, environ={})
    await model.check()
    with Recorder(tmp_path / "c") as recorder:
        async with Broker(model, recorder, seed=3) as broker:
            assert await run_inside(tmp_path / "w", code, broker) == ""
    await model.aclose()
    assert (tmp_path / "w/x").read_text() == "seen\n"
    calls = read_trace(tmp_path / "c").calls
    assert [(call.model, call.seed, call.response) for call in calls] == [
        ("script", 3, "I look"),
        ("script", 3, "done"),
    ]
    counted = server.stats.snapshot()["models"]["script"]
    assert counted == {
        **dict.fromkeys(("cache_write_tokens", "reasoning_tokens"), 0),
        "cached_tokens": calls[0].usage.prompt_tokens if calls[0].usage else None,
        "requests": 2,
        "completed": 2,
        "prompt_tokens": sum(call.usage.prompt_tokens for call in calls if call.usage),
        "completion_tokens": sum(call.usage.completion_tokens for call in calls if call.usage),
    }


@pytest.mark.anyio
async def test_equal_requests_get_equal_answers_down_to_the_ids(server: ChatServer) -> None:
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        first, second = [
            await client.chat.completions.create(model="script", messages=HI, seed=1)
            for _ in range(2)
        ]
        other = await client.chat.completions.create(model="script", messages=HI, seed=2)
    assert first == second
    calls = first.choices[0].message.tool_calls
    assert calls is not None and calls[0].id == "call_0_0"
    assert other.id != first.id


@pytest.mark.long
@pytest.mark.anyio
async def test_many_clients_are_answered_at_once(server: ChatServer) -> None:
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:

        async def ask() -> None:
            await client.chat.completions.create(model="script", messages=HI)

        async with anyio.create_task_group() as tasks:
            for _ in range(40):
                tasks.start_soon(ask)
    assert server.stats.snapshot()["requests"] == 40


@pytest.mark.anyio
async def test_an_unknown_model_is_a_usage_error_that_says_what_is_served(
    server: ChatServer,
) -> None:
    model = resolve(f"nope@{server.url}", environ={})
    with pytest.raises(UnknownModel, match=r"no model 'nope' is served here.*script, tinker"):
        await model.complete(ChatRequest("nope", (Message("user", "hi"),)))
    await model.aclose()


def test_content_in_parts_is_read(server: ChatServer) -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    status, body = http(
        server,
        "POST",
        "/v1/chat/completions",
        chat(messages=[{"role": "developer", "content": parts}, *HI]),
    )
    assert (status, body["choices"][0]["message"]["content"]) == (200, "I look")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{broken", "no chat request"),
        (b"[" * 100_000, "no chat request"),
        (b"{}", "missing required field `model`"),
        (chat(messages=[{"role": "boss", "content": "x"}]), "role"),
        (chat(messages=[]), "messages is empty"),
        (chat(n=2), "one choice"),
        (chat(model="m" * 501), "length <= 500"),
        (chat(max_tokens=0), "must be at least 1"),
    ],
)
def test_a_request_that_cannot_be_served_is_told_why(
    server: ChatServer, body: bytes, said: str
) -> None:
    status, answer = http(server, "POST", "/v1/chat/completions", body)
    assert status == 400
    assert said in answer["error"]["message"]


def test_a_path_that_is_not_there_says_which_are(server: ChatServer) -> None:
    for method in ("GET", "POST"):
        status, answer = http(server, method, "/nope", b"{}")
        assert status == 404
        assert "POST /v1/chat/completions" in answer["error"]["message"]


def test_models_and_counts_can_be_asked_for(server: ChatServer) -> None:
    _, models = http(server, "GET", "/v1/models")
    assert [model["id"] for model in models["data"]][:2] == ["script", "tinker"]
    http(server, "POST", "/v1/chat/completions", chat())
    http(server, "POST", "/v1/chat/completions", chat(model="nope"))
    _, stats = http(server, "GET", "/stats")
    assert stats["requests"] == 2
    assert stats["models"]["script"]["completed"] == 1
    assert stats["models"]["nope"]["completed"] == 0


def test_one_connection_serves_many_requests(server: ChatServer) -> None:
    connection = HTTPConnection("127.0.0.1", server.server_port)
    connection.connect()
    first = connection.sock
    for _ in range(3):
        connection.request("POST", "/v1/chat/completions", chat())
        assert connection.getresponse().read()
    assert connection.sock is first
    connection.close()


def test_a_taken_port_is_an_os_error(server: ChatServer) -> None:
    with pytest.raises(OSError, match="in use"):
        ChatServer(ServedPolicies(), port=server.server_port).running().__enter__()
