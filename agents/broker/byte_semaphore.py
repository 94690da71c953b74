"""Bounded room: what does not fit waits until others have left."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio


class ByteSemaphore:
    """A number of bytes that may be held at one time.

    Attributes:
        taken_bytes: How many are held now.
    """

    def __init__(self, size_bytes: int) -> None:
        self.taken_bytes = 0
        self._size_bytes = size_bytes
        self._left: anyio.Event | None = None

    @asynccontextmanager
    async def hold(self, part_bytes: int) -> AsyncGenerator[None]:
        """Hold a part while the context lasts; waits for it. A part is never above the size."""
        while self.taken_bytes + part_bytes > self._size_bytes:
            self._left = self._left or anyio.Event()
            await self._left.wait()
        self.taken_bytes += part_bytes
        try:
            yield
        finally:
            self.taken_bytes -= part_bytes
            left, self._left = self._left, None
            if left is not None:
                left.set()
