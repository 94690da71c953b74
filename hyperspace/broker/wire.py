"""The protocol of a broker's socket: length-prefixed JSON frames, typed and bounded."""

import struct
from collections.abc import Iterable
from itertools import chain
from typing import Any, Final, Literal, cast

import msgspec
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.parsing import UNDECODABLE
from hyperspace.messages import ChatReply, Message, ToolSpec

# Whoever sends a request on encodes it by recursion.
DEEPEST_PARAMETERS: Final = 50
LONGEST_TEXT: Final = 1_000_000  # characters of a reply that a sandbox sees
_HEADER: Final = struct.Struct(">I")


class BadChatFrame(Exception):
    """A frame is not a valid chat request.

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
        parts: Messages of one request, with the calls of tools and the thoughts in them, and
            tools: each takes time, however short it is.
        connections: Connections at one time, and so calls in flight; more wait to be accepted.
        buffer_bytes: Size of all requests that are held at one time; more wait to be read.
        characters: What all requests together may hold, in the form in which they are kept in the
            trace: messages with their marks, tools, calls of tools.
    """

    calls: int = 5000
    calls_per_item: int = 200
    frame_bytes: int = 8 * 1024**2
    parts: int = 4000
    connections: int = 32
    buffer_bytes: int = 32 * 1024**2
    characters: int = 64 * 1024**2


class ChatFrame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request from inside; a field that it has no business to set is an error."""

    op: Literal["chat"]
    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    temperature: float | None = None


class NeedFrame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question from inside to the principal."""

    op: Literal["need"]
    question: str
    blocking: bool


class _Operation(msgspec.Struct, frozen=True):
    op: str


class _AnyFrame(msgspec.Struct, frozen=True):
    """A request in which unknown fields are passed over; for tests that take away `BROKER_FORM`."""

    op: str
    model: str
    messages: tuple[Message, ...]


_DECODER = msgspec.json.Decoder(ChatFrame)


def weight(frame: ChatFrame) -> int:
    """How much of a trace a request takes, in bytes; a message without words takes some too."""
    return len(msgspec.json.encode((frame.messages, frame.tools)))


def parts(frame: ChatFrame) -> int:
    """How many things a request consists of, however short."""
    said = sum(1 + len(each.tool_calls) + len(each.thoughts) for each in frame.messages)
    return said + len(frame.tools)


async def receive_size(stream: BufferedByteReceiveStream, limit_bytes: int) -> int:
    """Wait for the next request to be announced, in bytes; none of it is read yet.

    Raises:
        BadChatFrame: It is too large.
        anyio.IncompleteRead: The other side has left.
    """
    (size,) = _HEADER.unpack(await stream.receive_exactly(_HEADER.size))
    if size > limit_bytes:
        raise BadChatFrame("too_large", f"a request of {size} bytes; the limit is {limit_bytes}")
    return size


async def receive_frame(
    stream: BufferedByteReceiveStream,
    size: int,
    without: Without = ALL_IN_FORCE,
    *,
    needs: bool = False,
) -> ChatFrame | NeedFrame:
    """Read the request that was announced.

    Args:
        stream: Where it comes from.
        size: How long it is, in bytes.
        without: Defences that a test has taken away.
        needs: Whether it may be a question to the principal.

    Raises:
        BadChatFrame: It is not a valid chat request.
        anyio.IncompleteRead: The other side has left.
    """
    payload = await stream.receive_exactly(size)
    try:
        if Defence.BROKER_FORM in without:
            loose = msgspec.json.decode(payload, type=_AnyFrame)
            return ChatFrame("chat", loose.model, loose.messages)
        if needs and msgspec.json.decode(payload, type=_Operation).op == "need":
            return msgspec.json.decode(payload, type=NeedFrame)
        frame = _DECODER.decode(payload)
    except UNDECODABLE as error:
        raise BadChatFrame("malformed", f"not a chat request: {error}") from error
    if any(_is_deeper(tool.parameters, DEEPEST_PARAMETERS) for tool in frame.tools):
        problem = f"parameters of a tool nested deeper than {DEEPEST_PARAMETERS}"
        raise BadChatFrame("malformed", problem)
    return frame


def _is_deeper(value: Any, depth: int) -> bool:
    """Return True if a value that came from JSON is nested deeper than so much."""
    level = [value]
    while level and depth >= 0:
        depth -= 1
        level = list(chain.from_iterable(map(_inner, level)))
    return bool(level)


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


async def send_frame(stream: SocketStream, frame: dict[str, Any]) -> None:
    """Send one answer."""
    payload = msgspec.json.encode(frame)
    await stream.send(_HEADER.pack(len(payload)) + payload)


def error_frame(kind: str, message: str) -> dict[str, Any]:
    """The answer to a request that brought no reply."""
    return {"ok": False, "error": kind, "message": message}


def answer_frame(answer: str | None) -> dict[str, Any]:
    """The answer to a question to the principal; None where it does not wait for one."""
    return {"ok": True, "reply": {"answer": answer}}


def reply_frame(reply: ChatReply) -> dict[str, Any]:
    """The part of a reply that a sandbox sees: not its price, nor the provider's model id.

    Of a text that no model writes, its begin: whole it would not fit into the next request.
    """
    inside = {
        "text": reply.text[:LONGEST_TEXT],
        "tool_calls": msgspec.to_builtins(reply.tool_calls),
        "finish": reply.finish,
        "thinking": reply.thinking,
        "usage": {
            "prompt_tokens": reply.usage.prompt_tokens,
            "completion_tokens": reply.usage.completion_tokens,
        },
    }
    if reply.window:
        inside["window"] = reply.window
    if reply.thoughts:
        inside["thoughts"] = msgspec.to_builtins(reply.thoughts)
    return {"ok": True, "reply": inside}
