"""The real SDKs over real HTTP see what a brain said, whole and in streams, and count alike."""

from collections.abc import AsyncGenerator
from typing import Any

import anyio
import pytest

from hyperspace.offline.policies.scripted import ScriptedCall, ScriptedPolicy, ScriptedReply
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer
from tests.support.servers.sdk_clients import UNFINISHED_STREAMS, WIRES, Seen, client

pytestmark = [pytest.mark.anyio, UNFINISHED_STREAMS]
LONG = "Grüße 🦊 and 'quotes' \"too\"\n" * 40
USER = {"role": "user", "content": "hi there"}
STOPS = {
    "stop": {"anthropic": "end_turn", "openai-responses": "completed"},
    "length": {"anthropic": "max_tokens", "openai-responses": "max_output_tokens"},
    "tool_calls": {"anthropic": "tool_use", "openai-responses": "completed"},
    "refusal": {"anthropic": "refusal", "openai-responses": "completed"},
}
SCRIPTS: dict[str, list[ScriptedReply]] = {
    "text": [ScriptedReply(LONG)],
    "silent": [ScriptedReply("")],
    "refusing": [ScriptedReply("no", finish="refusal")],
    "short": [ScriptedReply("cut he", finish="length")],
    "calling": [
        ScriptedReply(
            "I call",
            (ScriptedCall("add", {"x": 1}), ScriptedCall("add", {"x": 2, "text": LONG})),
        )
    ],
    "broken": [ScriptedReply("", (ScriptedCall("add", '{"x": '),))],
    "thinking": [ScriptedReply("42", (ScriptedCall("add", {}),), thinking="step by step. " * 9)],
}


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def server() -> AsyncGenerator[ChatServer]:
    brains = ServedPolicies({name: ScriptedPolicy(script) for name, script in SCRIPTS.items()})
    async with ChatServer(brains).serving() as server:
        yield server


async def ask(server: ChatServer, wire: str, model: str, stream: bool, **more: Any) -> Seen:
    async with client(wire, server, model) as asking:
        return await asking.ask(USER, stream=stream, **more)


def finish_of(wire: str, reply: ScriptedReply) -> str:
    finish = reply.finish or ("tool_calls" if reply.tool_calls else "stop")
    return stop_of(wire, finish)


def stop_of(wire: str, finish: str) -> str:
    """The word that a wire has for the end of a reply."""
    chat = "content_filter" if finish == "refusal" else finish
    return STOPS[finish].get(wire, chat)


@pytest.mark.long
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_every_kind_of_reply_arrives_as_it_was_said_and_is_counted_to_the_token(
    server: ChatServer, wire: str, stream: bool
) -> None:
    for model, script in SCRIPTS.items():
        seen = await ask(server, wire, model, stream)
        said = script[0]
        assert seen.text == said.text
        assert seen.finish == finish_of(wire, said)
        if model != "broken":
            assert seen.calls == [(call.name, call.arguments) for call in said.tool_calls]
        assert seen.thinking == ("" if wire == "anthropic" else said.thinking)
        counted = server.stats.snapshot()["models"][model]
        assert tuple(counted.values()) == (1, 1, *seen.tokens)
    assert server.stats.snapshot()["wires"] == {wire: len(SCRIPTS)}


@pytest.mark.long
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_broken_arguments_stay_text_or_travel_in_a_field_that_says_so(
    server: ChatServer, wire: str, stream: bool
) -> None:
    seen = await ask(server, wire, "broken", stream)
    broken = {"INVALID_JSON": '{"x": '} if wire == "anthropic" else '{"x": '
    assert seen.calls == [("add", broken)]


@pytest.mark.long
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_thoughts_are_shown_where_they_are_asked_for_and_counted_as_reasoning(
    server: ChatServer, wire: str, stream: bool
) -> None:
    own = await ask(server, wire, "thinking", stream, think=True)
    made_up = await ask(server, wire, "text", stream, think=True)
    assert own.thinking == SCRIPTS["thinking"][0].thinking
    assert made_up.thinking == "I have read the conversation and answer its last message."
    for seen in (own, made_up):
        assert seen.tokens[4] == len(seen.thinking) // 4
        assert seen.tokens[1] > seen.tokens[4]


@pytest.mark.parametrize("wire", WIRES)
async def test_one_call_at_a_time_is_what_a_client_gets_that_asks_for_it(
    server: ChatServer, wire: str
) -> None:
    choice = {"type": "auto", "disable_parallel_tool_use": True}
    only_one: dict[str, Any] = (
        {"tool_choice": choice}
        if wire == "anthropic"
        else {"extra_body": {"parallel_tool_calls": False}}
    )
    seen = await ask(server, wire, "calling", False, **only_one)
    assert seen.calls == [("add", {"x": 1})]


@pytest.mark.parametrize("wire", WIRES)
async def test_a_reply_is_never_longer_than_max_tokens(server: ChatServer, wire: str) -> None:
    for model in ("text", "calling"):
        seen = await ask(server, wire, model, False, max_tokens=9)
        assert seen.finish == stop_of(wire, "length")
        assert seen.tokens[1] <= 9
        assert LONG.startswith(seen.text) or seen.text == "I call"


async def test_a_conversation_of_several_turns_reads_its_past_from_the_cache(
    server: ChatServer,
) -> None:
    marked = {"type": "text", "text": "hi there" * 9, "cache_control": {"type": "ephemeral"}}
    talk: list[dict[str, Any]] = [{"role": "user", "content": [marked]}]
    async with client("anthropic", server, "text") as asking:
        first = await asking.ask(*talk, stream=False)
        talk += [{"role": "assistant", "content": "yes"}, USER]
        second = await asking.ask(*talk, stream=False)
    prompt, _, read, written, _ = first.tokens
    assert (read, written) == (0, prompt)
    prompt_2, _, read_2, written_2, _ = second.tokens
    assert (read_2, written_2) == (prompt, prompt_2 - prompt)


@pytest.mark.long
@pytest.mark.parametrize("wire", WIRES)
async def test_many_clients_of_one_loop_are_answered_at_once(server: ChatServer, wire: str) -> None:
    seen: list[Seen] = []
    async with client(wire, server, "calling") as asking:

        async def one(stream: bool) -> None:
            seen.append(await asking.ask(USER, stream=stream))

        async with anyio.create_task_group() as tasks:
            for index in range(30):
                tasks.start_soon(one, index % 2 == 0)
    assert len(set(map(str, seen))) == 1
    snapshot = server.stats.snapshot()
    assert snapshot["completed"] == 30
    assert snapshot["completion_tokens"] == sum(reply.tokens[1] for reply in seen)
