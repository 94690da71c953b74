"""Replies of a bounded size: no more is read or unpacked than any reply needs.

A few megabytes of packed zeros are gigabytes in memory. Packed replies are not asked for; where one
comes all the same, it is unpacked here, piece by piece, and never by a client, which has no bound.
"""

import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

MOST_REPLY_BYTES: Final = 32_000_000
PLAIN: Final = {"accept-encoding": "identity"}
_PIECE_BYTES: Final = 1_000_000
_ANY_HEADER: Final = 32 + zlib.MAX_WBITS  # gzip or zlib, as its first bytes say
_PACKED: Final = ("gzip", "x-gzip", "deflate")


class ReceivedBytes:
    """The size of what has come, unpacked.

    Attributes:
        size: In bytes.
    """

    def __init__(self) -> None:
        self.size = 0


_received: ContextVar[ReceivedBytes | None] = ContextVar("received", default=None)


@contextmanager
def counting_bytes() -> Generator[ReceivedBytes]:
    """Count what comes in reply to the requests of this context."""
    received = ReceivedBytes()
    token = _received.set(received)
    try:
        yield received
    finally:
        _received.reset(token)


def bounded_by(transport: Any) -> Callable[[Any], Awaitable[None]]:
    """Make what a client of a transport does to each response before its body is read.

    Args:
        transport: `httpx` or `httpx2`; its `RemoteProtocolError` is raised for a reply that is too
            large, or packed in a way that nobody here unpacks.
    """

    class _LimitedStream(transport.AsyncByteStream):
        def __init__(self, response: Any, packed: str) -> None:
            self._response = response
            self._stream = response.stream
            self._packed = packed

        async def __aiter__(self) -> AsyncGenerator[bytes]:
            received = _received.get() or ReceivedBytes()
            received.size = 0
            unpack = _Unpacking() if self._packed else _as_it_is
            is_broken = False
            try:
                async for part in self._stream:
                    try:
                        for piece in unpack(part):
                            received.size += len(piece)
                            if received.size > MOST_REPLY_BYTES:
                                break
                            yield piece
                    except zlib.error:
                        is_broken = True
                    if is_broken or received.size > MOST_REPLY_BYTES:
                        await self._stream.aclose()  # what goes on reading then ends by itself
            except transport.TransportError:
                if not is_broken and received.size <= MOST_REPLY_BYTES:
                    raise
            if is_broken:
                raise _refused(self._response, f"its reply is no {self._packed}, as it says")
            if received.size > MOST_REPLY_BYTES:
                why = f"its reply has over {MOST_REPLY_BYTES} bytes"
                if self._packed:
                    why = f"it packed its reply ({self._packed}), and was asked not to: {why}"
                raise _refused(self._response, why)

        async def aclose(self) -> None:
            await self._stream.aclose()

    def _refused(response: Any, why: str) -> Exception:
        return transport.RemoteProtocolError(why, request=response.request)

    async def bound(response: Any) -> None:
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        if packed in ("identity", "none", ""):
            packed = ""
        elif packed not in _PACKED:
            raise _refused(response, f"it packed its reply ({packed}), and was asked not to")
        else:
            del response.headers["content-encoding"]  # or the client unpacks it, too
        response.stream = _LimitedStream(response, packed)

    return bound


def _as_it_is(part: bytes) -> Iterator[bytes]:
    yield part


class _Unpacking:
    """Unpacks a stream in pieces of a bounded size."""

    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(_ANY_HEADER)
        self._is_begun = False

    def __call__(self, part: bytes) -> Iterator[bytes]:
        if not self._is_begun and part:
            self._is_begun = True
            try:
                zlib.decompressobj(_ANY_HEADER).decompress(part, 1)
            except zlib.error:  # deflate without any header, as some servers send it
                self._unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        while part:
            yield self._unpacker.decompress(part, _PIECE_BYTES)
            part = self._unpacker.unconsumed_tail
