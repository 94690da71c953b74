import json
from pathlib import Path

import anyio
import pytest

from hyperspace.messages import (
    CallKey,
    ChatReply,
    ChatRequest,
    Message,
    ToolCall,
    ToolSpec,
    Usage,
    request_sha256,
)
from hyperspace.models.base import BadRequest, ContextOverflow, ModelError, ProviderDown
from hyperspace.tracing.calls import CallRecord, canonical_call, reply_of
from hyperspace.tracing.traces import Recorder, Trace, merge_traces, read_trace
from tests.support.models import ListModel, RaisingModel

KEY = CallKey("modify", "", 0)
TOOL = ToolSpec("bash", "runs", {"type": "object"})
REPLY = ChatReply(
    text="I look",
    tool_calls=(ToolCall("id9", "bash", '{"command": "ls"}'),),
    finish="tool_calls",
    thinking="hm",
    usage=Usage(10, 3, cached_tokens=4, cache_write_tokens=2, reasoning_tokens=1),
    model="m-2026",
    cost_usd=0.25,
)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def request(call_id: str = "c1", text: str = "hi") -> ChatRequest:
    return ChatRequest(
        model="m",
        messages=(
            Message("user", text),
            Message("assistant", tool_calls=(ToolCall(call_id, "bash", "{}"),)),
            Message("tool", "out", tool_call_id=call_id),
        ),
        tools=(TOOL,),
        temperature=0.0,
        seed=3,
    )


async def record(path: Path, *replies: ChatReply | Exception, served: Trace | None = None) -> int:
    """Record one call a reply; how many were really asked."""
    model = ListModel("m", replies)
    with Recorder(path, served) as recorder:
        for ordinal in range(len(replies)):
            key = CallKey("modify", "", ordinal)
            await recorder.answer(key, request(text=f"{ordinal}"), model.complete)
    return len(model.requests)


@pytest.mark.anyio
async def test_a_line_has_the_published_fields_and_ours(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with Recorder(path) as recorder:
        await recorder.answer(KEY, request(), ListModel("m", [REPLY]).complete)
    line = json.loads(path.read_text())
    assert line["model"] == "m"
    assert line["messages"] == [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "function": {"name": "bash", "arguments": "{}"}}],
        },
        {"role": "tool", "content": "out", "tool_call_id": "c1"},
    ]
    assert (line["response"], line["thinking"], line["finish"]) == ("I look", "hm", "tool_calls")
    wanted = {"name": "bash", "arguments": '{"command": "ls"}'}
    assert line["tool_calls"] == [{"id": "id9", "function": wanted}]
    assert line["usage"] == {
        "prompt_tokens": 10,
        "completion_tokens": 3,
        "total_tokens": 13,
        "cached_tokens": 4,
        "cache_write_tokens": 2,
        "reasoning_tokens": 1,
    }
    assert line["timestamp"].endswith("+00:00")
    assert (line["purpose"], line["item"], line["ordinal"]) == ("modify", "", 0)
    assert (line["served"], line["cost_usd"], line["seed"]) == (False, 0.25, 3)
    assert line["request_sha256"] == request_sha256(request())


@pytest.mark.anyio
async def test_a_record_gives_back_the_whole_reply(tmp_path: Path) -> None:
    await record(tmp_path / "c", REPLY)
    (call,) = read_trace(tmp_path / "c").calls
    assert reply_of(call) == REPLY


@pytest.mark.anyio
async def test_a_trace_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    with Recorder(tmp_path / "c") as recorder:
        await recorder.answer(KEY, request(), ListModel("m", [REPLY]).complete)
        assert len(read_trace(tmp_path / "c").calls) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("torn", [b"{", b'{"call_id": "x", "messages": [{"role', b"\xc3"])
async def test_a_torn_last_line_is_ignored_and_cut_off_by_the_next_writer(
    tmp_path: Path, torn: bytes
) -> None:
    path = tmp_path / "c"
    await record(path, REPLY)
    path.write_bytes(path.read_bytes() + torn * 1000)
    assert len(read_trace(path).calls) == 1
    assert read_trace(path).problem == ""
    await record(path, REPLY)
    assert len(read_trace(path).calls) == 2
    assert torn * 2 not in path.read_bytes()


@pytest.mark.anyio
async def test_finished_calls_of_an_earlier_attempt_are_served_and_recorded_again(
    tmp_path: Path,
) -> None:
    await record(tmp_path / "first", REPLY, REPLY)
    told: list[CallRecord] = []
    model = ListModel("m", [ChatReply("new")])
    with Recorder(tmp_path / "second", read_trace(tmp_path / "first"), told.append) as recorder:
        replies = [
            await recorder.answer(CallKey("modify", "", k), request(text=f"{k}"), model.complete)
            for k in range(3)
        ]
    assert [reply.text for reply in replies] == ["I look", "I look", "new"]
    assert len(model.requests) == 1
    assert [call.served for call in told] == [True, True, False]
    assert [call.served for call in read_trace(tmp_path / "second").calls] == [True, True, False]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("key", "text"),
    [(CallKey("train", "", 0), "0"), (CallKey("modify", "i", 0), "0"), (KEY, "else")],
)
async def test_another_place_or_another_request_is_asked_again(
    tmp_path: Path, key: CallKey, text: str
) -> None:
    await record(tmp_path / "first", REPLY)
    model = ListModel("m", [ChatReply("new")])
    with Recorder(tmp_path / "second", read_trace(tmp_path / "first")) as recorder:
        reply = await recorder.answer(key, request(text=text), model.complete)
    assert reply.text == "new"


@pytest.mark.anyio
@pytest.mark.parametrize("error", [BadRequest("bad"), ContextOverflow("long")])
async def test_a_refusal_is_recorded_and_served_as_a_refusal(
    tmp_path: Path, error: ModelError
) -> None:
    for attempt in ("first", "second"):
        with Recorder(tmp_path / attempt, read_trace(tmp_path / "first")) as recorder:
            model = RaisingModel("m", error)
            with pytest.raises(type(error), match=str(error)):
                await recorder.answer(KEY, request(), model.complete)
        assert len(model.requests) == (attempt == "first")


@pytest.mark.anyio
async def test_an_outage_is_no_finished_call(tmp_path: Path) -> None:
    with Recorder(tmp_path / "c") as recorder, pytest.raises(ProviderDown):
        await recorder.answer(KEY, request(), RaisingModel("m", ProviderDown("x")).complete)
    assert read_trace(tmp_path / "c").calls == ()


@pytest.mark.anyio
async def test_several_attempts_are_joined(tmp_path: Path) -> None:
    await record(tmp_path / "1", REPLY, REPLY)
    await record(tmp_path / "2", REPLY)
    joined = merge_traces([tmp_path / "1", tmp_path / "2", tmp_path / "none"])
    assert await record(tmp_path / "3", REPLY, REPLY, served=joined) == 0
    assert "none cannot be read" in joined.problem


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "c cannot be read: No such file or directory"),
        (b"", "c is empty"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n",
            "c is a git-lfs pointer; `git lfs pull` gets the content",
        ),
        (b"{broken}\n[]\n\xff\n", "c: 3 of 3 lines are damaged"),
        (b"[" * 100_000 + b"\n", "c: 1 of 1 lines are damaged"),
    ],
)
def test_a_file_that_holds_no_calls_is_an_empty_trace_with_a_reason(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    if content is not None:
        (tmp_path / "c").write_bytes(content)
    assert read_trace(tmp_path / "c") == Trace((), problem)


def test_published_lines_are_read(tmp_path: Path) -> None:
    line = {
        "call_id": "abc",
        "timestamp": "2026-05-01T00:00:00Z",
        "model": "kimi",
        "messages": [{"role": "user", "text": "hi"}],
        "response": None,
        "thinking": None,
        "tool_calls": None,
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    }
    (tmp_path / "c").write_text(f"{json.dumps(line)}\n{json.dumps(line)}")
    trace = read_trace(tmp_path / "c")
    assert [call.model for call in trace.calls] == ["kimi", "kimi"]
    assert trace.problem == ""


def test_ids_from_a_provider_do_not_change_the_canonical_request() -> None:
    assert request_sha256(request("c1")) == request_sha256(request("chatcmpl-tool-77"))
    assert request_sha256(request(text="a")) != request_sha256(request(text="b"))


@pytest.mark.anyio
async def test_the_canonical_call_holds_no_times_prices_or_ids(tmp_path: Path) -> None:
    await record(tmp_path / "c", REPLY)
    (call,) = read_trace(tmp_path / "c").calls
    assert canonical_call(call) == {
        "purpose": "modify",
        "item": "",
        "ordinal": 0,
        "request_sha256": request_sha256(request(text="0")),
        "text": "I look",
        "tool_calls": [{"name": "bash", "arguments": '{"command": "ls"}'}],
        "finish": "tool_calls",
        "error": "",
    }


@pytest.mark.anyio
async def test_a_call_that_was_answered_is_in_the_trace_although_its_asker_is_cancelled(
    tmp_path: Path,
) -> None:
    counted: list[CallRecord] = []
    model = ListModel("m", [REPLY] * 20)
    scope = anyio.CancelScope()

    def count(call: CallRecord) -> None:
        counted.append(call)
        scope.cancel()

    with scope, Recorder(tmp_path / "calls.jsonl", None, count) as recorder:
        async with anyio.create_task_group() as group:
            for ordinal in range(20):
                key = CallKey("modify", "", ordinal)
                group.start_soon(recorder.answer, key, request(text=f"{ordinal}"), model.complete)
    written = (tmp_path / "calls.jsonl").read_text().splitlines()
    assert len(written) == len(counted) == len(model.requests) > 1
