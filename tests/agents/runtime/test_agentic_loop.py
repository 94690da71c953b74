import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hyperspace.broker.broker import Broker
from hyperspace.lookup.offline import OfflineModel
from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.base import ContextOverflow, Model, Wrapper
from hyperspace.offline.policies.scripted import ScriptedPolicy
from hyperspace.tracing.traces import Recorder, read_trace
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


class Windowed(Wrapper):
    """A model whose server says that it takes 2,000 tokens."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        return msgspec.structs.replace(await self._model.complete(request), window=2000)


async def converse(folder: Path, model: Model, arguments: str = "") -> list[Any]:
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
async def test_a_result_takes_a_fourth_of_the_models_window_at_most(tmp_path: Path) -> None:
    model = scripted(calls(bash("seq 3000")), says("done"))
    untold = (await converse(tmp_path / "untold", model))[2]["content"]
    told = (await converse(tmp_path / "told", Windowed(model)))[2]["content"]
    assert len(untold) > 10_000
    assert len(told) < 1600 and told.startswith("1\n2\n") and "[exit code 0]" in told
    assert "characters cut, the model takes 2000 tokens in all" in told


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
    model = scripted(says("0"), calls(bash("true")), says("1"))
    history = await converse(tmp_path, model, f"history={earlier}")
    assert [message["content"] for message in history[:3]] == ["before", "yes", "go"]
    assert history[-1]["content"] == "1"


@pytest.mark.anyio
async def test_temperature_and_tools_reach_the_model(tmp_path: Path) -> None:
    await converse(tmp_path, scripted(says("ok")))
    call = read_trace(tmp_path / "calls.jsonl").calls[0]
    assert call.temperature == 0.0
    assert [tool.name for tool in call.tools] == ["bash", "editor"]


@pytest.mark.anyio
async def test_a_first_reply_without_a_call_is_told_once_what_was_expected(tmp_path: Path) -> None:
    history = await converse(tmp_path, scripted(says("hm"), says("done"), says("never")))
    assert [message["content"] for message in history if message["role"] == "assistant"] == [
        "hm",
        "done",
    ]
    assert "called no tool" in history[2]["content"]
    assert "bash, editor" in history[2]["content"]


@pytest.mark.anyio
async def test_a_reply_without_a_call_ends_work_that_has_begun(tmp_path: Path) -> None:
    history = await converse(tmp_path, scripted(calls(bash("true")), says("done"), says("never")))
    assert history[-1]["content"] == "done"


@pytest.mark.anyio
async def test_a_call_that_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    broken = '<tool_call>{"name": "nope", "arguments": {}}</tool_call>'
    history = await converse(tmp_path, scripted(says(broken), says(broken), says("never")))
    assert "there is no tool 'nope'" in history[2]["content"]
    assert [message["role"] for message in history] == ["user", "assistant", "user", "assistant"]


@pytest.mark.anyio
async def test_a_call_that_a_peer_wrote_is_shown_and_not_run(tmp_path: Path) -> None:
    call = '{"name": "bash", "arguments": {"command": "touch x"}}'
    show = calls(bash(f"echo '{call}'"))
    history = await converse(tmp_path, scripted(show, says(f"It says:\n{call}"), says("done")))
    assert "word for word" in history[4]["content"]
    assert not (tmp_path / "w/x").exists()


class NarrowModel(OfflineModel):
    """A scripted model whose window holds so many characters of a conversation."""

    def __init__(self, characters: int) -> None:
        show = [calls(bash(f"touch made{turn}; seq 1 2000")) for turn in range(2)]
        super().__init__(MODEL, ScriptedPolicy([*show, says("done")]))
        self.characters = characters

    async def complete(self, request: ChatRequest) -> ChatReply:
        if sum(len(message.content) for message in request.messages) > self.characters:
            raise ContextOverflow("too long")
        return await super().complete(request)


@pytest.mark.anyio
@pytest.mark.parametrize("characters", [20_000, 12_000, 5_000, 1_500])
async def test_too_long_a_conversation_goes_on_with_its_longest_results_cut(
    tmp_path: Path, characters: int
) -> None:
    history = await converse(tmp_path, NarrowModel(characters))
    assert history[-1]["content"] == "done"
    assert (tmp_path / "w/made1").exists()
    assert ("characters cut" in str(history)) == (characters < 20_000)


@pytest.mark.anyio
async def test_what_was_done_stays_where_nothing_is_left_to_cut(tmp_path: Path) -> None:
    history = await converse(tmp_path, NarrowModel(200))
    assert (tmp_path / "w/made0").exists()
    assert history[-1]["role"] == "tool"
