import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.messages import ChatReply, ChatRequest, Message, ToolCall, ToolSpec, Usage
from hyperspace.models.base import BadRequest, ToolsUnsupported
from hyperspace.models.text_frames import parse, write_call
from hyperspace.models.text_tools import TextTools, in_words, mark_of
from tests.support.models import ListModel

pytestmark = pytest.mark.anyio
BASH = ToolSpec("bash", "runs", {"type": "object", "properties": {"command": {"type": "string"}}})
EDITOR = ToolSpec(
    "editor",
    "edits",
    {
        "type": "object",
        "properties": {"text": {"type": "string"}, "range": {"type": "array"}},
    },
)
TOOLS = (BASH, EDITOR)
ASK = ChatRequest("m", (Message("user", "list the files"),), TOOLS)
MARK = mark_of(ASK)
CODE = 'print("```")\n@@end nobody\n```python\n<tool_call>{"name": 1}</tool_call>\n~~~'


def call_text(command: str, length: str = "", mark: str = MARK) -> str:
    return f"@@call {mark} bash\n@@text {mark} command {length}\n{command}\n@@end {mark}"


def commands(text: str) -> list[str]:
    parsed = parse(text, MARK, TOOLS)
    assert not parsed.problem
    return [msgspec.json.decode(call.arguments)["command"] for call in parsed.calls]


@pytest.mark.long
@given(st.dictionaries(st.text("abc_", min_size=1), st.text()), st.text())
def test_a_call_with_its_lengths_survives_any_content(arguments: dict[str, str], said: str) -> None:
    whole = ToolCall("", "bash", msgspec.json.encode(arguments).decode())
    other = ToolCall("", "editor", '{"range":[1,2]}')
    text = "\n".join([said.replace(MARK, ""), write_call(whole, MARK), write_call(other, MARK)])
    parsed = parse(text, MARK, TOOLS)
    assert parsed.calls == (whole, other)


@pytest.mark.parametrize("length", ["", "3", "99999", "many", str(len(CODE.encode()))])
def test_fences_in_code_break_nothing_even_when_the_length_is_wrong(length: str) -> None:
    assert commands(call_text(CODE, length)) == [CODE]


def test_a_right_length_decides_even_over_lines_with_the_mark() -> None:
    tricky = f"a\n@@end {MARK}\nb"
    assert commands(call_text(tricky, str(len(tricky)))) == [tricky]


def test_text_beside_calls_is_kept() -> None:
    parsed = parse(f"First.\n{call_text('ls')}\nThen.\n{call_text('pwd')}\n", MARK, TOOLS)
    assert parsed.text == "First.\nThen."
    assert [call.name for call in parsed.calls] == ["bash", "bash"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"@@call {MARK} dance\n@@end {MARK}", "no tool 'dance'; the tools are bash, editor"),
        (call_text("rm -rf x").removesuffix(f"@@end {MARK}"), "not followed by"),
        (f"@@call {MARK} bash\nls", "no line @@end"),
        (f"@@call {MARK} editor\n@@text {MARK} range\n[1,\n@@end {MARK}", "no JSON of type array"),
    ],
)
def test_half_a_call_is_no_call_and_the_problem_is_told(text: str, problem: str) -> None:
    parsed = parse(text, MARK, TOOLS)
    assert problem in parsed.problem
    assert parsed.calls == ()


def test_the_mark_stays_in_a_conversation_and_is_not_in_it() -> None:
    longer = ChatRequest("m", (*ASK.messages, Message("assistant", "ok")), TOOLS)
    assert mark_of(longer) == MARK
    quoting = ChatRequest("m", (*ASK.messages, Message("assistant", MARK)), TOOLS)
    assert mark_of(quoting) not in MARK


def test_a_conversation_with_calls_is_told_in_words() -> None:
    called = Message("assistant", "so", (ToolCall("c", "bash", '{"command":"ls"}'),))
    said = Message("tool", "a.py", tool_call_id="c")
    request = ChatRequest("m", (*ASK.messages, called, said), TOOLS)
    words = in_words(request, MARK)
    assert [message.role for message in words.messages] == ["system", "user", "assistant", "user"]
    assert words.tools == ()
    assert commands(words.messages[2].content) == ["ls"]
    assert words.messages[3].content == f"@@result {MARK} 4\na.py\n@@end {MARK}"


async def test_calls_in_the_text_become_calls() -> None:
    inner = ListModel("m", [ChatReply(f"Let me see.\n{call_text('ls')}", usage=Usage(5, 3))])
    reply = await TextTools(inner, "text").complete(ASK)
    assert reply.tool_calls == (ToolCall("call_1_0", "bash", '{"command":"ls"}'),)
    assert (reply.text, reply.finish, reply.usage) == ("Let me see.", "tool_calls", Usage(5, 3))
    (request_sent,) = inner.requests
    assert MARK in request_sent.messages[0].content
    assert '"command"' in request_sent.messages[0].content


async def test_an_unreadable_call_is_told_once_and_both_answers_are_counted() -> None:
    half = ChatReply(f"@@call {MARK} bash\nls", usage=Usage(5, 3, 1))
    good = ChatReply(call_text("ls"), usage=Usage(9, 4, 2))
    inner = ListModel("m", [half, good])
    reply = await TextTools(inner, "text").complete(ASK)
    assert [call.name for call in reply.tool_calls] == ["bash"]
    assert reply.usage == Usage(14, 7, 3)
    told = inner.requests[1].messages[-2:]
    assert [message.role for message in told] == ["assistant", "user"]
    assert "no line @@end" in told[1].content


async def test_what_is_still_no_call_stays_text() -> None:
    inner = ListModel("m", [ChatReply(f"@@call {MARK} bash\nls", usage=Usage(1, 1))])
    reply = await TextTools(inner, "text").complete(ASK)
    assert (reply.tool_calls, len(inner.requests), reply.usage) == ((), 2, Usage(2, 2))


async def test_a_model_that_cannot_call_tools_is_found_out_once() -> None:
    outcomes = [ToolsUnsupported("no tools"), ChatReply(call_text("ls")), ChatReply("done")]
    inner = ListModel("m", outcomes)
    model = TextTools(inner)
    assert (await model.complete(ASK)).tool_calls
    assert (await model.complete(ASK)).text == "done"
    assert [bool(request.tools) for request in inner.requests] == [True, False, False]


async def test_a_model_that_calls_tools_is_asked_as_it_is() -> None:
    inner = ListModel("m", [ChatReply(call_text("ls")), BadRequest("no")])
    model = TextTools(inner)
    assert (await model.complete(ASK)).tool_calls == ()
    assert inner.requests == [ASK]
    with pytest.raises(BadRequest):
        await model.complete(ASK)
