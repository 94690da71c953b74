"""OpenAI's responses with the real SDK, over real HTTP, on both backends."""

from collections.abc import AsyncGenerator
from typing import Any, Final

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperspace.lookup.resolve import resolve
from hyperspace.messages import (
    ChatReply,
    ChatRequest,
    Message,
    ReasoningBlock,
    ToolCall,
    ToolSpec,
    Usage,
    request_sha256,
)
from hyperspace.models.base import (
    BadRequest,
    ContextOverflow,
    FieldRefused,
    MalformedReply,
    ModelError,
    ProviderDown,
    RateLimited,
    Refused,
    ReplyTruncated,
    ToolsUnsupported,
    UnknownModel,
)
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import ErrorInReply, ModelTarget
from hyperspace.models.names import ModelOptions, SilenceLimits
from hyperspace.models.policy.retrying import Patience
from hyperspace.models.responses.assembly import ResponseAssembly
from hyperspace.models.responses.model import OpenAIResponses
from hyperspace.models.responses.reply import reply_from
from hyperspace.models.responses.wire import request_fields
from hyperspace.models.streaming import EventReader, read_events
from hyperspace.offline.policies.scripted import ScriptedCall, ScriptedPolicy, ScriptedReply
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer
from hyperspace.serve.wires import responses_request
from tests.support.fake_clock import FakeClock
from tests.support.servers.faulty_server import FaultyServer, Prepared, faulty_server, stream
from tests.support.servers.wires import (
    BASH,
    HELLO,
    LOOP,
    completion,
    json_answer,
    response,
    response_events,
)

KEY = "sk-very-secret"
TARGET = ModelTarget("m", "http://127.0.0.1:1/v1", KEY, "A_KEY")
AUTO, WHOLE = ModelOptions(), ModelOptions(stream="off")
MESSAGE: Any = {"type": "message", "role": "assistant", "status": "completed"}
SAID: Any = {**MESSAGE, "content": [{"type": "output_text", "text": "hello"}]}
REASONING: Any = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "hm"}],
    "encrypted_content": "zz",
}


def call(name: Any = "bash", arguments: Any = "{}", **more: Any) -> Any:
    return {"type": "function_call", "call_id": "c1", "name": name, "arguments": arguments} | more


async def complete(
    server: FaultyServer, request: ChatRequest = HELLO, options: ModelOptions = AUTO
) -> ChatReply:
    target = ModelTarget("m", server.url, KEY, "A_KEY")
    model = OpenAIResponses(Endpoint("n", target, options))
    try:
        return await model.complete(request)
    finally:
        await model.aclose()


async def reply_to(prepared: Prepared, options: ModelOptions = AUTO) -> ChatReply:
    with faulty_server(prepared) as server:
        return await complete(server, options=options)


@pytest.mark.anyio
async def test_everything_that_decides_the_answer_is_sent_and_nothing_else() -> None:
    with faulty_server(json_answer(response())) as server:
        assert (await complete(server, LOOP)).text == "hello"
        await complete(server, HELLO)
        (full, headers), (bare, _) = server.asked
        paths = server.paths
    assert paths == ["/v1/responses"] * 2
    assert headers["authorization"] == f"Bearer {KEY}"
    assert full == {
        "model": "m",
        "instructions": "be brief",
        "input": [
            {"type": "message", "role": "user", "content": "hi"},
            {"type": "message", "role": "assistant", "content": "so"},
            call(arguments='{"command":"ls"}'),
            {"type": "function_call_output", "call_id": "c1", "output": "out"},
        ],
        "tools": [{"type": "function", **msgspec.to_builtins(BASH), "strict": False}],
        "temperature": 0.0,
        "max_output_tokens": 99,
        "include": ["reasoning.encrypted_content"],
        "store": False,
        "stream": True,
    }
    said = {"type": "message", "role": "user", "content": "hi"}
    assert bare == {"model": "m", "input": [said], "store": False, "stream": True}


@pytest.mark.anyio
async def test_options_of_the_name_go_before_what_an_agent_asks_for() -> None:
    options = ModelOptions(temperature=0.5, top_p=0.9, max_tokens=50, reasoning_effort="low")
    with faulty_server(json_answer(response())) as server:
        await complete(server, LOOP, options)
        body = server.asked[0][0]
    names = ("temperature", "top_p", "max_output_tokens", "reasoning")
    assert [body[name] for name in names] == [0.5, 0.9, 50, {"effort": "low"}]


STREAMED = [pytest.param(False, id="whole"), pytest.param(True, id="streamed")]


def prepared(*items: Any, streamed: bool, **more: Any) -> Prepared:
    if streamed:
        return stream(*response_events(*items, **more), end="", names=True)
    return json_answer(response(*items, **more))


@pytest.mark.anyio
@pytest.mark.parametrize("streamed", STREAMED)
async def test_a_reply_is_taken_over_whole(streamed: bool) -> None:
    usage = {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 7, "cache_write_tokens": 3},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 16,
    }
    items = (
        REASONING,
        {**SAID, "id": "msg_1"},
        call("bash", "{broken", id="fc_1"),
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": None},
        call("edit", '{"x": 1}', id="fc_2", call_id="c2"),
    )
    reply = await reply_to(prepared(*items, streamed=streamed, usage=usage))
    assert reply.text == "hello"
    assert reply.tool_calls == (
        ToolCall("c1", "bash", "{broken"),
        ToolCall("c2", "edit", '{"x": 1}'),
    )
    assert (reply.finish, reply.thinking, reply.model) == ("tool_calls", "hm", "m-2026")
    assert reply.usage == Usage(11, 5, 7, 3, 2)


ENDS: list[tuple[dict[str, Any], str]] = [
    ({}, "stop"),
    ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
    ({"status": "incomplete", "incomplete_details": {"reason": "max_messages"}}, "length"),
    ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "refusal"),
]


@pytest.mark.anyio
@pytest.mark.parametrize("streamed", STREAMED)
@pytest.mark.parametrize(("changes", "finish"), ENDS)
async def test_the_reason_to_stop_is_kept(
    changes: dict[str, Any], finish: str, streamed: bool
) -> None:
    reply = await reply_to(prepared(SAID, streamed=streamed, **changes))
    assert (reply.finish, reply.text) == (finish, "hello")


@pytest.mark.anyio
@pytest.mark.parametrize("streamed", STREAMED)
async def test_the_words_of_a_refusal_are_its_text(streamed: bool) -> None:
    refused = {**MESSAGE, "content": [{"type": "refusal", "refusal": "I will not"}]}
    reply = await reply_to(prepared(refused, streamed=streamed))
    assert (reply.finish, reply.text) == ("refusal", "I will not")


@pytest.mark.anyio
@pytest.mark.parametrize("streamed", STREAMED)
async def test_reasoning_goes_back_to_where_it_stood(streamed: bool) -> None:
    second: Any = {**REASONING, "id": "rs_2", "summary": [], "encrypted_content": "yy"}
    items = (REASONING, {**SAID, "phase": "commentary"}, second, call())
    with faulty_server(prepared(*items, streamed=streamed), json_answer(response())) as server:
        reply = await complete(server)
        said = Message("assistant", reply.text, reply.tool_calls, thoughts=reply.thoughts)
        on = ChatRequest("m", (*HELLO.messages, said, Message("tool", "x", tool_call_id="c1")))
        await complete(server, on)
        sent = server.asked[1][0]["input"]
    assert sent[1:] == [
        REASONING,
        {"type": "message", "role": "assistant", "content": "hello", "phase": "commentary"},
        second,
        call(),
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
    ]
    plain = msgspec.structs.replace(said, thoughts=(ReasoningBlock("reasoning", "hm"),))
    bare = msgspec.structs.replace(on, messages=(*HELLO.messages, plain, on.messages[-1]))
    assert request_fields("m", bare, AUTO)["input"][1]["type"] == "message"  # it has no seal


def test_seals_are_no_part_of_a_requests_hash() -> None:
    def of(seal: str) -> str:
        block = ReasoningBlock("reasoning", "hm", seal, "c1")
        said = Message("assistant", "", (ToolCall("c1", "bash", "{}"),), thoughts=(block,))
        return request_sha256(ChatRequest("m", (*HELLO.messages, said)))

    assert of('{"encrypted_content": "zz"}') == of('{"encrypted_content": "yy"}')


@pytest.mark.parametrize("seal", ["", "{", "[" * 100_000, "5", '{"summary": 5}', "sig=="])
def test_a_seal_that_code_has_changed_is_left_out(seal: str) -> None:
    block = ReasoningBlock("reasoning", "hm", seal)
    messages = (*HELLO.messages, Message("assistant", "so", thoughts=(block,)))
    sent = request_fields("m", ChatRequest("m", messages), AUTO)["input"]
    assert [item["type"] for item in sent] == ["message", "message"]


CUT: list[tuple[Any, str]] = [
    (call(arguments='{"command": "rm', status="incomplete"), '{"command": "rm'),
    (call(arguments='{"command": "rm"}', status="incomplete"), '{"command": "rm"'),
    (call(arguments="", status="incomplete"), "{"),
    (call(arguments="", status="completed"), "{"),
    (call(arguments={"command": "rm"}, status="in_progress"), '{"command":"rm"'),
    (call(arguments='{"command": "ls"}', status="completed"), '{"command": "ls"}'),
]


@pytest.mark.parametrize(("item", "arguments"), CUT)
def test_nobody_runs_half_of_a_call(item: Any, arguments: str) -> None:
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    (made,) = reply_from(response(SAID, item, **cut), HELLO, TARGET).tool_calls
    assert made.arguments == arguments


LENIENT: list[dict[str, Any]] = [
    {"status": "COMPLETED"},
    {"status": "complete"},
    {"error": {"code": 0, "message": ""}},
    {"error": False},
    {"model": 5},
    {"incomplete_details": "none"},
    {"id": None, "created_at": None},
    {"usage": {"input_tokens": "11", "output_tokens": 2.0}},
    {"usage": {"prompt_tokens": 11, "completion_tokens": 2}},
    {"output": [{**MESSAGE, "content": "hello"}]},
    {"output": [{"role": "assistant", "content": [{"text": "hello"}]}]},
    {"output": [{**REASONING, "summary": None, "encrypted_content": 5, "id": 7}, SAID]},
    {"output": [{"type": "mcp_call", "content": 5, "arguments": []}, SAID]},
]


@pytest.mark.parametrize("changes", LENIENT)
def test_what_is_for_the_books_is_read_in_any_form(changes: dict[str, Any]) -> None:
    reply = reply_from(response(SAID) | changes, HELLO, TARGET)
    assert (reply.text, reply.finish, reply.usage) == ("hello", "stop", Usage(11, 2))


@pytest.mark.parametrize("usage", [None, [], {}, {"input_tokens": -1, "output_tokens": 2}])
def test_usage_is_estimated_where_the_endpoint_counts_what_cannot_be(usage: Any) -> None:
    assert reply_from(response(usage=usage), HELLO, TARGET).usage == Usage(0, 1)


def test_ids_of_calls_are_told_apart() -> None:
    items = [call(call_id=None, id=None), call(call_id="c1"), call(call_id=None, id=5), call()]
    calls = reply_from(response(*items), HELLO, TARGET).tool_calls
    assert [made.id for made in calls] == ["call_1_0", "c1", "5", "call_1_3"]


def refusal(status: int, message: str, **fields: Any) -> Prepared:
    return json_answer({"error": {"message": message, "type": "t", **fields}}, status)


FAILED: list[tuple[Prepared, type[ModelError], str]] = [
    (refusal(400, "bad shape"), BadRequest, "refused the request"),
    (refusal(400, "x", code="context_length_exceeded"), ContextOverflow, "too long"),
    (refusal(429, "slow"), RateLimited, "asks for a pause"),
    (refusal(404, "404 page not found"), UnknownModel, "take openai-responses: out of the name"),
    (refusal(405, "Method Not Allowed"), UnknownModel, "take openai-responses: out of the name"),
    (json_answer({"detail": "Not Found"}, 404), UnknownModel, "take openai-responses: out"),
    (refusal(400, "this model does not support tools"), ToolsUnsupported, "cannot call tools"),
    (json_answer(completion()), MalformedReply, "that is a chat completion"),
    (json_answer({"hello": 1}), MalformedReply, "it has no output"),
    (json_answer({"output": 5}), MalformedReply, "no response"),
    (json_answer(response({"id": "x"})), MalformedReply, "it has no type"),
    (json_answer(response(call(name=None))), MalformedReply, "a tool without a name"),
    (json_answer(response(call(arguments=5))), MalformedReply, "an output item that is none"),
    (json_answer(response(status=None)), ReplyTruncated, "status None"),
    (json_answer(response(status="in_progress")), ReplyTruncated, "'in_progress'"),
    (json_answer(response(status="queued")), ReplyTruncated, "'queued'"),
    (json_answer(response(status="cancelled")), ReplyTruncated, "'cancelled'"),
    (json_answer(response(status="failed")), ReplyTruncated, "'failed'"),
    (json_answer(response(status="incomplete")), ReplyTruncated, "reason None"),
    (
        json_answer(response(error={"code": "server_error", "message": "oops"}, status="failed")),
        ProviderDown,
        "oops",
    ),
    (
        json_answer(response(error={"code": "rate_limit_exceeded", "message": "slow"})),
        RateLimited,
        "slow",
    ),
    (
        json_answer(response(error={"code": "invalid_prompt", "message": "flagged"})),
        Refused,
        "flagged",
    ),
]


@pytest.mark.anyio
@pytest.mark.parametrize(("sent", "error", "said"), FAILED)
async def test_what_goes_wrong_has_a_type(
    sent: Prepared, error: type[ModelError], said: str
) -> None:
    with faulty_server(sent) as server:
        with pytest.raises(error, match=said) as caught:
            await complete(server, LOOP, WHOLE)
        assert len(server.asked) == 1
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r}"


@pytest.mark.anyio
async def test_a_model_that_answers_here_alone_is_told_of_by_chat_completions() -> None:
    said = "This model is only supported in v1/responses and not in v1/chat/completions."
    with faulty_server(refusal(404, said, param="model")) as server:
        model = resolve(f"gpt-7@{server.url}", environ={}, patience=Patience(outage_s=0.0))
        with pytest.raises(UnknownModel, match="write openai-responses:gpt-7 in its place"):
            await model.complete(HELLO)
        await model.aclose()


UNREADABLE = [
    ("The encrypted content for item rs_1 could not be verified.", "invalid_encrypted_content"),
    ("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", None),
    ("Item 'fc_1' was provided without its required 'reasoning' item: 'rs_1'.", None),
]


@pytest.mark.anyio
@pytest.mark.parametrize(("said", "code"), UNREADABLE)
async def test_reasoning_that_cannot_be_read_again_is_left_out_of_this_request_alone(
    said: str, code: str | None
) -> None:
    first = json_answer(response(REASONING, call()))
    with faulty_server(first, refusal(400, said, code=code), json_answer(response())) as server:
        target = ModelTarget("m", server.url, KEY, "A_KEY")
        model = OpenAIResponses(Endpoint("n", target))
        asked = msgspec.structs.replace(LOOP, messages=HELLO.messages)
        reply = await model.complete(asked)
        answered = Message("assistant", "", reply.tool_calls, thoughts=reply.thoughts)
        result = Message("tool", "x", tool_call_id="c1")
        on = msgspec.structs.replace(asked, messages=(*HELLO.messages, answered, result))
        assert (await model.complete(on)).left_out == ()
        await model.complete(on)
        await model.aclose()
        kinds = [[item["type"] for item in body["input"]] for body, _ in server.asked]
        assert all("include" in body for body, _ in server.asked)
    sealed = ["message", "reasoning", "function_call", "function_call_output"]
    bare = ["message", "function_call", "function_call_output"]
    assert kinds == [["message"], sealed, bare, sealed]


@pytest.mark.anyio
async def test_a_refusal_of_reasoning_that_was_not_sent_is_one_of_the_request() -> None:
    with (
        faulty_server(refusal(400, UNREADABLE[0][0])) as server,
        pytest.raises(BadRequest, match="could not be verified") as caught,
    ):
        await complete(server, LOOP)
    assert type(caught.value) is BadRequest


REFUSED_FIELDS: list[tuple[str, str]] = [
    ("max_output_tokens", "Unsupported parameter: 'max_output_tokens' is not supported."),
    ("temperature", "Unsupported parameter: 'temperature' is not supported with this model."),
    ("include", "Encrypted content is not supported with this model."),
    ("store", "Unknown parameter: 'store'."),
    ("include", "Invalid value, see 'include[0]' (reasoning)"),
    ("store", "Store must be set to true"),
]


@pytest.mark.anyio
@pytest.mark.parametrize(("field", "said"), REFUSED_FIELDS)
async def test_a_field_that_is_refused_is_left_out(field: str, said: str) -> None:
    with faulty_server(refusal(400, said), json_answer(response())) as server:
        reply = await complete(server, LOOP, ModelOptions(reasoning_effort="low"))
        first, second = (body for body, _ in server.asked)
    assert (set(first) - set(second), reply.left_out) == ({field}, (field,))


@pytest.mark.anyio
async def test_a_field_that_a_person_asked_for_is_not_left_out() -> None:
    said = "Unsupported parameter: 'reasoning.effort' is not supported with this model."
    refused = refusal(400, said, param="reasoning.effort")
    with faulty_server(refused) as server, pytest.raises(FieldRefused, match="reasoning_effort"):
        await complete(server, LOOP, ModelOptions(reasoning_effort="low"))


def assembled(*events: Any) -> ChatReply:
    assembly = ResponseAssembly(TARGET)
    for event in events:
        assembly.take(event)
    return reply_from(assembly.answer(), HELLO, TARGET)


def event(name: str, **fields: Any) -> Any:
    return {"type": f"response.{name}", **fields}


def added(item_id: str | None, index: int | None, name: str) -> Any:
    item = {**call(name, "", call_id=f"call_{name}"), "id": item_id, "status": "in_progress"}
    return event("output_item.added", item=item, output_index=index)


def piece(item_id: str | None, index: int | None, delta: str) -> Any:
    name = "function_call_arguments.delta"
    return event(name, item_id=item_id, output_index=index, delta=delta)


def done(item_id: str | None, index: int | None, name: str, arguments: str) -> Any:
    item = {**call(name, arguments, call_id=f"call_{name}"), "id": item_id}
    return event("output_item.done", item=item, output_index=index)


OVER = event("completed", response={"status": "completed", "usage": None})
TWO_CALLS: list[list[Any]] = [
    [
        added("x", 0, "a"),
        added("y", 1, "b"),
        piece("y", 1, '{"k"'),
        piece("x", 0, "{}"),
        piece("y", 1, ": 1}"),
    ],
    [added("x", 0, "a"), piece("x", 0, "{}"), added("y", 0, "b"), piece("y", 0, '{"k": 1}')],
    [added("x", 0, "a"), added("y", 0, "b"), piece("y", 0, '{"k": 1}'), piece("x", 0, "{}")],
    [
        added("x", 0, "a"),
        piece("p", 0, "{}"),
        done("q", 0, "a", ""),
        added("y", 1, "b"),
        piece("r", 1, '{"k"'),
        piece("s", 1, ": 1}"),
    ],
    [
        added(None, None, "a"),
        piece(None, None, "{}"),
        added(None, None, "b"),
        piece(None, None, '{"k": 1}'),
    ],
    [done("x", 0, "a", "{}"), done("y", 0, "b", '{"k": 1}')],
    [done(None, None, "a", "{}"), done(None, None, "b", '{"k": 1}')],
    [added("y", 1, "b"), piece("y", 1, '{"k": 1}'), added("x", 0, "a"), piece("x", 0, "{}")],
    [
        added("x", 0, "a"),
        piece("x", 0, "{"),
        event("function_call_arguments.done", item_id="x", output_index=0, arguments="{}"),
        done("y", 1, "b", '{"k": 1}'),
    ],
]


@pytest.mark.parametrize("events", TWO_CALLS)
def test_pieces_of_parallel_calls_find_their_call(events: list[Any]) -> None:
    calls = assembled(*events, OVER).tool_calls
    assert [(made.id, made.name, msgspec.json.decode(made.arguments)) for made in calls] == [
        ("call_a", "a", {}),
        ("call_b", "b", {"k": 1}),
    ]


@pytest.mark.parametrize("reason", ["max_output_tokens", "content_filter"])
@pytest.mark.parametrize("pieces", [[], ['{"k": '], ['{"k"', ": "]])
def test_a_streamed_call_that_was_cut_off_is_not_run(reason: str, pieces: list[str]) -> None:
    ended = event("incomplete", response={"incomplete_details": {"reason": reason}})
    begun = [added("x", 0, "a"), *(piece("x", 0, text) for text in pieces)]
    (made,) = assembled(*begun, ended).tool_calls
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(made.arguments)


TEXTS: list[list[Any]] = [
    [event("output_text.delta", delta="hel"), event("output_text.delta", delta="lo")],
    [event("output_text.delta", delta="hel"), event("output_text.done", text="hello")],
    [event("output_item.done", item=SAID)],
    [
        event("output_item.added", item={**SAID, "content": [{"type": "output_text", "text": ""}]}),
        event("output_text.delta", delta="hello"),
        event("content_part.done", part={}),
        event("rate_limits.updated", delta={}, item=5),
    ],
]


@pytest.mark.parametrize("events", TEXTS)
@pytest.mark.parametrize("end", ["completed", "done"])
def test_a_server_that_sends_only_pieces_or_only_items_is_read(events: list[Any], end: str) -> None:
    assert assembled(*events, event(end)).text == "hello"
    with pytest.raises(ReplyTruncated, match="status None"):
        assembled(*events)


def test_the_last_event_counts_where_it_has_the_output() -> None:
    pieces = event("output_text.delta", delta="other")
    assert (
        assembled(pieces, event("completed", response=response(status="in_progress"))).text
        == "hello"
    )


REASONS: Any = {**REASONING, "summary": [], "encrypted_content": None}
AT_REASONING: Any = event("output_item.added", item=REASONS, output_index=0)
SILENCES: list[tuple[list[Any], bool]] = [
    ([event("created", response=response())], True),
    ([event("created", response=response()), AT_REASONING], True),
    ([AT_REASONING, event("output_item.done", item=REASONING, output_index=0)], False),
    ([AT_REASONING, event("output_text.delta", delta="hel", output_index=1)], False),
]


@pytest.mark.parametrize(("events", "is_thinking"), SILENCES)
def test_a_model_that_thinks_may_be_silent_for_longer(events: list[Any], is_thinking: bool) -> None:
    assembly = ResponseAssembly(TARGET)
    for each in events:
        assembly.take(each)
    assert assembly.is_thinking() == is_thinking


@pytest.mark.anyio
@pytest.mark.parametrize(("events", "is_thinking"), SILENCES)
async def test_its_silence_is_bounded_as_that_before_the_first_event(
    events: list[Any], is_thinking: bool
) -> None:
    clock, limits = FakeClock(), SilenceLimits(30.0, 0.1)

    async def parts() -> AsyncGenerator[bytes]:
        for number, each in enumerate([*events, *events]):
            clock.time = 2.0 * number  # each is looked at
            yield b"data: " + msgspec.json.encode(each) + b"\n\n"
        await anyio.sleep(0.3)
        yield b"data: " + msgspec.json.encode(OVER) + b"\n\n"

    reader = EventReader(ResponseAssembly(TARGET), TARGET)
    if is_thinking:
        await read_events(parts(), reader, limits, TARGET, clock.clock)
        assert reader.answer()["status"] == "completed"
    else:
        with pytest.raises(ProviderDown, match=r"sent nothing for 0\.1 s"):
            await read_events(parts(), reader, limits, TARGET, clock.clock)


@pytest.mark.parametrize(
    ("last", "error", "said"),
    [
        ({"type": "error", "code": "server_error", "message": "oops"}, ProviderDown, "oops"),
        (
            {"type": "error", "error": {"type": "server_error", "message": "oops"}},
            ProviderDown,
            "o",
        ),
        (event("failed", response={"error": {"code": "server_error"}}), ProviderDown, "server"),
        (event("failed", response={"error": None}), MalformedReply, "the response failed"),
        (event("failed"), MalformedReply, "the response failed"),
        (event("cancelled"), ReplyTruncated, "'cancelled'"),
        (event("incomplete"), ReplyTruncated, "reason None"),
        ({"choices": []}, MalformedReply, "it has no type"),
        (event("output_text.delta", delta=5), MalformedReply, "an event that is none"),
    ],
)
@pytest.mark.anyio
async def test_a_stream_that_fails_has_a_type(
    last: Any, error: type[ModelError], said: str
) -> None:
    with pytest.raises(error, match=said):
        await reply_to(stream(event("output_text.delta", delta="hel"), last, end=""))


# A word that has a meaning somewhere, or anything.
_KEYS: Final = (
    "type output status error item id call_id name arguments content text summary delta usage role "
    "incomplete_details reason response output_index item_id content_index code message"
)
_WORDS: Final = (
    "message function_call reasoning output_text completed incomplete failed max_output_tokens "
    "response.completed response.output_item.added response.output_item.done error user "
    "response.output_text.delta response.function_call_arguments.delta response.failed"
)
_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.floats(),
    st.sampled_from(_WORDS.split()),
    st.text(max_size=9),
)
_JSON = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_KEYS.split()), inner, max_size=5)
    ),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(st.sampled_from(_KEYS.split()) | st.text(max_size=5), _JSON, max_size=6)


@given(_OBJECTS)
def test_any_object_is_a_reply_or_an_error_of_ours(answer: dict[str, Any]) -> None:
    try:
        reply = reply_from(answer, HELLO, TARGET)
    except ModelError:  # ErrorInReply among them, which has its class from `translated`
        return
    assert msgspec.convert(msgspec.to_builtins(reply), ChatReply) == reply


@pytest.mark.long
@given(st.lists(_OBJECTS, max_size=6))
def test_any_events_are_a_reply_or_an_error_of_ours(events: list[dict[str, Any]]) -> None:
    try:
        reply = assembled(*events)
    except ModelError:
        return
    assert msgspec.convert(msgspec.to_builtins(reply), ChatReply) == reply


@pytest.mark.long
@pytest.mark.anyio
@settings(max_examples=30)  # each starts a server
@given(_JSON | _OBJECTS, st.booleans())
async def test_any_body_is_a_reply_or_an_error_of_the_tree(body: Any, streamed: bool) -> None:
    sent = stream(body, end="") if streamed else json_answer(body)
    try:
        reply = await reply_to(sent)
    except ModelError as error:
        assert not isinstance(error, ErrorInReply)
    else:
        assert isinstance(reply, ChatReply)


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@st.composite
def _turns(draw: st.DrawFn) -> tuple[Message, ...]:
    """A turn that a conversation may go on with: a question, or calls of tools with results."""
    ids = draw(st.lists(st.text("abc123_-", min_size=1, max_size=9), max_size=3, unique=True))
    if not ids:
        role = draw(st.sampled_from(["system", "user", "assistant"]))
        said: Message = msgspec.convert({"role": role, "content": draw(_TEXT)}, Message)
        return said, Message("user", draw(_TEXT))
    calls = tuple(ToolCall(name, draw(_TEXT.filter(bool)), draw(_TEXT)) for name in ids)
    results = (Message("tool", draw(_TEXT), tool_call_id=name) for name in ids)
    return Message("assistant", draw(_TEXT), calls), *results


_TOOLS = st.builds(ToolSpec, _TEXT, _TEXT, st.dictionaries(_TEXT, _TEXT, max_size=2))


@given(
    st.lists(_turns(), min_size=1, max_size=5),
    st.lists(_TOOLS, max_size=2),
    st.none() | st.floats(0, 2),
    st.none() | st.integers(1, 10**6),
)
def test_our_server_reads_the_conversation_that_was_sent(
    turns: list[tuple[Message, ...]],
    tools: list[ToolSpec],
    temperature: float | None,
    max_tokens: int | None,
) -> None:
    messages = tuple(message for turn in turns for message in turn)
    request = ChatRequest("m", messages, tuple(tools), temperature, max_tokens=max_tokens)
    body = msgspec.json.encode(request_fields("m", request, AUTO))
    assert responses_request.read(body).chat == request


@pytest.mark.anyio
@pytest.mark.parametrize("options", ["", "?stream=off"])
async def test_every_wire_says_the_same_of_one_server(options: str) -> None:
    script = [ScriptedReply("I add", (ScriptedCall("bash", {"command": "ls"}),), thinking="hm")]
    brains = ServedPolicies({"m": ScriptedPolicy([*script, ScriptedReply("done")])})
    replies: list[tuple[ChatReply, ChatReply, str]] = []
    async with ChatServer(brains).serving() as server:
        for protocol in ("openai", "openai-responses"):
            model = resolve(f"{protocol}:m{options}@{server.url}", environ={})
            first = await model.complete(msgspec.structs.replace(LOOP, messages=HELLO.messages))
            said = Message("assistant", first.text, first.tool_calls, thoughts=first.thoughts)
            result = Message("tool", "out", tool_call_id=first.tool_calls[0].id)
            on = msgspec.structs.replace(LOOP, messages=(*HELLO.messages, said, result))
            second = await model.complete(on)
            await model.aclose()
            plain = tuple(ReasoningBlock(block.kind, block.text) for block in first.thoughts)
            first = msgspec.structs.replace(first, thoughts=plain)
            replies.append((first, second, request_sha256(on)))
    assert replies[0] == replies[1]
    assert (replies[0][0].thinking, replies[0][1].text) == ("hm", "done")
