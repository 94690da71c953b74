"""What goes over a broker's socket: length-prefixed JSON frames, typed and bounded."""

import struct
from typing import Any, Literal

import msgspec
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from agents.messages import ChatReply, Message, ToolSpec

_HEADER = struct.Struct(">I")


class BadFrame(Exception):
    """A frame is no chat request.

    Attributes:
        kind: `too_large` or `malformed`.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class BrokerLimits(msgspec.Struct, frozen=True):
    """Bounds on what one sandbox may ask.

    Attributes:
        calls: Model calls in all.
        calls_per_item: Model calls for one item.
        frame_bytes: Size of one request.
        connections: Connections at one time; more are closed at once.
        characters: What all requests together may hold; each is kept in the trace.
    """

    calls: int = 5000
    calls_per_item: int = 200
    frame_bytes: int = 8 * 1024**2
    connections: int = 32
    characters: int = 64 * 1024**2


class Refusal(msgspec.Struct, frozen=True):
    """Something that the broker did not do.

    Attributes:
        kind: `malformed`, `too_large`, `wrong_model`, `budget`, `connections`.
        detail: What was tried, in one line.
        purpose: What the sandbox was working on.
        item: On which item.
    """

    kind: str
    detail: str
    purpose: str
    item: str


class ChatFrame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request from inside; a field that it has no business to set is an error."""

    op: Literal["chat"]
    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    temperature: float | None = None


_DECODER = msgspec.json.Decoder(ChatFrame)


async def receive_frame(stream: BufferedByteReceiveStream, limit_bytes: int) -> ChatFrame:
    """Wait for the next request.

    Raises:
        BadFrame: What arrived is too large or no chat request.
        anyio.IncompleteRead: The other side has left.
    """
    (size,) = _HEADER.unpack(await stream.receive_exactly(_HEADER.size))
    if size > limit_bytes:
        raise BadFrame("too_large", f"a request of {size} bytes; the limit is {limit_bytes}")
    payload = await stream.receive_exactly(size)
    try:
        return _DECODER.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadFrame("malformed", f"not a chat request: {error}") from error


async def send_frame(stream: SocketStream, frame: dict[str, Any]) -> None:
    """Send one answer."""
    payload = msgspec.json.encode(frame)
    await stream.send(_HEADER.pack(len(payload)) + payload)


def error_frame(kind: str, message: str) -> dict[str, Any]:
    """The answer to a request that brought no reply."""
    return {"ok": False, "error": kind, "message": message}


def reply_frame(reply: ChatReply) -> dict[str, Any]:
    """What a sandbox learns of a reply: not its price, nor what the provider calls the model."""
    inside = {
        "text": reply.text,
        "tool_calls": msgspec.to_builtins(reply.tool_calls),
        "finish": reply.finish,
        "thinking": reply.thinking,
        "usage": msgspec.to_builtins(reply.usage),
    }
    return {"ok": True, "reply": inside}
