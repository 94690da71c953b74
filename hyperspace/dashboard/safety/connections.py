"""Connections that take no more than they are given: a number, bytes, and time.

Who sends slowly, or reads slowly, holds a connection and what is kept for it. uvicorn waits for
both as long as they like, and answers each that is too many only when it has sent its request.
Anybody on the machine can connect: who has shown no cookie makes room for who comes after.
"""

import asyncio
import http
import sys
from collections.abc import Callable
from typing import Any, Final, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from hyperspace.dashboard.safety.gate import too_long
from hyperspace.dashboard.safety.headers import HEADERS
from hyperspace.dashboard.settings import ConnectionLimits

LEAST_SENT_BYTES: Final = 16 * 1024


class Newcomers:
    """The connections of a server that have shown no cookie so far, oldest first."""

    def __init__(self, holds: Callable[[str], bool]) -> None:
        """Begin with none.

        Args:
            holds: Whether the cookie of whoever may look is in a Cookie header.
        """
        self._holds = holds
        self._connections: dict[BoundedConnection, None] = {}

    def __contains__(self, connection: "BoundedConnection") -> bool:
        return connection in self._connections

    def add(self, connection: "BoundedConnection") -> None:
        """Take one that was made."""
        self._connections[connection] = None

    def discard(self, connection: "BoundedConnection") -> None:
        """Forget one that has shown the cookie, or ended."""
        self._connections.pop(connection, None)

    def is_known(self, headers: list[tuple[bytes, bytes]]) -> bool:
        """Return whether the cookie is in the head of a request."""
        cookies = (value.decode("latin-1") for name, value in headers if name == b"cookie")
        return any(self._holds(value) for value in cookies)

    def end_oldest(self) -> bool:
        """End the one that came first; returns whether there was one."""
        oldest = next(iter(self._connections), None)
        if oldest is not None:
            oldest.end_now()
        return oldest is not None


class BoundedConnection(H11Protocol):
    """One client's connection."""

    def __init__(
        self, limits: ConnectionLimits, newcomers: Newcomers, *args: Any, **kwargs: Any
    ) -> None:
        """Prepare; arguments after the first two are uvicorn's."""
        super().__init__(*args, **kwargs)
        self._limits = limits
        self._newcomers = newcomers
        self._receiving: asyncio.TimerHandle | None = None
        self._sending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin, in place of the oldest newcomer if need be; or end at once where there is none."""
        super().connection_made(transport)
        is_full = len(self.connections) > self._limits.connections
        if is_full and not self._newcomers.end_oldest():
            self._refuse(503, "too many connections are open; close some pages of the dashboard")
            return
        self._newcomers.add(self)
        self._receive_soon()

    def data_received(self, data: bytes) -> None:
        """Take what was sent; a request that is whole may be answered for as long as it takes."""
        super().data_received(data)
        if self in self._newcomers and self._newcomers.is_known(self.headers or []):
            self._newcomers.discard(self)
            self._receive_soon()
        self._received()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for what is left of this one."""
        self._receive_soon()
        super().on_response_complete()
        self._received()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._newcomers.discard(self)
        self._stop(self._receiving)
        self._stop(self._sending)
        super().connection_lost(exc)

    def end_now(self) -> None:
        """Make room for another one; `connection_lost` comes later."""
        self._newcomers.discard(self)
        self.connections.discard(self)
        self.transport.abort()

    def pause_writing(self) -> None:
        """Watch a client that has not read for a while."""
        super().pause_writing()
        self._watch_sending()

    def resume_writing(self) -> None:
        """Trust a client that has caught up."""
        self._stop(self._sending)
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, or has too long a head."""
        error = sys.exc_info()[1]
        if isinstance(error, h11.RemoteProtocolError) and error.error_status_hint == 431:
            refused = too_long()
            self._refuse(refused.status, refused.message)
        else:
            self._refuse(400, msg)

    def _receive_soon(self) -> None:
        def end() -> None:
            self.transport.close()  # when the last answer has gone out, if it does
            self._watch_sending()

        time_s = self._limits.receive_s
        if self in self._newcomers:
            time_s = min(time_s, self._limits.newcomer_s)
        self._stop(self._receiving)
        self._receiving = self.loop.call_later(time_s, end)

    def _received(self) -> None:
        if self._is_answering() and not self.cycle.more_body:
            self._stop(self._receiving)

    def _is_answering(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)  # none before the first request
        return cycle is not None and not cycle.response_complete

    def _watch_sending(self) -> None:
        left = self.transport.get_write_buffer_size()

        def look() -> None:
            if self.transport.get_write_buffer_size() > left - LEAST_SENT_BYTES:
                self.transport.abort()
            else:
                self._watch_sending()

        self._stop(self._sending)
        self._sending = self.loop.call_later(self._limits.send_s, look)

    def _refuse(self, status: int, sentence: str) -> None:
        """Say why, and end; past h11, whose state a broken request has left undefined."""
        if self._is_answering():
            self.transport.abort()
            return
        body = sentence.encode()
        lines = [
            f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}".encode(),
            *(name + b": " + value for name, value in HEADERS),
            b"content-type: text/plain; charset=utf-8",
            f"content-length: {len(body)}".encode(),
            b"connection: close",
        ]
        self.transport.write(b"\r\n".join([*lines, b"", body]))
        self.transport.close()

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
