"""The tool loop: ask the model, run the tools it calls, tell it what they said, ask again."""

from collections.abc import Callable, Sequence
from typing import Any

from .llm_client import LLMError, chat
from .text_calls import text_calls
from .tools import Tool, close_all, load_tools, run_tool, spec

Message = dict[str, Any]

_SHORTEST_CUT = 400  # characters; a result below it stays as it is
_CHARACTERS_A_TOKEN = 3
_MOST_OF_WINDOW = 4  # a result holds at most a fourth of what the model takes
_EXPECTED = (
    "To work, call a tool: by your own means, or as one JSON object on a line of its own with the "
    'fields "name" (one of: {tools}) and "arguments" (an object). If nothing is left to do, say so.'
)


def chat_with_agent(
    msg: str,
    model: str,
    temperature: float | None = 0.0,
    history: Sequence[Message] | None = None,
    tools: str | Sequence[str] = "all",
    max_tool_calls: int = 40,
    is_answer: Callable[[str], bool] | None = None,
) -> list[Message]:
    """Let the model work on a message with tools until it stops calling them.

    All calls of a reply are run, in order, until the budget is used up. A reply without native
    calls may hold calls in its text (`text_calls`). What is expected is told once where a first
    reply holds no call, and once where calls cannot be read. Where the conversation gets too long
    for the model, the longest results are cut.

    Args:
        msg: What the model is asked to do.
        model: The model's name.
        temperature: Sampling temperature; None leaves it to the provider.
        history: Earlier messages; not changed.
        tools: `all`, or the names of the tools on offer; an empty list offers none.
        max_tool_calls: How many tool calls are run at most.
        is_answer: Whether a text without calls is what was asked for, and ends the work; None: a
            first reply should call a tool.

    Returns:
        The history, the message, and all that followed.

    Raises:
        LLMError: The model could not be asked.
    """
    messages = [*(history or ()), {"role": "user", "content": msg}]
    toolbox = load_tools(tools)
    try:
        _converse(messages, model, temperature, toolbox, max_tool_calls, is_answer)
    finally:
        close_all(toolbox)
    return messages


def _converse(
    messages: list[Message],
    model: str,
    temperature: float | None,
    toolbox: dict[str, Tool],
    budget: int,
    is_answer: Callable[[str], bool] | None,
) -> None:
    specs = [spec(tool) for tool in toolbox.values()]
    begin, corrected = len(messages), set[bool]()
    while True:
        reply = _ask(messages, begin, model, specs, temperature)
        if reply is None:
            return
        native = list(reply["tool_calls"])
        searched = reply["text"] if toolbox and not native else ""
        found = text_calls(searched, toolbox, _shown(messages))
        is_first = len(messages) == begin
        messages.append(_assistant_message(reply))
        calls = native or found.calls
        if calls:
            window = reply.get("window", 0)
            results = [_result(call, toolbox, budget > i, window) for i, call in enumerate(calls)]
            messages += _answers(calls, results) if native else [_framed_answer(results)]
            budget -= len(calls)
            if budget <= 0:
                return
            continue
        if is_answer and is_answer(reply["text"]):
            return
        correction = _correction(found.problem, toolbox, is_first=is_first)
        if not correction or bool(found.problem) in corrected:
            return
        corrected.add(bool(found.problem))
        messages.append({"role": "user", "content": correction})


def _assistant_message(reply: Message) -> Message:
    message: Message = {"role": "assistant", "content": reply["text"]}
    if reply["tool_calls"]:
        message["tool_calls"] = reply["tool_calls"]
    if reply.get("thoughts"):
        message["thoughts"] = reply["thoughts"]
    return message


def _result(call: Message, toolbox: dict[str, Tool], in_budget: bool, window: int) -> str:
    if not in_budget:
        return "Error: not run, the budget of tool calls is used up."
    result = run_tool(toolbox, call["name"], call["arguments"])
    most = max(window * _CHARACTERS_A_TOKEN // _MOST_OF_WINDOW, _SHORTEST_CUT)
    if not window or len(result) <= most:
        return result
    return _cut(result, most, f"the model takes {window} tokens in all")


def _answers(calls: list[Message], results: list[str]) -> list[Message]:
    return [
        {"role": "tool", "content": result, "tool_call_id": call["id"]}
        for call, result in zip(calls, results, strict=True)
    ]


def _framed_answer(results: list[str]) -> Message:
    framed = [f"<tool_result>\n{result}\n</tool_result>" for result in results]
    return {"role": "user", "content": "\n".join(framed)}


def _correction(problem: str, toolbox: dict[str, Tool], *, is_first: bool) -> str:
    """What a model is told that called no tool; empty where its work is done."""
    if not toolbox:
        return ""
    expected = _EXPECTED.format(tools=", ".join(toolbox))
    if problem:
        return f"Your call was not run: {problem}. {expected}"
    return f"Your reply called no tool, so nothing was changed. {expected}" if is_first else ""


def _shown(messages: list[Message]) -> list[str]:
    """Texts that the model did not write."""
    return [message["content"] for message in messages if message["role"] != "assistant"]


def _ask(
    messages: list[Message],
    begin: int,
    model: str,
    specs: list[dict[str, Any]],
    temperature: float | None,
) -> dict[str, Any] | None:
    """Ask for the next reply, with results cut until the conversation fits.

    Returns:
        The reply; None where nothing is left to cut, and what was done stays.
    """
    while True:
        try:
            return chat(messages, model, specs, temperature)
        except LLMError as error:
            if error.kind != "context_overflow":
                raise
            if not _cut_longest(messages, begin):
                if len(messages) > begin:
                    return None
                raise


def _cut_longest(messages: list[Message], begin: int) -> bool:
    """Halve the longest results since the message; returns whether there was something to cut."""
    results = [
        (len(message["content"]), index)
        for index, message in enumerate(messages[begin:], begin)
        if message["role"] != "assistant" and len(message["content"]) > _SHORTEST_CUT
    ]
    longest = max(results, default=(0, 0))[0]
    for size, index in results:
        if size > longest // 2:
            cut = _cut(messages[index]["content"], size // 2, "the conversation was too long")
            messages[index] = {**messages[index], "content": cut}
    return bool(results)


def _cut(text: str, most: int, reason: str) -> str:
    """Keep the beginning and the end of a text."""
    half = most // 2
    cut = f"\n[... {len(text) - 2 * half} characters cut, {reason} ...]\n"
    return text[:half] + cut + text[-half:]
