import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.broker.broker import Broker
from agents.lookup.offline import OfflineModel
from agents.runtime.agent.agentic_loop import framed_calls
from agents.tracing.traces import Recorder, read_trace
from tests.support.agent_workspace import (
    MODEL,
    bash,
    calls,
    make_workspace,
    run_inside,
    says,
    scripted,
)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


async def converse(folder: Path, model: OfflineModel, arguments: str = "") -> list[Any]:
    make_workspace(folder / "w")
    code = (
        "import json; from agent.agentic_loop import chat_with_agent\n"
        f"print(json.dumps(chat_with_agent('go', {MODEL!r}, 0.0, {arguments})))"
    )
    with Recorder(folder / "calls.jsonl") as recorder:
        async with Broker(model, recorder) as broker:
            return json.loads(await run_inside(folder / "w", code, broker))


@pytest.mark.anyio
async def test_all_calls_of_a_reply_are_run_in_order_and_answered(tmp_path: Path) -> None:
    model = scripted(calls(bash("x=1; echo a"), bash("echo b$x")), says("done"))
    history = await converse(tmp_path, model)
    assert [message["role"] for message in history] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert [m["content"] for m in history[2:]] == ["a\n[exit code 0]", "b1\n[exit code 0]", "done"]
    assert [m["tool_call_id"] for m in history[2:4]] == ["call_0_0", "call_0_1"]


@pytest.mark.anyio
async def test_calls_past_the_budget_are_not_run_and_end_the_work(tmp_path: Path) -> None:
    model = scripted(calls(bash("touch a")), calls(bash("touch b"), bash("touch c")), says("no"))
    history = await converse(tmp_path, model, "max_tool_calls=2")
    assert history[-1]["content"] == "Error: not run, the budget of tool calls is used up."
    assert sorted(path.name for path in (tmp_path / "w").glob("?")) == ["a", "b"]


@pytest.mark.anyio
async def test_the_budget_is_forty_calls(tmp_path: Path) -> None:
    model = scripted(*[calls(*[bash("echo -n x >> log")] * 7)] * 10)
    await converse(tmp_path, model)
    assert (tmp_path / "w/log").read_text() == "x" * 40


@pytest.mark.anyio
async def test_calls_framed_in_text_are_run_when_there_are_no_native_ones(tmp_path: Path) -> None:
    framed = '<tool_call>{"name": "bash", "arguments": {"command": "echo \'</tool_call>\'"}}'
    history = await converse(tmp_path, scripted(says(f"I look. {framed}</tool_call>"), says("ok")))
    assert history[2] == {
        "role": "user",
        "content": "<tool_result>\n</tool_call>\n[exit code 0]\n</tool_result>",
    }


@pytest.mark.anyio
async def test_without_tools_text_is_only_text(tmp_path: Path) -> None:
    framed = '<tool_call>{"name": "bash", "arguments": {"command": "touch x"}}</tool_call>'
    history = await converse(tmp_path, scripted(says(framed)), "tools=[]")
    assert len(history) == 2
    assert not (tmp_path / "w/x").exists()


@pytest.mark.anyio
async def test_a_call_that_makes_no_sense_is_told_and_the_work_goes_on(tmp_path: Path) -> None:
    model = scripted(calls(("nope", {}), ("bash", "{broken")), says("done"))
    history = await converse(tmp_path, model)
    assert all(message["content"].startswith("Error: ") for message in history[2:4])
    assert history[-1]["content"] == "done"


@pytest.mark.anyio
async def test_the_history_goes_to_the_model_and_is_not_changed(tmp_path: Path) -> None:
    earlier = [{"role": "user", "content": "before"}, {"role": "assistant", "content": "yes"}]
    history = await converse(tmp_path, scripted(says("0"), says("1")), f"history={earlier}")
    assert [message["content"] for message in history] == ["before", "yes", "go", "1"]


@pytest.mark.anyio
async def test_temperature_and_tools_reach_the_model(tmp_path: Path) -> None:
    await converse(tmp_path, scripted(says("ok")))
    (call,) = read_trace(tmp_path / "calls.jsonl").calls
    assert call.temperature == 0.0
    assert [tool.name for tool in call.tools] == ["bash", "editor"]


def frame(name: str, arguments: Any) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


@pytest.mark.long
@given(st.lists(st.dictionaries(st.text(max_size=5), st.text()), max_size=3), st.text())
def test_framed_calls_are_found_whatever_their_strings_hold(
    wanted: list[dict[str, str]], between: str
) -> None:
    between = between.replace("<tool_call>", "")
    text = between.join(frame("t", arguments) for arguments in wanted)
    assert [json.loads(call["arguments"]) for call in framed_calls(text)] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<tool_call>",
        "<tool_call>{}</tool_call>",
        "<tool_call>[1]</tool_call>",
        '<tool_call>{"name": "bash"}</tool_call>',
        '<tool_call>{"name": "bash", "arguments": {}} and then nothing',
        "<tool_call>" + "[" * 100_000,
    ],
)
def test_what_is_no_framed_call_is_passed_over(text: str) -> None:
    assert framed_calls(text) == []
