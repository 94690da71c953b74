"""What a worker and the coordinator's door say to each other: length-prefixed MessagePack frames.

A worker calls the door with the fencing token of its try, tells lines, asks when a request may
begin, and hands over what came of the job; a second kind of call is a line to the coordinator's
broker, whose bytes pass through. No key, no label and no other job is ever on this wire.
"""

import socket
import struct
from contextlib import suppress
from typing import Final, Literal, TypeVar

import anyio
import msgspec
from anyio.abc import ByteStream, SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from guards.parsing import decode_msgpack
from hyperspace.executor.jobs import JobId, State

LONGEST_FRAME: Final = 80 * 1024**2  # bytes: a line of standard output, and a little more
PART_BYTES: Final = 1024**2  # of an artefact, in one frame
GONE: Final = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    anyio.IncompleteRead,
)
_HEADER: Final = struct.Struct(">I")
_HELLO_BYTES: Final = 4096
_KEEP_ALIVE: Final = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 6}
Message = TypeVar("Message")


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """Who calls, and what for."""

    job: JobId
    fence: str
    purpose: Literal["job", "broker"]


class TryCall(msgspec.Struct, frozen=True):
    """What a worker needs to call the door about one try.

    Attributes:
        host: Address of the coordinator's machine.
        port: Where its door listens.
        job: The job.
        fence: The try's token.
        label: Names the job for people.
    """

    host: str
    port: int
    job: JobId
    fence: str
    label: str


class Told(msgspec.Struct, frozen=True, tag="told"):
    """A line of a job."""

    line: bytes


class Begins(msgspec.Struct, frozen=True, tag="begins"):
    """A request is about to begin; the worker waits for `Go`."""

    number: int


class ArtefactPart(msgspec.Struct, frozen=True, tag="part"):
    """The next bytes of the artefact."""

    data: bytes


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """What came of the job; the lines and the artefact came before."""

    state: State
    code: int
    reason: str


class Go(msgspec.Struct, frozen=True, tag="go"):
    """The request may begin."""


class Paused(msgspec.Struct, frozen=True, tag="paused"):
    """Seconds so far in which the code waited for a model that was failing."""

    seconds: float


class Receipt(msgspec.Struct, frozen=True, tag="kept"):
    """The receipt: whether the try still counted, and what came of it is kept."""

    counted: bool


ToDoor = Told | Begins | ArtefactPart | Finished
FromDoor = Go | Paused | Receipt


class FrameReader:
    """Reads frames of a connection."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = BufferedByteReceiveStream(stream)

    async def hello(self) -> Hello:
        """Read the first frame, which is short.

        Raises:
            ValueError: It is none.
        """
        return await self.receive(Hello, _HELLO_BYTES)

    async def receive(self, kind: type[Message], longest: int = LONGEST_FRAME) -> Message:
        """Read one frame.

        Raises:
            ValueError: It is too long, too deep, or not of this kind.
            EndOfStream: The other side has gone; anyio's other errors of a broken stream, too.
        """
        (size,) = _HEADER.unpack(await self._stream.receive_exactly(_HEADER.size))
        if size > longest:
            raise ValueError(f"a frame of {size:,} bytes, and {longest:,} are allowed")
        data = await self._stream.receive_exactly(size)
        return decode_msgpack(data, kind)


async def send(stream: ByteStream, message: msgspec.Struct) -> None:
    """Send one frame."""
    data = msgspec.msgpack.encode(message)
    await stream.send(_HEADER.pack(len(data)) + data)


async def pump(one: SocketStream, other: SocketStream) -> None:
    """Pass bytes on in both ways until either side ends; then both are closed."""

    async def pass_on(source: SocketStream, target: SocketStream) -> None:
        with suppress(*GONE):
            async for data in source:
                await target.send(data)
        # To cancel the other way would race with bytes that just arrive.
        hang_up(one)
        hang_up(other)

    async with one, other, anyio.create_task_group() as tasks:
        tasks.start_soon(pass_on, one, other)
        tasks.start_soon(pass_on, other, one)


def hang_up(stream: SocketStream) -> None:
    """End a connection, so that whoever reads it sees its end."""
    with suppress(OSError):
        raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610  (anyio, not Django)
        raw.shutdown(socket.SHUT_RDWR)


def keep_alive(stream: SocketStream) -> None:
    """Let a connection end when the other machine has not answered for a minute and a half.

    What ends while a network is cut may never be told of.
    """
    raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610  (anyio, not Django)
    with suppress(OSError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEP_ALIVE.items():
            if hasattr(socket, name):
                raw.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
