"""A worker's side of the door."""

import math
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Final, cast

import anyio
import msgspec
from anyio.abc import SocketListener, SocketStream, TaskGroup

from guards.sandboxes.sandbox import BrokerDoors
from hyperspace.broker.socket_folder import SocketFolder
from hyperspace.executor.background import background
from hyperspace.executor.base import JobCallbacks
from hyperspace.executor.door.wire import (
    GONE,
    PART_BYTES,
    ArtefactPart,
    Begins,
    Finished,
    FrameReader,
    FromDoor,
    Go,
    Hello,
    Paused,
    Receipt,
    Told,
    TryCall,
    keep_alive,
    pump,
    send,
)
from hyperspace.executor.errors import MachineFailed
from hyperspace.executor.jobs import JobOutcome

_OUT_OF_REACH: Final = "the coordinator is out of reach, or waits for another try"


class Caller:
    """A call to the coordinator about one try.

    Attributes:
        playing: What is played; it ends when the coordinator hangs up, because the try was given
            up or the coordinator has ended.
    """

    def __init__(self, call: TryCall, stream: SocketStream, tasks: TaskGroup) -> None:
        self._call = call
        self._stream = stream
        self._outgoing, self._unsent = anyio.create_memory_object_stream[msgspec.Struct](math.inf)
        self._go, self._gone = anyio.create_memory_object_stream[Go | Receipt](math.inf)
        self._paused_s = 0.0
        self.playing = anyio.CancelScope()
        tasks.start_soon(self._send_all)
        tasks.start_soon(self._receive_all)

    def callbacks(self, broker: BrokerDoors | None) -> JobCallbacks:
        """Return what playing the job asks of the coordinator."""
        return JobCallbacks(
            label=self._call.label,
            told=lambda line: self._outgoing.send_nowait(Told(line)),
            may_begin=self._may_begin,
            broker=broker,
            paused_s=lambda: self._paused_s,
        )

    async def hand_over(self, outcome: JobOutcome) -> bool:
        """Hand over what came of the job, whose lines were told; returns whether it counted.

        Raises:
            MachineFailed: The coordinator is out of reach.
        """
        data = outcome.artefact
        for start in range(0, len(data), PART_BYTES):
            self._outgoing.send_nowait(ArtefactPart(data[start : start + PART_BYTES]))
        self._outgoing.send_nowait(Finished(outcome.state, outcome.code, outcome.reason))
        answer = await self._answer()
        return isinstance(answer, Receipt) and answer.counted

    async def _may_begin(self, number: int) -> None:
        self._outgoing.send_nowait(Begins(number))
        await self._answer()

    async def _answer(self) -> Go | Receipt:
        try:
            return await self._gone.receive()
        except anyio.EndOfStream:
            raise MachineFailed(_OUT_OF_REACH) from None

    def close(self) -> None:
        """Drop what was not sent or taken."""
        for stream in (self._outgoing, self._unsent, self._go, self._gone):
            stream.close()

    async def _send_all(self) -> None:
        try:
            async for message in self._unsent:
                await send(self._stream, message)
        except GONE:
            self._go.close()

    async def _receive_all(self) -> None:
        reader = FrameReader(self._stream)
        try:
            while True:
                # A union is a type at runtime, and none that a type variable takes.
                message = await reader.receive(cast("type[FromDoor]", FromDoor))
                if isinstance(message, Paused):
                    self._paused_s = message.seconds
                else:
                    self._go.send_nowait(message)
        except (*GONE, ValueError):
            self._go.close()
            self.playing.cancel()


@asynccontextmanager
async def calling(call: TryCall) -> AsyncGenerator[Caller]:
    """TryCall the coordinator; the call ends with the context.

    Raises:
        MachineFailed: It is out of reach.
    """
    async with await _connect(call, "job") as stream, background() as tasks:
        with closing(Caller(call, stream, tasks)) as caller:
            yield caller


class _BrokerLine:
    """Sockets whose bytes pass to the broker of the coordinator; implements `BrokerDoors`."""

    def __init__(self, call: TryCall, tasks: TaskGroup) -> None:
        self._call = call
        self._tasks = tasks
        self._folder = SocketFolder(f"job-{call.fence[:12]}", None, self.answer_at)

    def folder(self) -> Path:
        """Return a private folder with a socket `s`; see `BrokerDoors`."""
        return self._folder.path()

    def answer_at(self, door: socket.socket) -> None:
        """Answer at a socket that listens; see `BrokerDoors`."""
        self._tasks.start_soon(self._serve, door)

    def close(self) -> None:
        """Remove the folder."""
        self._folder.remove()

    async def _serve(self, door: socket.socket) -> None:
        async with await SocketListener.from_socket(door) as listener:
            await listener.serve(partial(_pass_on, self._call))


@asynccontextmanager
async def broker_line(call: TryCall) -> AsyncGenerator[BrokerDoors]:
    """Let a sandbox here reach the broker of the coordinator while the context lasts."""
    async with background() as tasks:
        with closing(_BrokerLine(call, tasks)) as line:
            yield line


async def _pass_on(call: TryCall, inside: SocketStream) -> None:
    try:
        await pump(inside, await _connect(call, "broker"))
    except MachineFailed:
        await inside.aclose()


async def _connect(call: TryCall, purpose: str) -> SocketStream:
    try:
        stream = await anyio.connect_tcp(call.host, call.port)
    except OSError as error:
        raise MachineFailed(
            f"the coordinator at {call.host}:{call.port} is out of reach: {error}"
        ) from error
    keep_alive(stream)
    hello = Hello(call.job, call.fence, "broker" if purpose == "broker" else "job")
    await send(stream, hello)
    return stream
