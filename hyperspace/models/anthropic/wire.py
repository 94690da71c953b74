"""Anthropic's messages on the wire: our conversation out. `reply` has the way back."""

import re
from collections.abc import Iterable
from typing import Any, Final

from hyperspace.messages import ChatRequest, Message, ReasoningBlock
from hyperspace.models.names import ModelOptions, lesser
from hyperspace.models.normalize import object_or_text

INVALID: Final = "invalid_json"  # where the model is shown arguments that are no object
_EMPTY: Final = "(empty)"  # the protocol has no empty texts
_Block = dict[str, Any]


def request_fields(model: str, request: ChatRequest, options: ModelOptions) -> dict[str, Any]:
    """The body of a request; what is not given is not sent.

    Thinking is left out where the conversation goes on with calls of tools that came without it:
    the protocol wants the thoughts back that led to them.
    """
    thinking = _thinking(options) if _thoughts_are_whole(request.messages) else None
    is_off = thinking is None or thinking["type"] == "disabled"
    temperature = request.temperature if options.temperature is None else options.temperature
    system = "\n\n".join(m.content for m in request.messages if m.role == "system" and m.content)
    most = lesser(options.max_tokens, request.max_tokens) or options.reply_tokens
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
        for tool in request.tools
    ]
    fields: dict[str, Any] = {
        "model": model,
        "max_tokens": most,
        "system": system or None,
        "messages": _messages(request.messages),
        "tools": tools or None,
        "thinking": thinking,
        "temperature": temperature if is_off else None,
        "top_p": options.top_p,
        "output_config": {"effort": options.reasoning_effort} if options.reasoning_effort else None,
        # A loop of tool calls sends its beginning again each time; a single question does not.
        "cache_control": {"type": "ephemeral"} if request.tools else None,
        "stream": options.stream != "off",
    }
    return {key: value for key, value in fields.items() if value is not None}


def _thinking(options: ModelOptions) -> _Block | None:
    match options.thinking:
        case None:
            return None
        case "adaptive":
            return {"type": "adaptive"}
        case "off":
            return {"type": "disabled"}
        case budget:
            return {"type": "enabled", "budget_tokens": int(budget)}


def _thoughts_are_whole(messages: tuple[Message, ...]) -> bool:
    """True if the tool calls since the last user message came with their thinking blocks."""
    question = max((i for i, m in enumerate(messages) if m.role == "user"), default=0)
    return all(_blocks_of_thought(m) for m in messages[question:] if m.tool_calls)


def _messages(messages: Iterable[Message]) -> list[_Block]:
    """Turns: what follows in one role is one message, as the protocol has it."""
    turns: list[_Block] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        turns[-1]["content"] += _blocks(message)
    return turns


def _blocks(message: Message) -> list[_Block]:
    match message.role:
        case "tool":
            answered, content = _safe_id(message.tool_call_id), message.content or _EMPTY
            return [{"type": "tool_result", "tool_use_id": answered, "content": content}]
        case "assistant":
            text = message.content.rstrip()  # as the last word it may not end with white space
            said = [_text(text)] if text else []
            calls = [
                {
                    "type": "tool_use",
                    "id": _safe_id(call.id),
                    "name": call.name,
                    "input": object_or_text(call.arguments, INVALID),
                }
                for call in message.tool_calls
            ]
            return [*_blocks_of_thought(message), *said, *calls] or [_text(_EMPTY)]
        case _:
            return [_text(message.content if message.content.strip() else _EMPTY)]


def _blocks_of_thought(message: Message) -> list[_Block]:
    return [block for thought in message.thoughts if (block := _reasoning(thought))]


def _reasoning(block: ReasoningBlock) -> _Block | None:
    match block.kind:
        case "thinking":
            return {"type": "thinking", "thinking": block.text, "signature": block.signature}
        case "redacted":
            return {"type": "redacted_thinking", "data": block.signature}
        case _:
            return None


def _text(text: str) -> _Block:
    return {"type": "text", "text": text}


def _safe_id(call_id: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id) or "_"
