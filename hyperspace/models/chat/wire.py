"""Chat completions on the wire: our messages out. `reply` has the way back."""

from contextlib import suppress
from typing import Any, Final

import msgspec

from guards.parsing import decode_json
from hyperspace.messages import ChatRequest, Message, ReasoningBlock, ToolCall
from hyperspace.models.names import ModelOptions, lesser

_DEEPEST_SEALED: Final = 100  # brackets; what providers seal has a few


class ChatDialect(msgspec.Struct, frozen=True):
    """How an endpoint's chat completions differ from others'.

    Attributes:
        limit_field: What it calls the bound on completion tokens.
        returns_reasoning: Whether it wants reasoning text back with calls of tools.
    """

    limit_field: str = "max_tokens"
    returns_reasoning: bool = False


def request_fields(
    model: str, request: ChatRequest, options: ModelOptions, dialect: ChatDialect
) -> dict[str, Any]:
    """The body of a request; what is not given is not sent."""
    most = lesser(options.max_tokens, request.max_tokens)
    stream = options.stream != "off"
    fields: dict[str, Any] = {
        "model": model,
        "messages": [_message(message, dialect) for message in request.messages],
        "tools": [
            {"type": "function", "function": msgspec.to_builtins(tool)} for tool in request.tools
        ]
        or None,
        "temperature": request.temperature if options.temperature is None else options.temperature,
        "top_p": options.top_p,
        "seed": request.seed,
        dialect.limit_field: most,
        "reasoning_effort": options.reasoning_effort,
        "stream": stream,
        "stream_options": {"include_usage": True} if stream else None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _message(message: Message, dialect: ChatDialect) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        signatures = {thought.call_id: thought for thought in message.thoughts}
        fields["tool_calls"] = [_call(call, signatures.get(call.id)) for call in message.tool_calls]
        text = "".join(block.text for block in message.thoughts if block.kind == "reasoning")
        fields |= {"reasoning_content": text} if text and dialect.returns_reasoning else {}
    if message.role == "tool":
        fields["tool_call_id"] = message.tool_call_id
    return fields


def _call(call: ToolCall, block: ReasoningBlock | None) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    fields: dict[str, Any] = {"id": call.id, "type": "function", "function": function}
    if block is not None and block.kind == "call":
        fields["extra_content"] = None
        # Code in a sandbox may have changed it: the provider will say what it makes of that. What
        # is nested beyond sense would end whoever encodes it.
        with suppress(msgspec.DecodeError):
            if block.signature.count("[") + block.signature.count("{") <= _DEEPEST_SEALED:
                fields["extra_content"] = decode_json(block.signature, object)
    return fields
