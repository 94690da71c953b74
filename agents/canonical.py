"""Canonical requests: what decides an answer, without the ids that a provider happened to give."""

import hashlib
from typing import Any

import msgspec

from agents.messages import ChatRequest, Message, ReasoningBlock


def request_sha256(request: ChatRequest) -> str:
    """Hash a request in canonical form, as hex."""
    return sha256_of(canonical_request(request))


def sha256_of(value: Any) -> str:
    """Hash a value as JSON with sorted keys, as hex."""
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()


def canonical_request(request: ChatRequest) -> ChatRequest:
    """Rename tool call ids by order of appearance: `call_0`, `call_1`, ..."""
    names: dict[str, str] = {}
    messages = tuple(_renamed(message, names) for message in request.messages)
    return msgspec.structs.replace(request, messages=messages)


def _renamed(message: Message, names: dict[str, str]) -> Message:
    calls = tuple(
        msgspec.structs.replace(call, id=_name(call.id, names)) for call in message.tool_calls
    )
    answered = _name(message.tool_call_id, names) if message.tool_call_id else ""
    thoughts = tuple(ReasoningBlock(thought.kind, thought.text) for thought in message.thoughts)
    return msgspec.structs.replace(
        message, tool_calls=calls, tool_call_id=answered, thoughts=thoughts
    )


def _name(call_id: str, names: dict[str, str]) -> str:
    return names.setdefault(call_id, f"call_{len(names)}")
