"""The seam to wire protocols: one Protocol, and what all of them need."""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, Final, Protocol, TypeVar

import msgspec

from guards.parsing import decode_json
from hyperspace.messages import Message
from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.exchange import Answer, ParsedRequest

PIECES: Final = 16
ModelName = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
_Body = TypeVar("_Body")


class Wire(Protocol):
    """One provider's way to say things.

    Contract: pure. Equal arguments give equal bytes: ids are made from the answer's digest.
    """

    @property
    def name(self) -> str:
        """The wire's name in statistics."""
        ...

    def read(self, body: bytes) -> ParsedRequest:
        """Read a request's body.

        Raises:
            RequestRefused: It is no JSON, not of this shape, or breaks a rule of the provider.
        """
        ...

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Encode an answer as one body."""
        ...

    def frames(self, answer: Answer) -> list[bytes]:
        """Encode an answer as server-sent events, one frame an event."""
        ...

    def refusal(self, refused: RequestRefused, request_id: str) -> dict[str, Any]:
        """Encode an error."""
        ...

    def refusal_frame(self, refused: RequestRefused, request_id: str) -> bytes:
        """Encode an error in the middle of a stream."""
        ...

    def model_list(self, names: Sequence[str]) -> dict[str, Any]:
        """List models."""
        ...

    def model(self, name: str) -> dict[str, Any]:
        """Describe one model."""
        ...


def decoded(body: bytes, shape: type[_Body]) -> _Body:
    """Decode a body.

    Raises:
        RequestRefused: It is no JSON, or not of this shape.
    """
    try:
        return decode_json(body, shape)
    except msgspec.DecodeError as error:
        raise RequestRefused(400, f"no chat request: {error}") from None


def check_limit(max_tokens: int | None, name: str = "max_tokens") -> None:
    """Make sure that a reply may hold something.

    Args:
        max_tokens: The limit; None for none.
        name: What the wire calls it.

    Raises:
        RequestRefused: The limit is below one token.
    """
    if max_tokens is not None and max_tokens < 1:
        raise RequestRefused(400, f"{name} is {max_tokens}; it must be at least 1")


def signature(thinking: str) -> str:
    """Sign reasoning, so that a changed one is found out when it comes back."""
    return hashlib.sha256(f"thinking {thinking}".encode()).hexdigest()


def pieces(text: str) -> list[str]:
    """Cut a text into the pieces that a stream brings it in."""
    size = max(8, -(-len(text) // PIECES))
    return [text[start : start + size] for start in range(0, len(text), size)]


def frame(data: dict[str, Any], event: str = "") -> bytes:
    """Frame one server-sent event."""
    head = f"event: {event}\n".encode() if event else b""
    return head + b"data: " + msgspec.json.encode(data) + b"\n\n"


def check_conversation(messages: Sequence[Message]) -> None:
    """Make sure that tool messages answer the tool calls right before them, as providers insist.

    Raises:
        RequestRefused: There is no message, a call has no answer, or an answer has no call.
    """
    if not messages:
        raise RequestRefused(400, "messages is empty; a conversation has at least one message")
    waiting: set[str] = set()
    for position, message in enumerate(messages):
        if message.role == "tool":
            if message.tool_call_id not in waiting:
                raise RequestRefused(
                    400,
                    f"messages[{position}] answers the tool call {message.tool_call_id!r}, "
                    "which the assistant message before it did not make",
                )
            waiting.remove(message.tool_call_id)
        else:
            _all_answered(waiting, position)
            waiting = {call.id for call in message.tool_calls}
    _all_answered(waiting, len(messages))


def _all_answered(waiting: set[str], position: int) -> None:
    if waiting:
        raise RequestRefused(
            400,
            f"tool calls without an answer before messages[{position}]: "
            f"{', '.join(sorted(waiting))}; each needs a tool message right after it",
        )
