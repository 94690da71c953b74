"""Anthropic's messages on the wire: a checked reply back, whole or put together of its events."""

from typing import Any

import msgspec

from hyperspace.messages import ChatReply, ChatRequest, Finish, ReasoningBlock, ToolCall, Usage
from hyperspace.models.anthropic.wire import INVALID
from hyperspace.models.base import MalformedReply
from hyperspace.models.error_body import read_error, tells_of_error
from hyperspace.models.errors import ErrorInReply, ModelTarget
from hyperspace.models.normalize import (
    counts,
    estimated_usage,
    finish_of,
    made_up_ids,
    object_or_text,
    possible,
    shaped,
)


class _Block(msgspec.Struct):
    type: str
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | int | float | None = None
    name: str | None = None
    input: dict[str, Any] | str | None = None


class _Answer(msgspec.Struct):
    content: list[_Block] | str | None = None
    stop_reason: Any = None
    model: Any = None
    usage: Any = None
    error: Any = None


def reply_from(answer: dict[str, Any], request: ChatRequest, target: ModelTarget) -> ChatReply:
    """Check an answer and take our reply from it.

    Raises:
        ReplyTruncated: It does not say why it ended.
        MalformedReply: The answer has another shape than messages have.
        ModelError: The answer is an error in the shape of a success.
    """
    message = shaped(answer, _Answer, f"{target} answered with no message")
    if tells_of_error(message.error) or (message.content is None and read_error(answer).said):
        raise ErrorInReply(answer)
    if message.content is None:
        raise MalformedReply(f"{target} answered with no message: it has no content")
    finish = finish_of(message.stop_reason, "stop reason", target)
    blocks = message.content
    if isinstance(blocks, str):
        blocks = [_Block("text", blocks)]
    if finish == "stop" and any(block.type == "tool_use" for block in blocks):
        finish = "tool_calls"
    text = "".join(block.text or "" for block in blocks if block.type == "text")
    return ChatReply(
        text=text,
        tool_calls=_tool_calls(blocks, finish, request, target),
        finish=finish,
        thinking="\n".join(block.thinking for block in blocks if block.thinking),
        usage=_usage(message.usage, request, text),
        model=message.model if isinstance(message.model, str) else "",
        thoughts=tuple(
            ReasoningBlock("redacted", signature=block.data or "")
            if block.type == "redacted_thinking"
            else ReasoningBlock("thinking", block.thinking or "", block.signature or "")
            for block in blocks
            if "thinking" in block.type
        ),
    )


def _tool_calls(
    blocks: list[_Block], finish: Finish, request: ChatRequest, target: ModelTarget
) -> tuple[ToolCall, ...]:
    uses = [block for block in blocks if block.type == "tool_use"]
    if not all(block.name for block in uses):
        raise MalformedReply(f"{target} calls a tool without a name")
    ids = made_up_ids([block.id for block in uses], request)
    calls = [
        ToolCall(
            name,
            block.name or "",
            _arguments(block, is_cut=(finish == "length" and block is blocks[-1])),
        )
        for name, block in zip(ids, uses, strict=True)
    ]
    return tuple(calls)


def _arguments(block: _Block, *, is_cut: bool) -> str:
    """Arguments as JSON text; of a call that the limit cut off, text that is no whole JSON.

    The SDK mends half an object to a whole one, and nobody must run half of a call.
    """
    made = block.input or {}
    if isinstance(made, str):
        made = object_or_text(made, INVALID)
    text = msgspec.json.encode(made).decode()
    return text[:-1] if is_cut else text


def _usage(usage: object, request: ChatRequest, text: str) -> Usage:
    """Tokens as counted by the endpoint, whose input leaves out what the cache had or took."""
    counted = counts(usage)
    plain = possible(counted.get("input_tokens"))
    completion = possible(counted.get("output_tokens"))
    cached = possible(counted.get("cache_read_input_tokens")) or 0
    written = possible(counted.get("cache_creation_input_tokens")) or 0
    if plain is None or completion is None or not plain + cached + written:
        return estimated_usage(request, text)
    details = counts(counted.get("output_tokens_details"))
    return Usage(
        prompt_tokens=plain + cached + written,
        completion_tokens=completion,
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=possible(details.get("thinking_tokens")) or 0,
    )


class _Event(msgspec.Struct):
    type: str | None = None
    index: int | None = None
    message: dict[str, Any] | None = None
    content_block: dict[str, Any] | None = None
    delta: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None


class _AssembledBlock:
    """A block of content of which there are pieces."""

    def __init__(self, index: int, start: dict[str, Any]) -> None:
        self.index = index
        self.parts: list[str] = []  # of its text, thinking or input
        self._start = start
        self._signature: list[str] = []
        self._field = ""

    def take(self, delta: dict[str, Any]) -> None:
        kind = delta.get("type")
        match kind:
            case "input_json_delta":
                self._field = "input"
                self.parts.append(str(delta.get("partial_json") or ""))
            case "text_delta" | "thinking_delta":
                self._field = str(kind).removesuffix("_delta")
                self.parts.append(str(delta.get(self._field) or ""))
            case "signature_delta":
                self._signature.append(str(delta.get("signature") or ""))
            case _:
                pass

    def fields(self) -> dict[str, Any]:
        fields, said = dict(self._start), "".join(self.parts)
        if self._field == "input":
            fields["input"] = object_or_text(said or "{}", INVALID)
        elif self._field:
            fields[self._field] = f"{fields.get(self._field) or ''}{said}"
        if self._signature:
            fields["signature"] = f"{fields.get('signature') or ''}{''.join(self._signature)}"
        return fields


class MessageAssembly:
    """Takes events in order; `answer` is the message in the form of an unstreamed one."""

    def __init__(self, target: ModelTarget) -> None:
        self._target = target
        self._message: dict[str, Any] = {}
        self._blocks: list[_AssembledBlock] = []
        self._open: dict[int, _AssembledBlock] = {}  # the last block of each index

    def take(self, event: dict[str, Any]) -> None:
        """Take one event; those of types that we do not know are passed over.

        Raises:
            MalformedReply: It is none.
            ModelError: It tells of an error.
        """
        if tells_of_error(event.get("error")):
            raise ErrorInReply(event)
        piece = shaped(event, _Event, f"{self._target} sent an event that is none")
        match piece.type:
            case "message_start":
                self._message |= piece.message or {}
            case "content_block_start":
                block = _AssembledBlock(piece.index or 0, dict(piece.content_block or {}))
                self._open[block.index] = block
                self._blocks.append(block)
            case "content_block_delta":
                block = self._open.get(piece.index or 0)
                if block is None:
                    begun = "sent a piece of a block that has not begun"
                    raise MalformedReply(f"{self._target} {begun}")
                block.take(piece.delta or {})
            case "message_delta":
                self._message |= {**(piece.delta or {}), "usage": self._usage(piece.usage)}
            case _:
                pass

    def answer(self) -> dict[str, Any]:
        """The answer so far; without a stop reason if none has come."""
        blocks = sorted(self._blocks, key=lambda block: block.index)
        return {**self._message, "content": [block.fields() for block in blocks]}

    def characters(self) -> int:
        """Length of all texts, thoughts and arguments so far."""
        return sum(len(part) for block in self._blocks for part in block.parts)

    def is_thinking(self) -> bool:
        """False: what is thought comes piece by piece, or before the first event."""
        return False

    def _usage(self, later: dict[str, Any] | None) -> dict[str, Any]:
        """The last count of each kind of token: an event may leave some out."""
        counts = {key: value for key, value in (later or {}).items() if value is not None}
        return {**(self._message.get("usage") or {}), **counts}
