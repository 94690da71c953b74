"""Answers in the forms of the providers, for servers of tests."""

from typing import Any

import msgspec

from hyperspace.messages import ChatRequest, Message, ToolCall, ToolSpec
from tests.support.servers.faulty_server import Prepared

BASH = ToolSpec("bash", "runs", {"type": "object", "properties": {"command": {"type": "string"}}})
HELLO = ChatRequest("m", (Message("user", "hi"),))
LOOP = ChatRequest(
    "m",
    (
        Message("system", "be brief"),
        Message("user", "hi"),
        Message("assistant", "so", (ToolCall("c1", "bash", '{"command":"ls"}'),)),
        Message("tool", "out", tool_call_id="c1"),
    ),
    (BASH,),
    temperature=0.0,
    max_tokens=99,
)


def json_answer(content: Any, status: int = 200, *headers: tuple[str, str]) -> Prepared:
    kind = ("Content-Type", "application/json")
    return Prepared(status, msgspec.json.encode(content), (kind, *headers))


def completion(text: str | None = "hello", finish: str | None = "stop", **message: Any) -> Any:
    """A chat completion."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, **message},
        "finish_reason": finish,
    }
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m-2026",
        "choices": [choice],
        "usage": {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13},
    }


def chunk(finish: str | None = None, **delta: Any) -> Any:
    """A piece of a chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m-2026",
        "choices": [choice],
    }


def last_chunk() -> Any:
    """The chunk that counts tokens."""
    usage = {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13}
    return {**chunk(), "choices": [], "usage": usage}


def anthropic_message(*content: Any, stop: str | None = "end_turn", **more: Any) -> Any:
    """A message of Anthropic's protocol."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-2026",
        "content": list(content) or [{"type": "text", "text": "hello"}],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 2},
        **more,
    }


def anthropic_events(*blocks: Any, stop: str | None = "end_turn") -> list[Any]:
    """The events of a streamed message; a block is its start and its deltas."""
    start: dict[str, Any] = {**anthropic_message(), "content": [], "stop_reason": None}
    events: list[Any] = [{"type": "message_start", "message": start}]
    for index, (begin, *deltas) in enumerate(blocks):
        begun = {"type": "content_block_start", "index": index, "content_block": begin}
        pieces = [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        ]
        events += [begun, *pieces, {"type": "content_block_stop", "index": index}]
    if stop is not None:
        ended = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}}
        events += [{**ended, "usage": {"output_tokens": 7}}, {"type": "message_stop"}]
    return events


def response(*items: Any, **more: Any) -> Any:
    """An object of OpenAI's responses."""
    said = {"type": "output_text", "text": "hello"}
    message: Any = {"type": "message", "id": "msg_0", "role": "assistant", "content": [said]}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": "m-2026",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "output": list(items) or [message],
        "usage": {"input_tokens": 11, "output_tokens": 2, "total_tokens": 13},
        **more,
    }


def response_events(*items: Any, **more: Any) -> list[Any]:
    """The events of a streamed response: its items begin, are filled and end; then it is over."""
    whole = response(*items, **more)
    begun: Any = {**whole, "output": [], "status": "in_progress", "usage": None}
    events: list[Any] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(whole["output"]):
        place = {"output_index": index, "item_id": item.get("id")}
        opened: Any = {**item, "content": [], "summary": [], "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": index, "item": opened})
        events += [{**event, **place} for event in _pieces(item)]
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    return [*events, {"type": f"response.{whole['status']}", "response": {**whole, "output": []}}]


def _pieces(item: Any) -> list[Any]:
    if item["type"] == "function_call":
        kind, texts = "function_call_arguments", [item["arguments"]]
    elif item["type"] == "reasoning":
        kind, texts = "reasoning_summary_text", [part["text"] for part in item["summary"]]
    else:
        parts = item.get("content") or [{"type": "output_text"}]
        kind = parts[0]["type"]
        texts = [part.get("text") or part.get("refusal") or "" for part in parts]
    return [
        {"type": f"response.{kind}.delta", "delta": piece}
        for text in texts
        for piece in (text[:2], text[2:])
    ]
