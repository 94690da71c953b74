"""Canonical requests: what decides an answer, without the ids that a provider happened to give."""

import hashlib

import msgspec

from agents.messages import ChatRequest, Message, ToolCall


def request_sha256(request: ChatRequest) -> str:
    """Hash a request in canonical form, as hex."""
    text = msgspec.json.encode(canonical_request(request), order="deterministic")
    return hashlib.sha256(text).hexdigest()


def canonical_request(request: ChatRequest) -> ChatRequest:
    """Rename tool call ids by order of appearance: `call_0`, `call_1`, ..."""
    names: dict[str, str] = {}
    messages = tuple(_renamed(message, names) for message in request.messages)
    return msgspec.structs.replace(request, messages=messages)


def _renamed(message: Message, names: dict[str, str]) -> Message:
    calls = tuple(_renamed_call(call, names) for call in message.tool_calls)
    answered = _name(message.tool_call_id, names) if message.tool_call_id else ""
    return msgspec.structs.replace(message, tool_calls=calls, tool_call_id=answered)


def _renamed_call(call: ToolCall, names: dict[str, str]) -> ToolCall:
    return msgspec.structs.replace(call, id=_name(call.id, names))


def _name(call_id: str, names: dict[str, str]) -> str:
    return names.setdefault(call_id, f"call_{len(names)}")
