"""What a provider wants back travels through sandbox and trace, and decides nothing but itself."""

from pathlib import Path

import msgspec
import pytest

from hyperspace.broker.broker import Broker
from hyperspace.messages import (
    ChatReply,
    ChatRequest,
    Message,
    ReasoningBlock,
    ToolCall,
    request_sha256,
)
from hyperspace.tracing.traces import Recorder, Trace, read_trace
from tests.support.agent_workspace import make_workspace, run_inside
from tests.support.models import ListModel

NAME = "claude-x"
THOUGHTS = (
    ReasoningBlock("thinking", "hm", "signature"),
    ReasoningBlock("redacted", signature="zzz"),
)
CALLS = ChatReply(
    tool_calls=(ToolCall("t1", "bash", '{"command": "true"}'),),
    finish="tool_calls",
    thoughts=THOUGHTS,
)
CODE = f"from agent.agentic_loop import chat_with_agent; chat_with_agent('go', {NAME!r})"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


async def converse(folder: Path, model: ListModel, served: Trace | None = None) -> None:
    make_workspace(folder / "w")
    with Recorder(folder / "calls.jsonl", served) as recorder:
        async with Broker(model, recorder) as broker:
            assert await run_inside(folder / "w", CODE, broker) == ""


@pytest.mark.anyio
async def test_thoughts_come_back_with_the_conversation(tmp_path: Path) -> None:
    model = ListModel(NAME, [CALLS, ChatReply("done")])
    await converse(tmp_path, model)
    assert model.requests[1].messages[1].thoughts == THOUGHTS
    assert read_trace(tmp_path / "calls.jsonl").calls[0].thoughts == THOUGHTS


@pytest.mark.anyio
async def test_a_resumed_conversation_still_has_them(tmp_path: Path) -> None:
    await converse(tmp_path, ListModel(NAME, [CALLS, ChatReply("done")]))
    only_first = Trace(read_trace(tmp_path / "calls.jsonl").calls[:1])
    model = ListModel(NAME, [ChatReply("done")])
    await converse(tmp_path, model, only_first)
    assert len(model.requests) == 1
    assert model.requests[0].messages[1].thoughts == THOUGHTS


def test_seals_do_not_tell_one_request_from_another_but_thoughts_do() -> None:
    def request(*thoughts: ReasoningBlock) -> ChatRequest:
        return ChatRequest(NAME, (Message("assistant", "x", thoughts=thoughts),))

    sha256 = request_sha256(request(THOUGHTS[0]))
    resigned = msgspec.structs.replace(THOUGHTS[0], signature="other")
    rethought = msgspec.structs.replace(THOUGHTS[0], text="other")
    assert request_sha256(request(resigned)) == sha256
    assert request_sha256(request(rethought)) != sha256
