"""What is left stands in a request as a sign; the model alone is told what it stands for."""

from pathlib import Path

import pytest

from agents.runtime.agent import llm_client
from hyperspace.broker.broker import Broker
from hyperspace.messages import WHAT_IS_LEFT, ChatReply
from hyperspace.tracing.traces import Recorder, read_trace
from tests.support.agent_workspace import MODEL, make_workspace, run_inside
from tests.support.models import ListModel

ASK = (
    "from agent.llm_client import WHAT_IS_LEFT, chat\n"
    f"print(chat([{{'role': 'user', 'content': 'Left: ' + WHAT_IS_LEFT}}], {MODEL!r})['text'])"
)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


class Live(ListModel):
    offline = False


def test_the_runtime_and_the_host_mean_the_same_sign() -> None:
    assert llm_client.WHAT_IS_LEFT == WHAT_IS_LEFT
    assert WHAT_IS_LEFT not in Path(llm_client.__file__).read_text()


@pytest.mark.anyio
async def test_the_model_is_told_and_the_record_has_both(tmp_path: Path) -> None:
    make_workspace(tmp_path / "w")
    hashes: list[str] = []
    for left in ("5 more changes", "2 more changes, $1.20 for all agents"):
        model = Live(MODEL, [ChatReply(text="yes")])
        trace = tmp_path / f"{len(hashes)}.jsonl"
        with Recorder(trace) as recorder:
            async with Broker(model, recorder, what_is_left=lambda told=left: told) as broker:
                assert await run_inside(tmp_path / "w", ASK, broker) == "yes\n"
        (call,) = read_trace(trace).calls
        assert model.requests[0].messages[0].content == f"Left: {left}"
        assert call.messages[0]["content"] == f"Left: {WHAT_IS_LEFT}"
        assert call.what_is_left == left
        hashes.append(call.request_sha256)
    assert hashes[0] == hashes[1]


@pytest.mark.anyio
async def test_nobody_is_told_where_nothing_is_asked_for(tmp_path: Path) -> None:
    make_workspace(tmp_path / "w")
    model = Live(MODEL, [ChatReply(text="yes")])
    with Recorder(tmp_path / "calls.jsonl") as recorder:
        async with Broker(model, recorder, what_is_left=lambda: "much") as broker:
            await run_inside(tmp_path / "w", ASK.replace("+ WHAT_IS_LEFT", "+ 'x'"), broker)
    assert "what_is_left" not in (tmp_path / "calls.jsonl").read_text()
