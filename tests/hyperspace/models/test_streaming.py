"""Replies piece by piece: whose piece is whose, what ends a stream, who hears of its progress."""

import itertools
from collections.abc import AsyncGenerator
from typing import Any

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.lookup.resolve import resolve
from hyperspace.messages import ChatReply
from hyperspace.models.anthropic.reply import MessageAssembly
from hyperspace.models.base import (
    MalformedReply,
    ModelError,
    ProviderDown,
    ReplyTruncated,
    WrongAddress,
)
from hyperspace.models.chat.reply import CompletionAssembly, reply_from
from hyperspace.models.errors import ModelTarget
from hyperspace.models.names import SilenceLimits
from hyperspace.models.policy.retrying import Patience
from hyperspace.models.streaming import EventReader, read_events, reporting_progress
from tests.support.fake_clock import FakeClock
from tests.support.servers.faulty_server import Prepared, faulty_server, stream
from tests.support.servers.wires import (
    HELLO,
    anthropic_events,
    anthropic_message,
    chunk,
    completion,
    json_answer,
    last_chunk,
)

TARGET = ModelTarget("m", "http://127.0.0.1:1/v1", "sk-very-secret-and-long", "K")
AT_ONCE = Patience(outage_s=0.0)
LONG = SilenceLimits(60.0, 60.0)
PROTOCOLS = {
    "openai": stream(chunk(content="hello"), chunk("stop"), last_chunk()),
    "fireworks": stream(chunk(content="hello"), chunk("stop"), last_chunk()),
    "anthropic": stream(
        *anthropic_events(
            ({"type": "text", "text": ""}, {"type": "text_delta", "text": "hello"}),
            stop="end_turn",
        ),
        end="",
        names=True,
    ),
}


async def ask(prepared: Prepared, protocol: str = "openai", options: str = "") -> ChatReply:
    with faulty_server(prepared) as server:
        name = f"{protocol}:m@{server.url}?{options}"
        model = resolve(name, environ={}, patience=AT_ONCE)
        try:
            return await model.complete(HELLO)
        finally:
            await model.aclose()


def assembled(*pieces: Any) -> ChatReply:
    """The reply that these pieces of tool calls, a list for each chunk, add up to."""
    assembly = CompletionAssembly(TARGET)
    for calls in pieces:
        assembly.take(chunk(tool_calls=calls))
    assembly.take(chunk("tool_calls"))
    return reply_from(assembly.answer(), HELLO, TARGET)


def piece(name: str | None, arguments: str, **more: Any) -> Any:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return {"function": function, **more}


@pytest.mark.parametrize(
    "pieces",
    [
        [[piece("a", "{}", index=0, id="x"), piece("b", '{"k": 1}', index=0, id="y")]],
        [[piece("a", "{}", index=0, id="x")], [piece("b", '{"k": 1}', index=0, id="y")]],
        [
            [piece("a", "", index=0, id="x")],
            [piece("b", "", index=0, id="y")],
            [piece(None, '{"k"', index=0, id="y")],
            [piece(None, "{}", index=0, id="x")],
            [piece(None, ": 1}", index=0, id="y")],
        ],
        [
            [piece("a", "{", index=0, id="x"), piece("b", '{"k"', index=1, id="y")],
            [piece(None, "}", index=0), piece(None, ": 1}", index=1)],
        ],
        [[piece("a", "{}", id="x")], [piece("b", '{"k"', id="y")], [piece(None, ": 1}")]],
        [[piece("a", "{}", id="x"), piece("b", '{"k"', id="y")], [piece(None, ": 1}", id="y")]],
        [
            [piece("a", "{", index=0, id="x")],
            [piece(None, "}", id="x")],
            [piece("b", '{"k": 1}', index=1, id="y")],
        ],
        [
            [piece("a", "{", index=0, id="x")],
            [piece("a", "}", index=0, id="x")],
            [piece("b", '{"k"', index=1, id="y")],
            [piece("b", ": 1}", index=1, id="y")],
        ],
    ],
)
def test_pieces_of_parallel_calls_find_their_call(pieces: Any) -> None:
    calls = assembled(*pieces).tool_calls
    assert [(call.id, call.name, msgspec.json.decode(call.arguments)) for call in calls] == [
        ("x", "a", {}),
        ("y", "b", {"k": 1}),
    ]


@pytest.mark.parametrize(
    "pieces",
    [
        [[piece("a", "{}", index=0)], [piece("b", '{"k": 1}', index=0)]],
        [[piece("a", "{}"), piece("b", '{"k": 1}')]],
        [[piece("a", "{}", id=None)], [piece("b", '{"k"', id=None)], [piece(None, ": 1}")]],
    ],
)
def test_calls_without_ids_are_told_apart_by_what_is_whole(pieces: Any) -> None:
    calls = assembled(*pieces).tool_calls
    assert [(call.name, msgspec.json.decode(call.arguments)) for call in calls] == [
        ("a", {}),
        ("b", {"k": 1}),
    ]
    assert len({call.id for call in calls}) == 2


def test_blocks_of_a_message_that_share_an_index_are_separate() -> None:
    assembly = MessageAssembly(TARGET)
    for name in ("a", "b"):
        block: Any = {"type": "tool_use", "id": name, "name": name, "input": {}}
        said = {"type": "input_json_delta", "partial_json": f'{{"{name}": 1}}'}
        assembly.take({"type": "content_block_start", "index": 0, "content_block": block})
        assembly.take({"type": "content_block_delta", "index": 0, "delta": said})
    inputs = [block["input"] for block in assembly.answer()["content"]]
    assert inputs == [{"a": 1}, {"b": 1}]


EVENTS = "".join(
    f": keep-alive\r\ndata: {msgspec.json.encode(chunk(content=text)).decode()}\r\n\r\n"
    for text in ("he", "l\u2028l", "o \U0001f600")
).encode()


@given(st.lists(st.integers(0, len(EVENTS)), max_size=12))
def test_a_stream_reads_the_same_however_its_bytes_are_cut(cuts: list[int]) -> None:
    assembly = CompletionAssembly(TARGET)
    reader = EventReader(assembly, TARGET)
    for start, end in itertools.pairwise([0, *sorted(cuts), len(EVENTS)]):
        reader.feed(EVENTS[start:end])
    said = reader.answer()["choices"][0]["message"]["content"]
    assert said == "hel\u2028lo \U0001f600"
    assert assembly.characters() == len(said)


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_no_bytes_make_anything_but_an_answer_or_an_error_of_ours(parts: list[bytes]) -> None:
    reader = EventReader(CompletionAssembly(TARGET), TARGET)
    for part in [*parts, b"\ndata: ", *parts, b"\n\n"]:
        reader.feed(part)
    try:
        reader.answer()
    except ModelError as error:
        assert len(str(error)) < 1000


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_every_protocol_streams_unless_told_not_to(protocol: str) -> None:
    whole = anthropic_message() if protocol == "anthropic" else completion()
    streamed = await ask(PROTOCOLS[protocol], protocol)
    unstreamed = await ask(json_answer(whole), protocol, "stream=off")
    assert streamed.text == unstreamed.text == "hello"
    assert (streamed.finish, streamed.usage.prompt_tokens) == ("stop", 11)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_server_that_knows_no_streams_is_understood(protocol: str) -> None:
    whole = anthropic_message() if protocol == "anthropic" else completion()
    assert (await ask(json_answer(whole), protocol)).text == "hello"


@pytest.mark.anyio
async def test_a_server_that_refuses_streams_is_asked_without_from_then_on() -> None:
    no = json_answer({"error": {"message": "stream is not supported here"}}, 400)
    with faulty_server(no, json_answer(completion())) as server:
        model = resolve(f"m@{server.url}", environ={}, patience=AT_ONCE)
        for _ in range(2):
            assert (await model.complete(HELLO)).text == "hello"
        await model.aclose()
        sent = [(body.get("stream"), "stream_options" in body) for body, _ in server.asked]
    assert sent == [(True, True), (None, False), (None, False)]


@pytest.mark.anyio
async def test_usage_is_estimated_where_a_stream_counts_nothing() -> None:
    reply = await ask(stream(chunk(content="x" * 400), chunk("stop")))
    assert reply.usage.completion_tokens == 100


@pytest.mark.anyio
@pytest.mark.parametrize("options", ["silence_s=0.3", "silence_s=0.3&timeout_s=60"])
@pytest.mark.parametrize("stall_at", [0, 40, 400])
async def test_silence_ends_a_stream_wherever_it_sets_in(options: str, stall_at: int) -> None:
    pieces = stream(*(chunk(content="hello") for _ in range(5)), chunk("stop"))
    start = anyio.current_time()
    with pytest.raises(ProviderDown, match=r"sent nothing for 0\.3 s.*silence_s"):
        await ask(pieces._replace(stall_s=1.0, stall_at=stall_at), options=options)
    assert anyio.current_time() - start < 5.0


@pytest.mark.anyio
async def test_a_reply_that_goes_on_coming_is_not_ended() -> None:
    pieces = stream(chunk(content="hello"), chunk(content="hello"), chunk("stop"))
    slow = pieces._replace(drip_s=0.002)  # each event takes half of the silence that is allowed
    assert (await ask(slow, options="silence_s=0.6")).text == "hellohello"


@pytest.mark.anyio
async def test_a_bound_that_a_person_sets_ends_a_reply_that_is_still_coming() -> None:
    pieces = stream(*(chunk(content="hello") for _ in range(50)), chunk("stop"))
    with pytest.raises(ProviderDown, match=r"no whole reply within 0\.4 s"):
        await ask(pieces._replace(drip_s=0.002), options="timeout_s=0.4")


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_reply_that_comes_whole_is_bounded_as_one(protocol: str) -> None:
    whole = anthropic_message() if protocol == "anthropic" else completion()
    slow = json_answer(whole)._replace(drip_s=0.01)
    with pytest.raises(ProviderDown, match=r"no whole reply within 0\.3 s"):
        await ask(slow, protocol, "stream=off&timeout_s=0.3")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("prepared", "error", "said"),
    [
        (stream(chunk(content="x")), ReplyTruncated, "finish reason"),
        (Prepared(200, b": waiting\n\n"), ReplyTruncated, "finish reason"),
        (Prepared(200, b"<html>"), WrongAddress, "a web page"),
        (stream(end="data: nonsense\n\n"), MalformedReply, "'nonsense'|nonsense"),
        (stream(chunk(content="x"), "text", chunk("stop")), MalformedReply, "no JSON object"),
    ],
)
async def test_what_is_no_reply_is_an_error(
    prepared: Prepared, error: type[ModelError], said: str
) -> None:
    with pytest.raises(error, match=said):
        await ask(prepared)


async def _parts(count: int, clock: FakeClock, every_s: float) -> AsyncGenerator[bytes]:
    """Pieces of one token each; those that are due while somebody sleeps come at once."""
    for number in range(count):
        clock.time = max(clock.time, number * every_s)
        await anyio.lowlevel.checkpoint()
        yield b"data: " + msgspec.json.encode(chunk(content="four")) + b"\n\n"


@pytest.mark.anyio
async def test_progress_is_reported_after_ten_seconds_and_then_every_five() -> None:
    reports: list[tuple[float, int]] = []
    clock, reader = FakeClock(), EventReader(CompletionAssembly(TARGET), TARGET)
    with reporting_progress(lambda tokens: reports.append((clock.time, tokens))):
        await read_events(_parts(1500, clock, 0.02), reader, LONG, TARGET, clock.clock)
    assert [round(at) for at, _ in reports] == [10, 16, 22, 27]
    assert [tokens for _, tokens in reports] == pytest.approx(
        [50 * at for at, _ in reports], rel=0.2
    )


@pytest.mark.anyio
async def test_a_long_reply_wakes_its_reader_seldom_and_a_short_one_is_not_held_up() -> None:
    clock, reader = FakeClock(), EventReader(CompletionAssembly(TARGET), TARGET)
    await read_events(_parts(10, clock, 0.005), reader, LONG, TARGET, clock.clock)
    assert clock.slept == []
    await read_events(_parts(6000, clock, 0.02), reader, LONG, TARGET, clock.clock)
    assert 200 < len(clock.slept) < 600 and max(clock.slept) <= 0.5
