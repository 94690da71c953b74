"""Frames between the host and a program inside: 4 bytes of length, big-endian, and a JSON object.

What arrives was made by code that nobody trusts: length, form and id are checked before use.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import msgspec
from anyio.abc import ByteReceiveStream, ByteSendStream

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.parsing import decode_json

HEAD_BYTES = 4


class FrameError(Exception):
    """A reply is not a usable frame: too long, not JSON, or not asked for."""


class ChannelClosed(Exception):
    """The other side closed the channel."""


@dataclass
class FrameChannel:
    """One conversation over two pipes: the host speaks first, one reply for each request.

    Args:
        sink: Leads to the program's control input.
        source: Comes from the program's frame output.
        frame_bytes: Longest body in either direction.
        without: Defences that a test has taken away.
    """

    _sink: ByteSendStream
    _source: ByteReceiveStream
    _frame_bytes: int
    _without: Without = ALL_IN_FORCE
    _rest: bytes = b""

    async def ask(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """Send one frame and wait for its reply, which must carry the same `id` if there is one.

        Raises:
            FrameError: The reply is malformed, too long, or answers something else.
            ChannelClosed: The program ended or closed its side.
        """
        await self.send(frame)
        reply = await self.receive()
        is_other = "id" in frame and reply.get("id") != frame["id"]
        if is_other and Defence.ANSWER_ID not in self._without:
            raise FrameError(f"an answer to {str(reply.get('id'))[:40]!r}, which was not asked")
        return reply

    async def send(self, frame: Mapping[str, Any]) -> None:
        """Send one frame.

        Raises:
            FrameError: It is too long, or the program spoke out of turn before it.
            ChannelClosed: The program is gone.
        """
        if self._rest and Defence.TURN not in self._without:
            raise FrameError("it spoke before it was asked")
        body = msgspec.json.encode(frame)
        self._check_length(len(body))
        await self.send_bytes(with_head(body))

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes without a head.

        Raises:
            ChannelClosed: The program is gone.
        """
        try:
            await self._sink.send(data)
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ChannelClosed from error

    async def receive(self) -> dict[str, Any]:
        """Wait for one frame.

        Raises:
            FrameError: It is too long or not a JSON object.
            ChannelClosed: The program closed its side before a frame was whole.
        """
        size = int.from_bytes(await self._read(HEAD_BYTES), "big")
        self._check_length(size)
        body = await self._read(size)
        if Defence.FRAME_FORM in self._without:
            return msgspec.json.decode(body)
        try:
            return decode_json(body, dict[str, Any])
        except msgspec.DecodeError as error:
            raise FrameError(f"a frame that is not a JSON object ({str(error)[:80]})") from error

    def _check_length(self, size: int) -> None:
        if size > self._frame_bytes:
            raise FrameError(f"a frame of {size} bytes; at most {self._frame_bytes} are allowed")

    async def _read(self, size: int) -> bytes:
        parts, missing = [self._rest], size - len(self._rest)
        while missing > 0:
            try:
                parts.append(await self._source.receive())
            except (anyio.EndOfStream, anyio.ClosedResourceError) as error:
                raise ChannelClosed from error
            missing -= len(parts[-1])
        data = b"".join(parts)
        self._rest = data[size:]
        return data[:size]


def with_head(body: bytes) -> bytes:
    """Put the length before a body."""
    return len(body).to_bytes(HEAD_BYTES, "big") + body
