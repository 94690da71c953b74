"""Chat completions: a request's body becomes our neutral form."""

from typing import Any, Literal

import msgspec

from hyperspace.messages import ChatRequest, Message, Role, ToolCall, ToolSpec
from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.exchange import ParsedRequest
from hyperspace.serve.wires.base import ModelName, check_conversation, check_limit, decoded


class _Function(msgspec.Struct):
    name: str
    arguments: str = "{}"


class _Call(msgspec.Struct):
    id: str
    function: _Function


class _Part(msgspec.Struct):
    type: Literal["text"]
    text: str


class _Message(msgspec.Struct):
    role: Role | Literal["developer"]
    content: str | list[_Part] | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None


class _ToolFunction(msgspec.Struct):
    name: str
    description: str = ""
    parameters: dict[str, Any] = {}


class _Tool(msgspec.Struct):
    type: Literal["function"]
    function: _ToolFunction


class _StreamOptions(msgspec.Struct):
    include_usage: bool | None = None


class _Body(msgspec.Struct):
    """The fields that decide an answer; others are passed over."""

    model: ModelName
    messages: list[_Message]
    tools: list[_Tool] | None = None
    temperature: float | None = None
    seed: int | None = None
    n: int | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    parallel_tool_calls: bool | None = None
    reasoning_effort: str | None = None
    stream: bool | None = None
    stream_options: _StreamOptions | None = None


def read(body: bytes) -> ParsedRequest:
    """Read a request.

    Raises:
        RequestRefused: It is malformed, or asks for several choices.
    """
    request = decoded(body, _Body)
    if request.n not in (None, 1):
        raise RequestRefused(400, f"n is {request.n}; this server gives one choice")
    limit = request.max_completion_tokens
    chat = ChatRequest(
        model=request.model,
        messages=tuple(map(_message, request.messages)),
        tools=tuple(
            ToolSpec(tool.function.name, tool.function.description, tool.function.parameters)
            for tool in request.tools or ()
        ),
        temperature=request.temperature,
        seed=request.seed,
        max_tokens=request.max_tokens if limit is None else limit,
    )
    check_limit(chat.max_tokens)
    check_conversation(chat.messages)
    return ParsedRequest(
        chat,
        stream=request.stream or False,
        stream_usage=bool(request.stream_options and request.stream_options.include_usage),
        thinking="always" if request.reasoning_effort not in (None, "none") else "own",
        one_call=request.parallel_tool_calls is False,
    )


def _message(message: _Message) -> Message:
    text = message.content or ""
    if not isinstance(text, str):
        text = "".join(part.text for part in text)
    return Message(
        role="system" if message.role == "developer" else message.role,
        content=text,
        tool_calls=tuple(
            ToolCall(call.id, call.function.name, call.function.arguments)
            for call in message.tool_calls or ()
        ),
        tool_call_id=message.tool_call_id or "",
    )
