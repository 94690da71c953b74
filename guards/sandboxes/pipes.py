"""Our ends of plain pipes as streams of bytes."""

import os

import anyio
from anyio.abc import AsyncResource, ByteReceiveStream, ByteSendStream
from anyio.lowlevel import cancel_shielded_checkpoint, checkpoint_if_cancelled


class PipeEnd(AsyncResource):
    """One of our ends of a pipe.

    Args:
        descriptor: Closed by `aclose`.
    """

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor

    @property
    def descriptor(self) -> int:
        """The descriptor; ClosedResourceError once this end is closed."""
        if self._descriptor < 0:
            raise anyio.ClosedResourceError
        return self._descriptor

    def close(self) -> None:
        """Close this end; safe to call twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    async def aclose(self) -> None:
        """Close this end."""
        self.close()


class PipeReader(PipeEnd, ByteReceiveStream):
    """The end of a pipe that is read."""

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        """Wait for bytes.

        Raises:
            anyio.EndOfStream: No writer is left.
            anyio.ClosedResourceError: This end is closed.
        """
        await checkpoint_if_cancelled()
        data = self._read(max_bytes)
        if data is not None:
            await cancel_shielded_checkpoint()  # a flood must not keep others from their turn
        while data is None:
            await anyio.wait_readable(self._descriptor)
            data = self._read(max_bytes)
        if not data:
            raise anyio.EndOfStream
        return data

    def _read(self, max_bytes: int) -> bytes | None:
        """Read the bytes that are there; None if nothing is yet."""
        try:
            return os.read(self.descriptor, max_bytes)
        except BlockingIOError:
            return None


class PipeWriter(PipeEnd, ByteSendStream):
    """The end of a pipe that is written."""

    async def send(self, item: bytes) -> None:
        """Write all bytes.

        Raises:
            anyio.BrokenResourceError: No reader is left.
            anyio.ClosedResourceError: This end is closed.
        """
        await checkpoint_if_cancelled()
        rest = memoryview(item)
        while rest:
            try:
                rest = rest[os.write(self.descriptor, rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._descriptor)
            except BrokenPipeError as error:
                raise anyio.BrokenResourceError from error
