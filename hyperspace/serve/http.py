"""HTTP/1.1 on one connection: h11 reads and writes the protocol, anyio moves the bytes."""

import select
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import anyio
import h11
from anyio.abc import SocketAttribute, SocketStream

from hyperspace.serve.errors import RequestRefused

BODY_LIMIT_BYTES: Final = 32 * 1024**2
HEAD_LIMIT_BYTES: Final = 64 * 1024
IDLE_S: Final = 300.0
READ_S: Final = 60.0
SEND_S: Final = 60.0
DRAIN_S: Final = 2.0
_CHUNK_BYTES: Final = 64 * 1024
# What the client's leaving, or its silence, looks like.
LEFT: Final = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    OSError,  # timeouts among them
)


class RequestHead(NamedTuple):
    """The head of a request.

    Attributes:
        method: Upper-case method.
        path: The path, without the query.
        headers: By lower-case name.
    """

    method: str
    path: str
    headers: Mapping[str, str]


class DeliveryHook:
    """Told how a response fares; this one does not care."""

    def last(self) -> None:
        """Hear that the last bytes are about to go out."""

    def cut(self) -> None:
        """Hear that the response did not go out whole, perhaps after `last`."""


class Response(NamedTuple):
    """A response, and how it is sent.

    Attributes:
        status: HTTP status.
        headers: Headers beside those of the framing.
        parts: The body, in the pieces that it is written in.
        streamed: Whether the body is framed as chunks, its length unknown.
        ending: `cut` closes the connection in the middle, `never` sends nothing at all.
        pause_s: Wait between parts.
        on_delivery: Told how it fares.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    parts: tuple[bytes, ...]
    streamed: bool = False
    ending: Literal["whole", "cut", "never"] = "whole"
    pause_s: float = 0.0
    on_delivery: DeliveryHook = DeliveryHook()


class HttpConnection:
    """One client's connection."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT_BYTES)

    async def head(self) -> RequestHead | None:
        """Read the head of the next request; None when the client has no other.

        Raises:
            TimeoutError: The client was silent for too long.
            h11.RemoteProtocolError: The client speaks no HTTP.
        """
        with anyio.fail_after(IDLE_S):
            event = await self._event()
        if not isinstance(event, h11.Request):
            return None
        headers = {name.decode("latin-1"): text.decode("latin-1") for name, text in event.headers}
        path = event.target.decode("latin-1").partition("?")[0]
        return RequestHead(event.method.decode("latin-1"), path, headers)

    async def body(self, head: RequestHead) -> bytes:
        """Read the request's body.

        Raises:
            RequestRefused: It is larger than the limit; the rest of it is not read.
            TimeoutError: It did not come in time.
        """
        announced = head.headers.get("content-length", "0")
        if announced.isdecimal() and int(announced) > BODY_LIMIT_BYTES:
            raise _too_large()
        body = bytearray()
        with anyio.fail_after(READ_S):
            while isinstance(event := await self._event(), h11.Data):
                body += event.data
                if len(body) > BODY_LIMIT_BYTES:
                    raise _too_large()
        return bytes(body)

    async def send(self, response: Response) -> None:
        """Send a response, as whole as it is meant to be."""
        if response.ending == "never":
            await self._wait_until_left()
            return
        try:
            await self._send_parts(response)
        except BaseException:  # cancellation, too: the client did not get it all
            response.on_delivery.cut()
            raise

    @property
    def can_answer(self) -> bool:
        """True while a response may still be sent to the last request."""
        return self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE)

    def next_request(self) -> bool:
        """Make ready for another request on this connection; False if there can be none."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        return True

    async def drain(self) -> None:
        """Take an unread body, for a moment: closing at once would destroy our answer to it."""
        if self._http.their_state not in (h11.SEND_BODY, h11.ERROR):
            return
        with anyio.move_on_after(DRAIN_S):
            await self._wait_until_left()

    async def _send_parts(self, response: Response) -> None:
        framing = ("content-length", str(sum(map(len, response.parts))))
        if response.streamed:
            framing = ("transfer-encoding", "chunked")
        headers = [*response.headers, framing]
        if self._http.their_state is h11.SEND_BODY:  # what nobody reads no request can follow
            headers.append(("connection", "close"))
        pending = self._bytes(h11.Response(status_code=response.status, headers=headers))
        *parts, last = response.parts
        for part in parts:
            await self._write(pending + self._bytes(h11.Data(data=part)))
            pending = b""
            await anyio.sleep(response.pause_s)
        if response.ending == "cut":
            await self._write(pending + self._bytes(h11.Data(data=last[: len(last) // 2])))
            response.on_delivery.cut()
        else:
            await self._write_last(pending, last, response.on_delivery)

    async def _write_last(self, pending: bytes, last: bytes, hook: DeliveryHook) -> None:
        end = self._bytes(h11.Data(data=last)) + self._bytes(h11.EndOfMessage())
        if self._has_left():
            raise anyio.BrokenResourceError
        hook.last()
        await self._write(pending + end)

    def _has_left(self) -> bool:
        """True if the client has ended its side: the kernel would take our bytes all the same."""
        socket = self._stream.extra(SocketAttribute.raw_socket)  # noqa: S610  no Django
        poll = select.poll()
        poll.register(socket, select.POLLRDHUP)
        return bool(poll.poll(0))

    async def _event(self) -> h11.Event | None:
        """The next event; None where no request can follow."""
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event if isinstance(event, h11.Event) else None
            if self._http.they_are_waiting_for_100_continue:
                await self._write(
                    self._bytes(h11.InformationalResponse(status_code=100, headers=[]))
                )
            self._http.receive_data(await self._received())

    async def _received(self) -> bytes:
        try:
            return await self._stream.receive(_CHUNK_BYTES)
        except anyio.EndOfStream:
            return b""  # h11's word for the end

    async def _wait_until_left(self) -> None:
        while await self._received():
            pass

    def _bytes(self, event: h11.Event) -> bytes:
        return self._http.send(event) or b""

    async def _write(self, data: bytes) -> None:
        with anyio.fail_after(SEND_S):
            await self._stream.send(data)


def _too_large() -> RequestRefused:
    return RequestRefused(413, f"the body is larger than {BODY_LIMIT_BYTES} bytes")
