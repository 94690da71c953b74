"""A container's standard streams over the one connection that the daemon gives for them."""

from collections import deque
from contextlib import suppress
from itertools import chain

import anyio
from anyio.abc import ByteReceiveStream, UNIXSocketStream

HEAD_BYTES = 8  # which stream, three zeros, and the length of what follows, big-endian
STDOUT, STDERR = 1, 2
# Beyond this nothing more is read until somebody takes it: then the writer inside has to wait.
MOST_HELD_BYTES = 1 << 20


class Multiplexed:
    """Takes apart what comes over a connection; safe for one reader of each stream at a time.

    Args:
        connection: To the daemon.
    """

    def __init__(self, connection: UNIXSocketStream) -> None:
        self._connection = connection
        self._raw = b""
        self._held: dict[int, deque[bytes]] = {STDOUT: deque(), STDERR: deque()}
        self._reading = anyio.Lock(fast_acquire=True)
        self._taken = anyio.Event()
        self._drops = False

    async def take(self, which: int) -> bytes:
        """Wait for bytes of one stream.

        Raises:
            anyio.EndOfStream: The container has ended.
        """
        while not self._held[which]:
            while self._is_full() and not self._drops:
                await self._taken.wait()
            async with self._reading:
                if not self._held[which]:
                    await self._receive()
        self._wake()
        return self._held[which].popleft()

    async def read_to_end(self) -> None:
        """Read on until the container has ended, and drop what is more than may be held.

        The daemon knows no end of a container, and answers nothing about it, before somebody has
        taken its output. Whoever waits for the other stream to be taken waits no more: nobody may
        be left to take it.
        """
        self._drops = True
        self._wake()
        with suppress(anyio.EndOfStream, anyio.ClosedResourceError):
            while True:
                async with self._reading:
                    await self._receive()

    def _wake(self) -> None:
        self._taken.set()
        self._taken = anyio.Event()

    def _is_full(self) -> bool:
        return sum(map(len, chain(*self._held.values()))) > MOST_HELD_BYTES

    async def _receive(self) -> None:
        try:
            self._sort(await self._connection.receive())
        except anyio.BrokenResourceError as error:  # the daemon is gone
            raise anyio.EndOfStream from error
        if self._drops and self._is_full():
            for parts in self._held.values():
                parts.clear()

    def _sort(self, data: bytes) -> None:
        self._raw += data
        while len(self._raw) >= HEAD_BYTES:
            end = HEAD_BYTES + int.from_bytes(self._raw[4:HEAD_BYTES], "big")
            if len(self._raw) < end:
                return
            which, part = self._raw[0], self._raw[HEAD_BYTES:end]
            self._raw = self._raw[end:]
            if part and which in self._held:
                self._held[which].append(part)


class Output(ByteReceiveStream):
    """A container's standard output, or standard error."""

    def __init__(self, streams: Multiplexed, which: int) -> None:
        self._streams = streams
        self._which = which
        self._rest = b""

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        """Wait for bytes."""
        data = self._rest or await self._streams.take(self._which)
        self._rest = data[max_bytes:]
        return data[:max_bytes]

    async def aclose(self) -> None:
        """Do nothing: the streams are closed together."""
