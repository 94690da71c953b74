"""A trace whose every field is hostile."""

import json
from collections.abc import Iterator
from typing import Any

from tests.support.hostile.payloads import PAYLOADS, every


def hostile_calls() -> Iterator[dict[str, Any]]:
    """Yield the calls of a modification: tools with what they said, a refusal, an evaluation."""
    messages: list[dict[str, Any]] = [{"role": every("role")[:900], "content": every("prompt")}]
    for at, command in enumerate((every("command"), f"cat strategies/{PAYLOADS[12]}_gen0/x.py")):
        function = {"name": every("tool"), "arguments": json.dumps({PAYLOADS[12]: command})}
        tools = [{"id": f"c{at}", "function": function}]
        yield _call(messages, tool_calls=tools, thinking=every("thinking"))
        messages = [
            *messages,
            {"role": "assistant", "content": every("words"), "tool_calls": tools},
            {"role": "tool", "content": every("result"), "tool_call_id": f"c{at}"},
        ]
    broken = [{"id": "c9", "function": {"name": every("tool"), "arguments": every("no JSON")}}]
    yield _call(messages, tool_calls=broken)
    yield _call(messages, error=every("provider"), finish=every("finish"))
    yield _call([{"role": "user", "content": "Grade."}], purpose=every("purpose"), item=every("i"))


def _call(messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "call_id": every("call"),
        "timestamp": every("time"),
        "model": every("model"),
        "messages": messages,
        "response": f"\0{every('response')}",
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        **more,
    }
