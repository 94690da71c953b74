"""OpenAI's responses: a request's body becomes our neutral form."""

from collections.abc import Sequence
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

_READ = "message, function_call, function_call_output and reasoning"
_STATELESS = "this server stores nothing; send the whole conversation as input"


class _Part(msgspec.Struct):
    type: Literal["input_text", "output_text", "refusal"]
    text: str = ""
    refusal: str = ""


class _Summary(msgspec.Struct):
    type: Literal["summary_text"]
    text: str


class _Item(msgspec.Struct):
    """An item of the input; its type says which fields count."""

    type: str = "message"
    role: Literal["user", "assistant", "system", "developer"] = "user"
    content: str | list[_Part] | None = None
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    output: str | list[_Part] | None = None
    summary: list[_Summary] = []
    encrypted_content: str | None = None


class _Tool(msgspec.Struct):
    type: Literal["function"]
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None


class _Reasoning(msgspec.Struct):
    effort: str | None = None


class _Body(msgspec.Struct):
    """The fields that decide an answer or ask for what is not here; others are passed over."""

    model: ModelName
    input: str | list[_Item]
    instructions: str | None = None
    tools: list[_Tool] | None = None
    temperature: float | None = None
    max_output_tokens: int | None = None
    parallel_tool_calls: bool | None = None
    reasoning: _Reasoning | None = None
    stream: bool | None = None
    background: bool | None = None
    previous_response_id: str | None = None
    conversation: Any = None
    prompt: Any = None


def read(body: bytes) -> ParsedRequest:
    """Read a request.

    Raises:
        RequestRefused: It is malformed, breaks a rule of this provider, or needs something stored.
    """
    request = decoded(body, _Body)
    _check_stateless(request)
    messages = [] if request.instructions is None else [Message("system", request.instructions)]
    if isinstance(request.input, str):
        messages.append(Message("user", request.input))
    else:
        messages += _messages(request.input)
    chat = ChatRequest(
        model=request.model,
        messages=tuple(messages),
        tools=tuple(
            ToolSpec(tool.name, tool.description or "", tool.parameters or {})
            for tool in request.tools or ()
        ),
        temperature=request.temperature,
        max_tokens=request.max_output_tokens,
    )
    check_limit(chat.max_tokens, "max_output_tokens")
    check_conversation(chat.messages)
    effort = request.reasoning.effort if request.reasoning else None
    return ParsedRequest(
        chat,
        stream=request.stream or False,
        stream_usage=True,
        thinking="always" if effort not in (None, "none") else "own",
        one_call=request.parallel_tool_calls is False,
    )


def _check_stateless(request: _Body) -> None:
    """Refuse what needs something that was stored before, or is stored now.

    Raises:
        RequestRefused: It does.
    """
    if request.previous_response_id is not None:
        raise RequestRefused(
            400,
            f"Previous response with id {request.previous_response_id!r} not found: {_STATELESS}",
            "previous_response_not_found",
        )
    for name in ("conversation", "prompt", "background"):
        if getattr(request, name):
            raise RequestRefused(400, f"{name} is not answered: {_STATELESS}")


def _messages(items: Sequence[_Item]) -> list[Message]:
    """The conversation: what an assistant says, and the calls that follow, are one message.

    Raises:
        RequestRefused: There is none, or an item is of no type that is read here.
    """
    if not items:
        raise RequestRefused(400, "input is empty; a conversation has at least one item")
    messages: list[Message] = []
    for position, item in enumerate(items):
        match item.type:
            case "message":
                role = "system" if item.role == "developer" else item.role
                messages.append(Message(role, _text(item.content)))
            case "function_call":
                _append_call(messages, _call(item, position))
            case "function_call_output":
                said = _text(item.output)
                messages.append(Message("tool", said, tool_call_id=item.call_id or ""))
            case "reasoning":
                _check_reasoning(item, position)
            case _:
                raise RequestRefused(
                    400, f"input[{position}] is of type {item.type!r}; this server reads {_READ}"
                )
    return messages


def _append_call(messages: list[Message], call: ToolCall) -> None:
    last = messages[-1] if messages else Message("user")
    if last.role == "assistant":
        messages[-1] = msgspec.structs.replace(last, tool_calls=(*last.tool_calls, call))
    else:
        messages.append(Message("assistant", tool_calls=(call,)))


def _call(item: _Item, position: int) -> ToolCall:
    if not item.call_id or not item.name or item.arguments is None:
        raise RequestRefused(400, f"input[{position}] needs call_id, name and arguments")
    return ToolCall(item.call_id, item.name, item.arguments)


def _check_reasoning(item: _Item, position: int) -> None:
    """Refuse reasoning that is not as it was sent: nothing else says what it was.

    Raises:
        RequestRefused: It is not sealed, or the seal is of other reasoning.
    """
    if not item.encrypted_content:
        raise RequestRefused(
            404,
            f"Item with id {item.id!r} not found: {_STATELESS}, reasoning with encrypted_content",
        )
    if item.encrypted_content != signature("".join(part.text for part in item.summary)):
        raise RequestRefused(
            400,
            f"The encrypted content of input[{position}] could not be verified",
            "invalid_encrypted_content",
        )


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text or part.refusal for part in content)
    return content or ""
