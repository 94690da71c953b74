"""Chat completions as a server sees them: requests in, completions out."""

from typing import Any, Literal

import msgspec

from agents.canonical import request_sha256
from agents.messages import ChatReply, ChatRequest, Message, Role, ToolCall, ToolSpec

_FINISH = {"refusal": "content_filter"}


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


class CompletionRequest(msgspec.Struct):
    """The body of a request, as far as policies use it; other fields are passed over.

    Attributes:
        model: Which brain is asked.
        messages: The conversation.
        tools: Tools on offer.
        temperature: Sampling temperature.
        seed: Sampling seed.
        max_tokens: Upper bound on completion tokens.
        max_completion_tokens: The same under its newer name.
        stream: Whether the answer is wanted piece by piece.
    """

    model: str
    messages: list[_Message]
    tools: list[_Tool] | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stream: bool | None = None


def decode_request(body: bytes) -> CompletionRequest:
    """Read a request's body.

    Raises:
        msgspec.DecodeError: It is no JSON, or not of this shape.
    """
    return msgspec.json.decode(body, type=CompletionRequest)


def to_chat_request(request: CompletionRequest) -> ChatRequest:
    """The request in our neutral form."""
    return ChatRequest(
        model=request.model,
        messages=tuple(map(_message, request.messages)),
        tools=tuple(map(_tool, request.tools or ())),
        temperature=request.temperature,
        seed=request.seed,
        max_tokens=request.max_completion_tokens or request.max_tokens,
    )


def completion(request: ChatRequest, reply: ChatReply) -> dict[str, Any]:
    """The answer's body; ids follow from the request, so equal requests get equal answers."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.tool_calls:
        message["tool_calls"] = list(map(_call, reply.tool_calls))
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": _FINISH.get(reply.finish, reply.finish),
    }
    return {
        "id": f"chatcmpl-{request_sha256(request)[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": request.model,
        "choices": [choice],
        "usage": _usage(reply),
    }


def error_body(message: str, kind: str, code: str | None = None) -> dict[str, Any]:
    """The body of a refusal."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def model_list(names: list[str]) -> dict[str, Any]:
    """The body that lists models."""
    models = [
        {"id": name, "object": "model", "created": 0, "owned_by": "hyperspace"} for name in names
    ]
    return {"object": "list", "data": models}


def _message(message: _Message) -> Message:
    return Message(
        role="system" if message.role == "developer" else message.role,
        content=_text(message.content),
        tool_calls=tuple(
            ToolCall(call.id, call.function.name, call.function.arguments)
            for call in message.tool_calls or ()
        ),
        tool_call_id=message.tool_call_id or "",
    )


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text for part in content)
    return content or ""


def _tool(tool: _Tool) -> ToolSpec:
    return ToolSpec(tool.function.name, tool.function.description, tool.function.parameters)


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _usage(reply: ChatReply) -> dict[str, int]:
    sent, received = reply.usage.prompt_tokens, reply.usage.completion_tokens
    return {
        "prompt_tokens": sent,
        "completion_tokens": received,
        "total_tokens": sent + received,
    }
