"""The tool loop: ask the model, run the tools it calls, tell it what they said, ask again."""

import json
from collections.abc import Sequence
from typing import Any

from .llm_client import chat
from .tools import Tool, close_all, load_tools, run_tool, spec

Message = dict[str, Any]

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"


def chat_with_agent(
    msg: str,
    model: str,
    temperature: float | None = 0.0,
    history: Sequence[Message] | None = None,
    tools: str | Sequence[str] = "all",
    max_tool_calls: int = 40,
) -> list[Message]:
    """Let the model work on a message with tools until it stops calling them.

    All calls of a reply are run, in order, until the budget is used up. A reply without native
    calls may frame calls in its text: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`.

    Args:
        msg: What the model is asked to do.
        model: The model's name.
        temperature: Sampling temperature; None leaves it to the provider.
        history: Earlier messages; not changed.
        tools: `all`, or the names of the tools on offer; an empty list offers none.
        max_tool_calls: How many tool calls are run at most.

    Returns:
        The history, the message, and all that followed.

    Raises:
        LLMError: The model could not be asked.
    """
    messages = [*(history or ()), {"role": "user", "content": msg}]
    toolbox = load_tools(tools)
    try:
        _converse(messages, model, temperature, toolbox, max_tool_calls)
    finally:
        close_all(toolbox)
    return messages


def _converse(
    messages: list[Message],
    model: str,
    temperature: float | None,
    toolbox: dict[str, Tool],
    budget: int,
) -> None:
    specs = [spec(tool) for tool in toolbox.values()]
    while True:
        reply = chat(messages, model, specs, temperature)
        messages.append(_assistant_message(reply))
        native = list(reply["tool_calls"])
        calls = native or (framed_calls(reply["text"]) if toolbox else [])
        if not calls:
            return
        results = [_result(call, toolbox, budget > i) for i, call in enumerate(calls)]
        messages += _answers(calls, results) if native else [_framed_answer(results)]
        budget -= len(calls)
        if budget <= 0:
            return


def _assistant_message(reply: Message) -> Message:
    message: Message = {"role": "assistant", "content": reply["text"]}
    if reply["tool_calls"]:
        message["tool_calls"] = reply["tool_calls"]
    if reply.get("thoughts"):
        message["thoughts"] = reply["thoughts"]
    return message


def _result(call: Message, toolbox: dict[str, Tool], in_budget: bool) -> str:
    if not in_budget:
        return "Error: not run, the budget of tool calls is used up."
    return run_tool(toolbox, call["name"], call["arguments"])


def _answers(calls: list[Message], results: list[str]) -> list[Message]:
    return [
        {"role": "tool", "content": result, "tool_call_id": call["id"]}
        for call, result in zip(calls, results, strict=True)
    ]


def _framed_answer(results: list[str]) -> Message:
    framed = [f"<tool_result>\n{result}\n</tool_result>" for result in results]
    return {"role": "user", "content": "\n".join(framed)}


def framed_calls(text: str) -> list[Message]:
    """Find the calls that a reply frames in its text; what is no call is passed over."""
    calls: list[Message] = []
    start = text.find(_OPEN)
    while start >= 0:
        call, end = _decode_call(text, start + len(_OPEN))
        calls += [call] if call else []
        start = text.find(_OPEN, end)
    return calls


def _decode_call(text: str, start: int) -> tuple[Message | None, int]:
    """Decode a call at `start`. JSON says where it ends, so that its strings may hold tags."""
    body = text[start:].lstrip()
    try:
        value, length = json.JSONDecoder().raw_decode(body)
        call = {"name": str(value["name"]), "arguments": json.dumps(value["arguments"])}
    except (ValueError, TypeError, KeyError, RecursionError):
        return None, start
    if not body[length:].lstrip().startswith(_CLOSE):
        return None, start
    return call, len(text) - len(body) + length
