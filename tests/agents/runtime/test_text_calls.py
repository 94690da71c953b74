import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.runtime.agent.text_calls import text_calls

TOOLS = ("bash", "editor")
LS = {"command": "ls"}


def found(text: str, *shown: str) -> list[tuple[str, Any]]:
    calls = text_calls(text, TOOLS, shown).calls
    return [(call["name"], json.loads(call["arguments"])) for call in calls]


JSON = '{"name": "bash", "arguments": {"command": "ls"}}'
FORMATS = {
    "bare": JSON,
    "behind prose": f"I will look around first.\n\n{JSON}",
    "before prose": f"{JSON}\nThis lists the files.",
    "fenced json": f"Sure!\n```json\n{JSON}\n```\nDone.",
    "fenced": f"```\n{JSON}\n```",
    "fenced tool_call": f"```tool_call\n{JSON}\n```",
    "fence not closed": f"```json\n{JSON}",
    "parameters": '{"name": "bash", "parameters": {"command": "ls"}}',
    "indented over lines": json.dumps(json.loads(JSON), indent=4),
    "list": f"[{JSON}]",
    "function": f'{{"type": "function", "function": {JSON}}}',
    "function by name": '{"type": "function", "function": "bash", "parameters": {"command": "ls"}}',
    "hermes": f"<tool_call>\n{JSON}\n</tool_call>",
    "hermes in a fence": f"```xml\n<x/>\n```\n<tool_call>{JSON}</tool_call>",
    "hermes not closed": f"<tool_call>\n{JSON}\n",
    "llama": f"<|python_tag|>{JSON}<|eom_id|>",
    "llama function": '<function=bash>{"command": "ls"}</function>',
    "llama pythonic": '[bash(command="ls")]',
    "mistral": f"[TOOL_CALLS] [{JSON}]",
    "mistral since 2024": '[TOOL_CALLS]bash[ARGS]{"command": "ls"}',
    "mistral with an id": '[TOOL_CALLS]bash[CALL_ID]abc123def[ARGS]{"command": "ls"}',
    "mistral without": '[TOOL_CALLS]bash{"command": "ls"}',
    "deepseek": (
        "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function"
        '<\uff5ctool\u2581sep\uff5c>bash\n```json\n{"command": "ls"}\n```'
        "<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>"
    ),
    "deepseek 3.1": (
        "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>bash"
        '<\uff5ctool\u2581sep\uff5c>{"command": "ls"}<\uff5ctool\u2581call\u2581end\uff5c>'
    ),
    "qwen coder": (
        "<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n"
        "</function>\n</tool_call>"
    ),
    "qwen coder, bare": "<function=bash>\n<parameter=command>ls</parameter>\n</function>",
}


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS)
def test_each_common_format_is_a_call(text: str) -> None:
    assert found(text) == [("bash", LS)]


TWICE = {
    "in a list": f"[{JSON}, {JSON}]",
    "one after the other": f"{JSON}\n{JSON}",
    "in one fence": f"```json\n{JSON}\n{JSON}\n```",
    "in two fences": f"```json\n{JSON}\n```\nand\n```json\n{JSON}\n```",
    "framed": f"<tool_call>{JSON}</tool_call>\n<tool_call>{JSON}</tool_call>",
    "mistral": f"[TOOL_CALLS] [{JSON}, {JSON}]",
    "pythonic": '[bash(command="ls"), bash(command="ls")]',
}


@pytest.mark.parametrize("text", TWICE.values(), ids=TWICE)
def test_several_calls_come_in_their_order(text: str) -> None:
    assert found(text) == [("bash", LS)] * 2


def test_parameters_in_tags_keep_their_text_and_have_the_types_of_tools() -> None:
    text = (
        "<tool_call><function=editor>\n<parameter=command>\ninsert\n</parameter>\n"
        "<parameter=insert_line>\n3\n</parameter>\n<parameter=new_str>"
        "\n  x = {\n\n  }\n</parameter>\n"
        "</function></tool_call>"
    )
    arguments = {"command": "insert", "insert_line": 3, "new_str": "  x = {\n\n  }"}
    assert found(text) == [("editor", arguments)]


NONE = {
    "nothing": "",
    "words": "I would list the files with bash.",
    "tag alone": "<tool_call>",
    "object without a name": "<tool_call>{}</tool_call>",
    "numbers": "<tool_call>[1]</tool_call>",
    "half a call": '<tool_call>{"name": "bash", "arguments": {"command": "rm -rf',
    "half a frame": f"<tool_call>{JSON} and then more",
    "in a sentence": f"You could write {JSON} here.",
    "tags in a sentence": f"Never write <tool_call>{JSON}</tool_call>, as it breaks the code.",
    "in a program without a fence": f"import json\ncall = json.loads('''\n{JSON}\n''')",
    "in a docstring": f'def f():\n    """Answer with\n    {JSON}\n    """',
    "in a program": f"```python\nEXAMPLE = 1\n{JSON}\n```",
    "in a program that is quoted": f"~~~py\n{JSON}\n~~~",
    "beside other things in a fence": f"```json\n{JSON}\nls\n```",
    "other json": '{"name": "Ada", "age": 3}',
    "arguments that are text": '{"name": "bash", "arguments": "ls"}',
    "nested": "<tool_call>" + "[" * 100_000,
    "nested objects": '{"name": "bash", "arguments": ' + '{"a":' * 10_000 + "1" + "}" * 10_001,
    "five megabytes": json.dumps({"name": "bash", "arguments": {"command": "x" * 5_000_000}}),
    "many beginnings": '{"name": "bash",\n' * 20_000,
    "many brackets": "[\n" * 100_000,
    "many tags": "<tool_call>" * 30_000,
    "many fences": "```json\n{\n" * 30_000,
    "pythonic with a call inside": '[bash(command=open("x"))]',
}


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_what_is_no_call_is_none_and_is_known_soon(text: str) -> None:
    begun = time.process_time()
    assert found(text) == []
    assert time.process_time() - begun < 5  # not a measure of speed: an unbounded one takes hours


TOLD = {
    '{"name": "nope", "arguments": {}}': "there is no tool 'nope'; there are: bash, editor",
    '{"name": "bash", "arguments": ["ls"]}': "the arguments of bash must be a JSON object",
    '{"name": "bash"}': "the arguments of bash must be a JSON object",
    '{"name": "bash", "arguments": {"command": \'ls\'}}': "its JSON cannot be read",
    "x" * 500_000: "it has over 400000 characters",
}


@pytest.mark.parametrize("text", TOLD)
def test_what_was_meant_as_a_call_says_why_it_is_none(text: str) -> None:
    assert text_calls(text, TOOLS).problem == TOLD[text]


def test_a_quotation_of_what_was_shown_is_no_call() -> None:
    shown = f"def f():\n    return 1\n{JSON}\n"
    assert found(f"The file holds\n{JSON}", "x", shown) == []
    assert found(f"```json\n{JSON}\n```", shown) == []
    assert found(f"<tool_call>{JSON}</tool_call>", f"<tool_call>{JSON}</tool_call>") == []
    assert found('{"name": "bash", "arguments": {"command": "pwd"}}', shown)


def frame(name: str, arguments: Any) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


@pytest.mark.long
@given(st.lists(st.dictionaries(st.text(max_size=5), st.text()), max_size=3))
def test_calls_are_found_whatever_their_strings_hold(wanted: list[dict[str, str]]) -> None:
    assert found("\nand then\n".join(frame("bash", one) for one in wanted)) == [
        ("bash", one) for one in wanted
    ]


@pytest.mark.long
@given(
    st.lists(
        st.one_of(
            st.text(max_size=20), st.sampled_from([*FORMATS.values(), "`" * 3, "{", "[", "<"])
        )
    )
)
def test_no_text_is_too_odd_to_be_searched(parts: list[str]) -> None:
    for call in text_calls("\n".join(parts), TOOLS).calls:
        assert call["name"] in TOOLS
        assert isinstance(json.loads(call["arguments"]), dict)
