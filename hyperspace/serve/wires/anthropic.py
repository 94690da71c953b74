"""Anthropic messages on the wire: messages, event streams and errors as its SDK expects them."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from hyperspace.messages import Usage
from hyperspace.models.normalize import object_or_text
from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.exchange import Answer
from hyperspace.serve.wires import anthropic_request
from hyperspace.serve.wires.base import frame, pieces, signature

_STOPS: Final = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "refusal": "refusal",
}
_TYPES: Final = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class Messages:
    """Anthropic's wire."""

    name = "anthropic"
    read = staticmethod(anthropic_request.read)

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Encode an answer as one body."""
        content = [] if answer.empty else list(_blocks(answer))
        stop = _STOPS[answer.finish] if answer.finish and not answer.empty else None
        return _message(answer, content, stop, _usage(answer.usage))

    def frames(self, answer: Answer) -> list[bytes]:
        """Encode an answer as a stream of events."""
        return [frame(data, data["type"]) for data in _events(answer)]

    def refusal(self, refused: RequestRefused, request_id: str) -> dict[str, Any]:
        """Encode an error."""
        usual = "invalid_request_error" if refused.status < 500 else "api_error"
        error = {"type": _TYPES.get(refused.status, usual), "message": refused.message}
        return {"type": "error", "error": error, "request_id": request_id}

    def refusal_frame(self, refused: RequestRefused, request_id: str) -> bytes:
        """Encode an error in the middle of a stream."""
        return frame(self.refusal(refused, request_id), "error")

    def model_list(self, names: Sequence[str]) -> dict[str, Any]:
        """List models, all on one page."""
        ends = {"first_id": names[0], "last_id": names[-1]} if names else {}
        return {"data": list(map(self.model, names)), "has_more": False, **ends}

    def model(self, name: str) -> dict[str, Any]:
        """Describe one model."""
        created = "1970-01-01T00:00:00Z"
        return {"type": "model", "id": name, "display_name": name, "created_at": created}


def _message(
    answer: Answer, content: list[dict[str, Any]], stop: str | None, usage: dict[str, Any]
) -> dict[str, Any]:
    return {
        "id": None if answer.null_ids else f"msg_{answer.digest[:24]}",
        "type": "message",
        "role": "assistant",
        "model": answer.request.chat.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }


def _usage(tokens: Usage) -> dict[str, Any]:
    """Tokens in this wire's fields: input tokens exclude what touched the cache."""
    written = {
        "ephemeral_5m_input_tokens": tokens.cache_write_tokens,
        "ephemeral_1h_input_tokens": 0,
    }
    return {
        "input_tokens": tokens.prompt_tokens - tokens.cached_tokens - tokens.cache_write_tokens,
        "cache_read_input_tokens": tokens.cached_tokens,
        "cache_creation_input_tokens": tokens.cache_write_tokens,
        "cache_creation": written,
        "output_tokens": tokens.completion_tokens,
        "output_tokens_details": {"thinking_tokens": tokens.reasoning_tokens},
    }


def _blocks(answer: Answer) -> Iterable[dict[str, Any]]:
    reply = answer.reply
    if reply.thinking:
        signed = signature(reply.thinking)
        yield {"type": "thinking", "thinking": reply.thinking, "signature": signed}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for call in reply.tool_calls:
        yield {
            "type": "tool_use",
            "id": None if answer.null_ids else call.id,
            "name": call.name,
            # Text that is no object travels in one field, as the provider advises.
            "input": object_or_text(call.arguments, "INVALID_JSON"),
        }


def _events(answer: Answer) -> Iterable[dict[str, Any]]:
    usage = msgspec.structs.replace(answer.usage, reasoning_tokens=0)
    start = {**_usage(usage), "output_tokens": 1}
    yield {"type": "message_start", "message": _message(answer, [], None, start)}
    yield {"type": "ping"}
    for index, block in enumerate([] if answer.empty else _blocks(answer)):
        yield from _block_events(index, block)
    if answer.finish is None:
        return
    if not answer.empty:
        delta = {"stop_reason": _STOPS[answer.finish], "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": _usage(answer.usage)}
    yield {"type": "message_stop"}


def _block_events(index: int, block: dict[str, Any]) -> Iterable[dict[str, Any]]:
    opened, deltas = _taken_apart(block)
    yield {"type": "content_block_start", "index": index, "content_block": opened}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _taken_apart(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The block as it opens, and the deltas that fill it."""
    match block["type"]:
        case "thinking":
            deltas = _fill("thinking_delta", "thinking", block["thinking"])
            signed = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [*deltas, signed]
        case "text":
            return {**block, "text": ""}, _fill("text_delta", "text", block["text"])
        case _:
            text = msgspec.json.encode(block["input"]).decode()
            return {**block, "input": {}}, _fill("input_json_delta", "partial_json", text)


def _fill(kind: str, field: str, text: str) -> list[dict[str, Any]]:
    return [{"type": kind, field: piece} for piece in pieces(text)]
