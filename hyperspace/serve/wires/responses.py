"""OpenAI's responses on the wire: answers, events and errors as the openai SDK expects them."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from hyperspace.messages import Usage
from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.exchange import Answer
from hyperspace.serve.wires import responses_request
from hyperspace.serve.wires.base import frame, pieces, signature
from hyperspace.serve.wires.openai import OpenAIWire

_Fields = dict[str, Any]
_UNDER_WAY: Final = "in_progress"


class Responses(OpenAIWire):
    """OpenAI's wire of responses; errors and lists of models are those of chat completions."""

    name = "openai-responses"
    read = staticmethod(responses_request.read)

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Encode an answer as one body."""
        return _response(answer, [] if answer.empty else list(_items(answer)), _status(answer))

    def frames(self, answer: Answer) -> list[bytes]:
        """Encode an answer as a stream of events."""
        numbered = enumerate(_events(answer))
        return [frame({**event, "sequence_number": n}, event["type"]) for n, event in numbered]

    def refusal_frame(self, refused: RequestRefused, request_id: str) -> bytes:
        """Encode an error in the middle of a stream."""
        error = self.refusal(refused, request_id)["error"]
        said = {"code": error["code"] or error["type"], "message": error["message"], "param": None}
        return frame({"type": "error", **said, "sequence_number": 0}, "error")


def _status(answer: Answer) -> str:
    if answer.finish is None or answer.empty:
        return _UNDER_WAY
    return "incomplete" if answer.finish == "length" else "completed"


def _response(answer: Answer, output: list[_Fields], status: str) -> _Fields:
    chat = answer.request.chat
    is_over = status != _UNDER_WAY
    cut = {"reason": "max_output_tokens"} if status == "incomplete" else None
    tools = [
        {"type": "function", **msgspec.to_builtins(tool), "strict": False} for tool in chat.tools
    ]
    return {
        "id": None if answer.null_ids else f"resp_{answer.digest[:24]}",
        "object": "response",
        "created_at": 0,
        "status": status,
        "error": None,
        "incomplete_details": cut,
        "instructions": None,
        "max_output_tokens": chat.max_tokens,
        "metadata": {},
        "model": chat.model,
        "output": output,
        "parallel_tool_calls": not answer.request.one_call,
        "previous_response_id": None,
        "store": False,
        "temperature": chat.temperature,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": tools,
        "top_p": None,
        "truncation": "disabled",
        "usage": _usage(answer.usage) if is_over else None,
    }


def _usage(tokens: Usage) -> _Fields:
    """Tokens in this wire's fields: input tokens include cached, output tokens reasoning."""
    written = tokens.cache_write_tokens
    return {
        "input_tokens": tokens.prompt_tokens,
        "input_tokens_details": {
            "cached_tokens": tokens.cached_tokens,
            "cache_write_tokens": written,
        },
        "output_tokens": tokens.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning_tokens},
        "total_tokens": tokens.prompt_tokens + tokens.completion_tokens,
    }


def _items(answer: Answer) -> Iterator[_Fields]:
    reply = answer.reply
    if reply.thinking:
        yield {
            "id": _item_id("rs", answer, 0),
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": reply.thinking}],
            "encrypted_content": signature(reply.thinking),
        }
    if reply.text or not reply.tool_calls:
        refused = {"type": "refusal", "refusal": reply.text}
        said: _Fields = {"type": "output_text", "text": reply.text}
        said |= {"annotations": [], "logprobs": []}
        yield {
            "id": _item_id("msg", answer, 0),
            "type": "message",
            "role": "assistant",
            "status": _status(answer),
            "content": [refused if answer.finish == "refusal" else said],
        }
    for place, call in enumerate(reply.tool_calls):
        yield {
            "id": _item_id("fc", answer, place),
            "type": "function_call",
            "status": "completed",
            "call_id": None if answer.null_ids else call.id,
            "name": call.name,
            "arguments": call.arguments,
        }


def _item_id(kind: str, answer: Answer, place: int) -> str | None:
    return None if answer.null_ids else f"{kind}_{answer.digest[:24]}_{place}"


def _events(answer: Answer) -> Iterator[_Fields]:
    """The events of a stream, without their numbers; one that is cut short has no last event."""
    begun = _response(answer, [], _UNDER_WAY)
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    output = [] if answer.empty else list(_items(answer))
    for index, item in enumerate(output):
        yield from _item_events(index, item)
    status = _status(answer)
    if status != _UNDER_WAY:
        yield {"type": f"response.{status}", "response": _response(answer, output, status)}


def _item_events(index: int, item: _Fields) -> Iterator[_Fields]:
    place = {"output_index": index, "item_id": item["id"]}
    opened = {**item, "status": _UNDER_WAY}
    match item["type"]:
        case "reasoning":
            inside = _text_events("reasoning_summary_text", item["summary"][0], place)
            opened |= {"summary": [], "encrypted_content": None}
        case "message":
            part = item["content"][0]
            inside = _text_events(part["type"], part, place)
            opened |= {"content": []}
        case _:
            inside = _filled("function_call_arguments", "arguments", item["arguments"], place)
            opened |= {"arguments": ""}
    yield {"type": "response.output_item.added", "output_index": index, "item": opened}
    yield from inside
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _text_events(name: str, part: _Fields, place: _Fields) -> Iterable[_Fields]:
    """The events of one part of an item: it begins, is filled, and is over."""
    is_summary = name == "reasoning_summary_text"
    place = {**place, ("summary_index" if is_summary else "content_index"): 0}
    about = f"response.{'reasoning_summary_part' if is_summary else 'content_part'}"
    field = "refusal" if name == "refusal" else "text"
    yield {"type": f"{about}.added", **place, "part": {**part, field: ""}}
    yield from _filled(name, field, part[field], place)
    yield {"type": f"{about}.done", **place, "part": part}


def _filled(name: str, field: str, text: str, place: _Fields) -> Iterator[_Fields]:
    logprobs: _Fields = {"logprobs": []} if name == "output_text" else {}
    for piece in pieces(text):
        yield {"type": f"response.{name}.delta", **place, "delta": piece, **logprobs}
    yield {"type": f"response.{name}.done", **place, field: text, **logprobs}
