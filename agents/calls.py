"""The record of one model call, in the field names of published traces."""

from typing import Any, NamedTuple

import msgspec

from agents.messages import ChatReply, Finish, Message, ToolCall, ToolSpec, Usage


class CallKey(NamedTuple):
    """Where a call belongs within a generation.

    Attributes:
        purpose: `modify`, or the split that is evaluated.
        item: The item that is answered; empty where there are none.
        ordinal: Place among the calls of this purpose and item, from 0.
    """

    purpose: str
    item: str
    ordinal: int


class RecordedFunction(msgspec.Struct, frozen=True):
    """Name and arguments (JSON text) of a recorded tool call."""

    name: str
    arguments: str


class RecordedToolCall(msgspec.Struct, frozen=True):
    """A tool call as a trace holds it."""

    id: str
    function: RecordedFunction


class RecordedUsage(msgspec.Struct, frozen=True):
    """Tokens as a trace holds them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


class RecordedError(msgspec.Struct, frozen=True):
    """A refusal by the provider that the caller was told about.

    Attributes:
        kind: `bad_request` or `context_overflow`.
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
            "usage": Usage(usage.prompt_tokens, usage.completion_tokens),
            "model": call.returned_model,
            "cost_usd": call.cost_usd,
        },
        ChatReply,
    )


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


def reply_fields(reply: ChatReply) -> dict[str, Any]:
    """The fields of a record that a reply fills."""
    sent, received = reply.usage.prompt_tokens, reply.usage.completion_tokens
    return {
        "response": reply.text,
        "thinking": reply.thinking,
        "tool_calls": [_tool_call(call.id, call.name, call.arguments) for call in reply.tool_calls]
        or None,
        "usage": RecordedUsage(sent, received, sent + received),
        "finish": reply.finish,
        "returned_model": reply.model,
        "cost_usd": reply.cost_usd,
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
