"""Requests to a model and its replies: one neutral form for all providers.

The shapes follow chat completions, the form that most endpoints speak. Adapters convert at the
border; nothing else in the house knows a provider's own types.
"""

import hashlib
from typing import Any, Final, Literal, NamedTuple

import msgspec

_ORDINALS: Final = (1 << 13) - 1  # a sandbox makes 5000 calls at most
Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "tool_calls", "refusal"]


class ToolCall(msgspec.Struct, frozen=True):
    """A model's wish to run one tool.

    Attributes:
        id: Names the call within its conversation; a tool message answers it.
        name: The tool's name.
        arguments: JSON text of an object, as the model wrote it. May be invalid JSON.
    """

    id: str
    name: str
    arguments: str


class ReasoningBlock(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of reasoning that a provider expects back with the message it came with.

    Attributes:
        kind: `thinking` and `redacted` are blocks of the Anthropic form, `reasoning` is reasoning
            text of a chat completion or an item of a response, `call` belongs to the tool call
            `call_id`.
        text: What is readable of it.
        signature: What only the provider can read: a signature, or data as JSON text.
        call_id: The tool call of a `call`, or the one that a `reasoning` item stands before.
    """

    kind: Literal["thinking", "redacted", "reasoning", "call"]
    text: str = ""
    signature: str = msgspec.field(default="", name="sealed")
    call_id: str = ""


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool that the model may call.

    Attributes:
        name: Name to call it by.
        description: What it does, for the model.
        parameters: JSON Schema of the arguments object.
    """

    name: str
    description: str
    parameters: dict[str, Any]


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message of a conversation.

    Attributes:
        role: Who speaks.
        content: The text; empty when an assistant only calls tools.
        tool_calls: Calls that an assistant message asks for.
        tool_call_id: Which call a tool message answers; empty for other roles.
        thoughts: The reply's `thoughts`, for an assistant message; without them a model goes on
            without what it thought.
    """

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    thoughts: tuple[ReasoningBlock, ...] = ()


class Usage(msgspec.Struct, frozen=True):
    """Tokens that one call took.

    Attributes:
        prompt_tokens: Tokens sent, those read from and written to a cache included.
        completion_tokens: Tokens received, reasoning included.
        cached_tokens: Those sent that were read from the provider's cache.
        cache_write_tokens: Those sent that were written to the provider's cache.
        reasoning_tokens: Those received that are reasoning.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


class ChatRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that decides a model's answer.

    Attributes:
        model: The name that the model was asked for by, without an endpoint.
        messages: The conversation so far, oldest first.
        tools: Tools on offer; empty means that none may be called.
        temperature: Sampling temperature; None leaves it to the provider. 0.0 is a value.
        seed: Sampling seed for endpoints that take one; None sends none.
        max_tokens: Upper bound on completion tokens; None leaves it to the provider.
    """

    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None


WHAT_IS_LEFT: Final = "<what-is-left>"
"""Stands in a request for what is left of generations and money when it is sent. Neither trace nor
digest depends on that: a run that is made longer, or resumed, asks the same."""


class ChatReply(msgspec.Struct, frozen=True, omit_defaults=True):
    """One finished answer. A reply that was cut off is an error, never a `ChatReply`.

    Attributes:
        text: Visible text; may be empty when tools are called.
        tool_calls: Tools to run, in order.
        finish: Why the model stopped; `length` means that max_tokens or the context ran out.
        thinking: Reasoning text where the provider shows it.
        usage: Tokens used.
        model: Model id as the provider returned it; empty if it did not.
        cost_usd: Price of the call in US dollars; None when the price is not known.
        thoughts: What to give back with this reply when the conversation goes on.
        divergence: For a recorded answer, how the request differs from the one that it was given
            to; empty if it does not.
        left_out: Fields of the request, by their name on the wire, that the model was not sent
            because it does not take them.
        what_is_left: What the model was told in the place of `WHAT_IS_LEFT`; empty for nothing.
        window: Tokens of prompt and reply together, where the server said so; else 0.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    thinking: str = ""
    usage: Usage = Usage()
    model: str = ""
    cost_usd: float | None = None
    thoughts: tuple[ReasoningBlock, ...] = ()
    divergence: str = ""
    left_out: tuple[str, ...] = ()
    what_is_left: str = ""
    window: int = 0


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


class CallPlace(NamedTuple):
    """Where a call belongs within a run.

    Attributes:
        agent: Who asks.
        generation: In which generation; of the final evaluation, that of the last one.
        call_id: The call's name within its trace.
        is_final: Whether it belongs to the final evaluation.
    """

    agent: str
    generation: int
    call_id: str
    is_final: bool = False


def call_seed(seed: int, ordinal: int) -> int:
    """The sampling seed of one call: that of the first, with the ordinal in its lowest bits."""
    return seed ^ (ordinal & _ORDINALS)


def shared_seed(seed: int) -> int:
    """What the seeds of all calls have in common that `call_seed` made; small ones stay."""
    return seed & ~_ORDINALS if seed > _ORDINALS else seed


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
