"""Chat completions on the wire: answers, streams and errors as the openai SDK expects them."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from hyperspace.messages import ToolCall, Usage
from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.exchange import Answer
from hyperspace.serve.wires import openai_request
from hyperspace.serve.wires.base import frame, pieces

_DONE: Final = b"data: [DONE]\n\n"
_TYPES: Final = {429: "rate_limit_error"}
_CODES: Final = {401: "invalid_api_key", 429: "rate_limit_exceeded"}


class OpenAIWire:
    """OpenAI's wire, and that of every OpenAI-compatible endpoint."""

    name = "openai"
    read = staticmethod(openai_request.read)

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Encode an answer as one body."""
        choice = {"index": 0, "message": _message(answer), "finish_reason": _finish(answer)}
        return {
            **_head(answer, "chat.completion"),
            "choices": [] if answer.empty else [choice],
            "usage": usage(answer.usage),
        }

    def frames(self, answer: Answer) -> list[bytes]:
        """Encode an answer as a stream of chunks."""
        head = _head(answer, "chat.completion.chunk")
        deltas = [] if answer.empty else list(_deltas(answer))
        chunks = [{**head, "choices": [_choice(delta, None)]} for delta in deltas]
        if answer.finish is None:
            return list(map(frame, chunks))
        return [*map(frame, [*chunks, *self._last_chunks(head, answer)]), _DONE]

    def refusal(self, refused: RequestRefused, request_id: str) -> dict[str, Any]:
        """Encode an error."""
        status = refused.status
        kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
        code = refused.code or _CODES.get(status)
        return {"error": {"message": refused.message, "type": kind, "param": None, "code": code}}

    def refusal_frame(self, refused: RequestRefused, request_id: str) -> bytes:
        """Encode an error in the middle of a stream."""
        return frame(self.refusal(refused, request_id))

    def model_list(self, names: Sequence[str]) -> dict[str, Any]:
        """List models."""
        return {"object": "list", "data": list(map(self.model, names))}

    def model(self, name: str) -> dict[str, Any]:
        """Describe one model."""
        return {"id": name, "object": "model", "created": 0, "owned_by": "hyperspace"}

    def _last_chunks(self, head: dict[str, Any], answer: Answer) -> Iterable[dict[str, Any]]:
        if not answer.empty:
            yield {**head, "choices": [_choice({}, _finish(answer))]}
        if answer.request.stream_usage:
            yield {**head, "choices": [], "usage": usage(answer.usage)}


def usage(tokens: Usage) -> dict[str, Any]:
    """Tokens in this wire's fields: prompt tokens include cached, completion tokens reasoning."""
    return {
        "prompt_tokens": tokens.prompt_tokens,
        "completion_tokens": tokens.completion_tokens,
        "total_tokens": tokens.prompt_tokens + tokens.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": tokens.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning_tokens},
    }


def _head(answer: Answer, kind: str) -> dict[str, Any]:
    return {
        "id": None if answer.null_ids else f"chatcmpl-{answer.digest[:24]}",
        "object": kind,
        "created": 0,
        "model": answer.request.chat.model,
    }


def _finish(answer: Answer) -> str | None:
    return "content_filter" if answer.finish == "refusal" else answer.finish


def _message(answer: Answer) -> dict[str, Any]:
    reply = answer.reply
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.tool_calls:
        message["tool_calls"] = [_call(call, answer, call.arguments) for call in reply.tool_calls]
    return message


def _call(call: ToolCall, answer: Answer, arguments: str) -> dict[str, Any]:
    function = {"name": call.name, "arguments": arguments}
    call_id = None if answer.null_ids else call.id
    return {"id": call_id, "type": "function", "function": function}


def _choice(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _deltas(answer: Answer) -> Iterable[dict[str, Any]]:
    reply = answer.reply
    yield {"role": "assistant", "content": None if reply.tool_calls else ""}
    yield from ({"reasoning_content": piece} for piece in pieces(reply.thinking))
    yield from ({"content": piece} for piece in pieces(reply.text))
    for index, call in enumerate(reply.tool_calls):
        yield _call_delta(index, _call(call, answer, ""))
        for piece in pieces(call.arguments):
            yield _call_delta(index, {"function": {"arguments": piece}})


def _call_delta(index: int, fields: dict[str, Any]) -> dict[str, Any]:
    return {"tool_calls": [{"index": index, **fields}]}
