"""The record of one model call, in the field names of published traces."""

import hashlib
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from hyperspace.messages import (
    CallKey,
    ChatReply,
    ChatRequest,
    Finish,
    Message,
    ReasoningBlock,
    ToolCall,
    ToolSpec,
    Usage,
)


def call_id(key: CallKey) -> str:
    """The name of a call within its trace."""
    return f"{key.purpose}/{key.item}/{key.ordinal}"


class RecordedFunction(msgspec.Struct, frozen=True):
    """Name and arguments (JSON text) of a recorded tool call."""

    name: str
    arguments: str


class RecordedToolCall(msgspec.Struct, frozen=True):
    """A tool call as a trace holds it."""

    id: str
    function: RecordedFunction


class RecordedUsage(msgspec.Struct, frozen=True):
    """Tokens as a trace holds them; the last three are parts of the first two (see `Usage`)."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


class RecordedError(msgspec.Struct, frozen=True):
    """A refusal by the provider that the caller was told about.

    Attributes:
        kind: `refused`, `bad_request` or `context_overflow`.
        message: What the provider said, in one line.
    """

    kind: str
    message: str


class CallRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One finished call. Published traces lack the fields from `finish` on.

    Attributes:
        call_id: Names the call within the trace.
        timestamp: When it ended, ISO 8601 in UTC.
        model: Name that the model was asked for by, without an endpoint.
        messages: The conversation that was sent.
        response: Visible text of the reply.
        thinking: Reasoning text; None or empty where there is none.
        tool_calls: Calls that the reply asks for; None where there are none.
        usage: Tokens used.
        finish: Why the model stopped; empty if the call ended in `error`.
        purpose: See `CallKey`.
        item: See `CallKey`.
        ordinal: See `CallKey`.
        request_sha256: Hash of the canonical request, hex.
        served: True if the reply came from an earlier attempt's trace: nothing was paid.
        seconds: How long the answer took.
        cost_usd: Price in US dollars; None if it is not known.
        error: Set if the provider refused the request.
        returned_model: Model id as the provider returned it.
        tools: Tools on offer.
        temperature: As sent; None if none was.
        seed: As sent; None if none was.
        thoughts: What the provider wants back with this reply.
        max_tokens: As sent; None if none was.
        divergence: See `ChatReply`.
        cached: True if the reply came from another run by way of the cache: nothing was paid.
        left_out: Fields above that were not sent because the model does not take them; absent
            where there are none.
        what_is_left: See `ChatReply`; absent where nothing was told.
        window: See `ChatReply`; absent where nobody said.
    """

    call_id: str = ""
    timestamp: str = ""
    model: str = ""
    messages: list[dict[str, Any]] = []
    response: str | None = ""
    thinking: str | None = ""
    tool_calls: list[RecordedToolCall] | None = None
    usage: RecordedUsage | None = None
    finish: Finish | str = ""
    purpose: str = ""
    item: str = ""
    ordinal: int = 0
    request_sha256: str = ""
    served: bool = False
    seconds: float = 0.0
    cost_usd: float | None = None
    error: RecordedError | None = None
    returned_model: str = ""
    tools: list[ToolSpec] = []
    temperature: float | None = None
    seed: int | None = None
    thoughts: tuple[ReasoningBlock, ...] = ()
    max_tokens: int | None = None
    divergence: str = ""
    cached: bool = False
    left_out: tuple[str, ...] | UnsetType = UNSET
    what_is_left: str | UnsetType = UNSET
    window: int | UnsetType = UNSET

    @property
    def key(self) -> CallKey:
        """Where this call belongs."""
        return CallKey(self.purpose, self.item, self.ordinal)


def reply_of(call: CallRecord) -> ChatReply:
    """The reply that a record holds."""
    usage = call.usage or RecordedUsage()
    return msgspec.convert(
        {
            "text": call.response or "",
            "tool_calls": [
                ToolCall(made.id, made.function.name, made.function.arguments)
                for made in call.tool_calls or ()
            ],
            "finish": call.finish or "stop",
            "thinking": call.thinking or "",
            "usage": msgspec.convert(usage, Usage, from_attributes=True),
            "model": call.returned_model,
            "cost_usd": call.cost_usd,
            "thoughts": call.thoughts,
            "left_out": call.left_out or (),
            "what_is_left": call.what_is_left or "",
            "window": call.window or 0,
        },
        ChatReply,
    )


def request_of(call: CallRecord) -> ChatRequest:
    """The request that a record holds.

    Raises:
        msgspec.ValidationError: A message is in no form that we record.
    """
    return ChatRequest(
        model=call.model,
        messages=tuple(map(_message, call.messages)),
        tools=tuple(call.tools),
        temperature=call.temperature,
        seed=call.seed,
        max_tokens=call.max_tokens,
    )


def _message(recorded: dict[str, Any]) -> Message:
    made = msgspec.convert(recorded.get("tool_calls") or (), tuple[RecordedToolCall, ...])
    calls = [{"id": call.id, **msgspec.to_builtins(call.function)} for call in made]
    return msgspec.convert({**recorded, "tool_calls": calls}, Message)


def canonical_call(call: CallRecord) -> dict[str, Any]:
    """A call as digests see it: no times, prices, providers' ids or token counts."""
    return {
        "purpose": call.purpose,
        "item": call.item,
        "ordinal": call.ordinal,
        "request_sha256": call.request_sha256,
        "text": call.response or "",
        "tool_calls": [
            {"name": made.function.name, "arguments": made.function.arguments}
            for made in call.tool_calls or ()
        ],
        "finish": call.finish,
        "error": call.error.kind if call.error else "",
    }


def sealed_call(call: CallRecord) -> dict[str, Any]:
    """A canonical call with hashes in place of texts: what a run's record keeps of it for good.

    So a record is small, and can be given away without what was said.
    """
    fields = canonical_call(call)
    fields["text_sha256"] = _sha256(fields.pop("text"))
    fields["tool_calls"] = [
        {"name": made["name"], "arguments_sha256": _sha256(made["arguments"])}
        for made in fields["tool_calls"]
    ]
    return fields


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def reply_fields(reply: ChatReply) -> dict[str, Any]:
    """The fields of a record that a reply fills."""
    return {
        "response": reply.text,
        "thinking": reply.thinking,
        "tool_calls": [_tool_call(call.id, call.name, call.arguments) for call in reply.tool_calls]
        or None,
        "usage": RecordedUsage(
            total_tokens=reply.usage.prompt_tokens + reply.usage.completion_tokens,
            **msgspec.structs.asdict(reply.usage),
        ),
        "finish": reply.finish,
        "returned_model": reply.model,
        "cost_usd": reply.cost_usd,
        "thoughts": reply.thoughts,
        "divergence": reply.divergence,
        "left_out": reply.left_out or UNSET,
        "what_is_left": reply.what_is_left or UNSET,
        "window": reply.window or UNSET,
    }


def recorded_message(message: Message) -> dict[str, Any]:
    """A message in the trace's form: tool calls have their name under `function`."""
    fields = msgspec.to_builtins(message)
    if message.tool_calls:
        fields["tool_calls"] = [
            msgspec.to_builtins(_tool_call(call.id, call.name, call.arguments))
            for call in message.tool_calls
        ]
    return {"role": message.role, "content": message.content, **fields}


def _tool_call(call_id: str, name: str, arguments: str) -> RecordedToolCall:
    return RecordedToolCall(call_id, RecordedFunction(name, arguments))
