"""A worker's side of the door."""

import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Final, cast

import anyio
import msgspec
from anyio.abc import SocketStream, TaskGroup

from agents.broker.socket_folder import listening_socket, make_socket_folder, remove_socket_folder
from executor.background import background
from executor.base import JobCallbacks
from executor.door.wire import (
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
    pump,
    send,
)
from executor.errors import MachineFailed
from executor.jobs import JobOutcome

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

    def callbacks(self, broker_dir: Path | None) -> JobCallbacks:
        """Return what playing the job asks of the coordinator."""
        return JobCallbacks(
            label=self._call.label,
            told=lambda line: self._outgoing.send_nowait(Told(line)),
            may_begin=self._may_begin,
            broker_dir=broker_dir,
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


@asynccontextmanager
async def broker_line(call: TryCall) -> AsyncGenerator[Path]:
    """Make a broker's socket here whose bytes pass to the broker of the coordinator.

    Yields:
        Its folder.
    """
    folder = make_socket_folder(f"job-{call.fence[:12]}", None)
    try:
        listener = await anyio.abc.SocketListener.from_socket(listening_socket(folder, None))
        async with listener, background() as tasks:
            tasks.start_soon(listener.serve, partial(_pass_on, call))
            yield folder
    finally:
        remove_socket_folder(folder)


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
    hello = Hello(call.job, call.fence, "broker" if purpose == "broker" else "job")
    await send(stream, hello)
    return stream
