"""Anthropic messages: a request's body becomes our neutral form."""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from hyperspace.messages import ChatRequest, Message, ToolCall, ToolSpec
from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.exchange import ParsedRequest
from hyperspace.serve.wires.base import (
    ModelName,
    check_conversation,
    check_limit,
    decoded,
    signature,
)

_LEAST_BUDGET_TOKENS = 1024


class _Block(msgspec.Struct, tag_field="type", kw_only=True):
    cache_control: dict[str, Any] | None = None


class _Text(_Block, tag="text"):
    text: str


class _Thinking(_Block, tag="thinking"):
    thinking: str
    signature: str


class _Redacted(_Block, tag="redacted_thinking"):
    data: str


class _ToolUse(_Block, tag="tool_use"):
    id: str
    name: str
    input: dict[str, Any]


class _ToolResult(_Block, tag="tool_result"):
    tool_use_id: str
    content: str | list[_Text] | None = None
    is_error: bool | None = None


class _Message(msgspec.Struct):
    role: Literal["user", "assistant"]
    content: str | list[_Text | _Thinking | _Redacted | _ToolUse | _ToolResult]


class _Tool(msgspec.Struct):
    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}
    cache_control: dict[str, Any] | None = None


class _ToolChoice(msgspec.Struct):
    type: str = "auto"
    disable_parallel_tool_use: bool | None = None


class _ThinkingConfig(msgspec.Struct):
    type: Literal["enabled", "disabled", "adaptive"]
    budget_tokens: int | None = None


class _Body(msgspec.Struct):
    """The fields that decide an answer; others are passed over."""

    model: ModelName
    messages: list[_Message]
    max_tokens: int | None = None
    system: str | list[_Text] | None = None
    tools: list[_Tool] | None = None
    tool_choice: _ToolChoice | None = None
    temperature: float | None = None
    thinking: _ThinkingConfig | None = None
    cache_control: dict[str, Any] | None = None
    stream: bool | None = None


def read(body: bytes) -> ParsedRequest:
    """Read a request for a message.

    Raises:
        RequestRefused: It is malformed, or breaks a rule of this provider.
    """
    request = decoded(body, _Body)
    if request.max_tokens is None:
        raise RequestRefused(400, "max_tokens: field required")
    check_limit(request.max_tokens)
    _check_thinking(request, request.max_tokens)
    return _asked(request)


def read_for_count(body: bytes) -> ParsedRequest:
    """Read a request for a count of tokens, which needs no limit.

    Raises:
        RequestRefused: It is malformed.
    """
    return _asked(decoded(body, _Body))


def _asked(request: _Body) -> ParsedRequest:
    system = (Message("system", _text(request.system)),) if request.system else ()
    messages = (*system, *_messages(request))
    check_conversation(messages)
    choice = request.tool_choice
    thinks = request.thinking is not None and request.thinking.type != "disabled"
    return ParsedRequest(
        ChatRequest(
            model=request.model,
            messages=messages,
            tools=tuple(
                ToolSpec(tool.name, tool.description, tool.input_schema)
                for tool in request.tools or ()
            ),
            temperature=request.temperature,
            max_tokens=request.max_tokens,
        ),
        stream=request.stream or False,
        stream_usage=True,
        thinking="always" if thinks else "hidden",
        caching="written" if _caches(request) else "none",
        one_call=bool(choice and choice.disable_parallel_tool_use),
    )


def _check_thinking(request: _Body, max_tokens: int) -> None:
    budget = request.thinking.budget_tokens if request.thinking else None
    if budget is not None and not _LEAST_BUDGET_TOKENS <= budget < max_tokens:
        raise RequestRefused(
            400,
            f"thinking.budget_tokens is {budget}; it must be at least {_LEAST_BUDGET_TOKENS} "
            f"and below max_tokens ({max_tokens})",
        )


def _caches(request: _Body) -> bool:
    marks: list[object] = [request.cache_control, *(t.cache_control for t in request.tools or ())]
    contents = [request.system, *(message.content for message in request.messages)]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return any([*marks, *(block.cache_control for block in blocks)])


def _messages(request: _Body) -> Iterator[Message]:
    for position, message in enumerate(request.messages):
        if not message.content:
            raise RequestRefused(
                400, f"messages.{position}: all messages must have non-empty content"
            )
        if message.role == "assistant":
            yield _said(message, position)
        else:
            yield from _heard(message, position)


def _said(message: _Message, position: int) -> Message:
    if isinstance(message.content, str):
        return Message("assistant", message.content)
    for block in message.content:
        _check_block(block, position)
        if isinstance(block, _ToolResult):
            raise RequestRefused(
                400, f"messages.{position}: an assistant has no tool_result blocks"
            )
    calls = [block for block in message.content if isinstance(block, _ToolUse)]
    return Message(
        "assistant",
        _texts(message.content),
        tuple(
            ToolCall(block.id, block.name, msgspec.json.encode(block.input).decode())
            for block in calls
        ),
    )


def _heard(message: _Message, position: int) -> Iterator[Message]:
    """A user turn: answers to tools come first, then what the user says."""
    if isinstance(message.content, str):
        yield Message("user", message.content)
        return
    for block in message.content:
        _check_block(block, position)
        if isinstance(block, _ToolResult):
            yield Message("tool", _text(block.content or ""), tool_call_id=block.tool_use_id)
        elif not isinstance(block, _Text):
            raise RequestRefused(
                400, f"messages.{position}: a user has text and tool_result blocks only"
            )
    if text := _texts(message.content):
        yield Message("user", text)


def _check_block(block: _Block, position: int) -> None:
    if isinstance(block, _Text) and not block.text:
        raise RequestRefused(400, f"messages.{position}: text content blocks must be non-empty")
    if isinstance(block, _Thinking) and block.signature != signature(block.thinking):
        raise RequestRefused(400, f"messages.{position}: invalid `signature` in `thinking` block")


def _texts(blocks: list[Any]) -> str:
    return "".join(block.text for block in blocks if isinstance(block, _Text))


def _text(content: str | list[_Text]) -> str:
    return content if isinstance(content, str) else _texts(content)
