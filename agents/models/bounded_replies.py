"""Replies of a bounded size: nothing is unpacked, and no more is read than any reply needs.

A few megabytes of packed zeros are gigabytes in memory, so packed replies are neither asked for
nor taken.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Final

MOST_REPLY_BYTES: Final = 32_000_000
PLAIN: Final = {"accept-encoding": "identity"}


def bounded_by(transport: Any) -> Callable[[Any], Awaitable[None]]:
    """Make what a client of a transport does to each response before its body is read.

    Args:
        transport: `httpx` or `httpx2`; its `RemoteProtocolError` is raised for a reply that is
            packed or too large.
    """

    class _LimitedStream(transport.AsyncByteStream):
        def __init__(self, response: Any) -> None:
            self._response = response
            self._stream = response.stream

        async def __aiter__(self) -> AsyncGenerator[bytes]:
            size = 0
            try:
                async for part in self._stream:
                    size += len(part)
                    if size > MOST_REPLY_BYTES:
                        await self._stream.aclose()  # what goes on reading then ends by itself
                    else:
                        yield part
            except transport.TransportError:
                if size <= MOST_REPLY_BYTES:
                    raise
            if size > MOST_REPLY_BYTES:
                raise _refused(self._response, f"its reply has over {MOST_REPLY_BYTES} bytes")

        async def aclose(self) -> None:
            await self._stream.aclose()

    def _refused(response: Any, why: str) -> Exception:
        return transport.RemoteProtocolError(why, request=response.request)

    async def bound(response: Any) -> None:
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        if packed != "identity":
            raise _refused(response, f"it packed its reply ({packed}), and was asked not to")
        response.stream = _LimitedStream(response)

    return bound
