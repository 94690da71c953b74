"""The coordinator's side of the door: takes calls of workers whose tries still count."""

import math
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Final, NamedTuple, cast

import anyio
from anyio.abc import SocketAttribute, SocketStream

from hyperspace.executor.background import background
from hyperspace.executor.commands import KEPT_LINES, MOST_ARTEFACT_BYTES
from hyperspace.executor.door.wire import (
    GONE,
    ArtefactPart,
    Begins,
    Finished,
    FrameReader,
    Go,
    Hello,
    Paused,
    Receipt,
    ToDoor,
    Told,
    hang_up,
    keep_alive,
    pump,
    send,
)
from hyperspace.executor.jobs import CommandJob, ItemsJob, JobId, JobOutcome
from hyperspace.executor.queue import Try

_SOCKET: Final = "s"  # of a broker, in its folder
_HELLO_S: Final = 10.0
_MOST_UNKNOWN: Final = 256
_MOST_LINE_BYTES: Final = 1024**3  # of all lines that are kept of a job
_LOOK_S: Final = 1.0  # at how long a model has been failing


class DoorAddress(NamedTuple):
    """Where workers call."""

    host: str
    port: int


class Door:
    """Listens for workers.

    Attributes:
        address: Where.
    """

    def __init__(self, address: DoorAddress) -> None:
        self.address = address
        self._expected: dict[JobId, Try] = {}
        self._calls: dict[str, set[Callable[[], None]]] = {}
        self._hung_up: dict[str, float] = {}
        self._unknown: list[anyio.CancelScope] = []  # calls that have not said who they are

    @contextmanager
    def expecting(self, attempt: Try) -> Generator[None]:
        """Take the calls of one try while the context lasts; then those that are open end.

        Raises:
            OSError, SandboxUnavailable: Its broker cannot be reached from here.
        """
        broker = attempt.callbacks.broker
        if broker is not None and isinstance(attempt.job, ItemsJob) and attempt.job.asks_model:
            broker.folder()  # before code asks: it is not to blame where no folder can be made
        self._expected[attempt.id] = attempt
        self._calls[attempt.fence] = set()
        try:
            yield
        finally:
            if self._expected.get(attempt.id) is attempt:
                del self._expected[attempt.id]
            for end in self._calls.pop(attempt.fence):
                end()
            self._hung_up.pop(attempt.fence, None)

    def quiet_s(self, attempt: Try) -> float:
        """Return for how long a try's worker has hung up, in seconds; 0 for one that has not."""
        now = anyio.current_time()
        return now - self._hung_up.get(attempt.fence, now)

    async def handle(self, stream: SocketStream) -> None:
        """Take one call; of a try that does not count it is ended without an answer.

        Anybody who reaches this machine may connect: who says nothing is not waited for.
        """
        reader = FrameReader(stream)
        keep_alive(stream)
        async with stream:
            with suppress(*GONE, ValueError, OSError), anyio.CancelScope() as scope:
                hello = await self._hello(reader)
                attempt = self._expected.get(hello.job)
                if attempt is None or attempt.fence != hello.fence:
                    return
                calls = self._calls[attempt.fence]
                is_job = hello.purpose == "job"
                end = scope.cancel if is_job else partial(hang_up, stream)
                calls.add(end)
                try:
                    await serve(stream, reader, attempt, hello.purpose)
                finally:
                    calls.discard(end)
                    if is_job and attempt.fence in self._calls:
                        self._hung_up[attempt.fence] = anyio.current_time()

    async def _hello(self, reader: FrameReader) -> Hello:
        """Read who calls; where very many say nothing, who has said nothing for longest goes.

        Raises:
            TimeoutError: They say nothing.
        """
        with anyio.fail_after(_HELLO_S) as waiting:
            self._unknown.append(waiting)
            if len(self._unknown) > _MOST_UNKNOWN:
                self._unknown[0].cancel()
            try:
                return await reader.hello()
            finally:
                self._unknown.remove(waiting)
        raise TimeoutError


async def serve(stream: SocketStream, reader: FrameReader, attempt: Try, purpose: str) -> None:
    """Serve a worker's call: what it says of the job, or its line to the broker."""
    callbacks = attempt.callbacks
    if purpose == "job":
        async with background() as tasks:
            tasks.start_soon(tell_pauses, stream, attempt)
            await follow(stream, reader, attempt)
    elif callbacks.broker is not None:
        await pump(stream, await anyio.connect_unix(callbacks.broker.folder() / _SOCKET))


async def follow(stream: SocketStream, reader: FrameReader, attempt: Try) -> None:
    """Take what a worker says, until it has handed over what came of the job.

    Raises:
        ValueError: It says more than a job of this kind can have to say.
    """
    job = attempt.job
    lines = deque[bytes](maxlen=KEPT_LINES if isinstance(job, CommandJob) else None)
    most_lines = len(job.requests) + 1 if isinstance(job, ItemsJob) else math.inf
    size, artefact = 0, bytearray()
    while True:
        # A union is a type at runtime, and none that a type variable takes.
        message = await reader.receive(cast("type[ToDoor]", ToDoor))
        match message:
            case Told(line):
                if len(lines) == lines.maxlen:
                    size -= len(lines[0])
                lines.append(line)
                size += len(line)
                if len(lines) > most_lines or size > _MOST_LINE_BYTES:
                    raise ValueError("more lines than a job of this kind has")
                attempt.callbacks.told(line)
            case Begins(number):
                await attempt.callbacks.may_begin(number)
                await send(stream, Go())
            case ArtefactPart(data):
                artefact += data
                if len(artefact) > MOST_ARTEFACT_BYTES:
                    raise ValueError("a larger artefact than fits")
            case Finished(state, code, reason):
                outcome = JobOutcome(
                    state=state,
                    lines=tuple(lines),
                    code=code,
                    reason=reason,
                    artefact=bytes(artefact),
                )
                await send(stream, Receipt(attempt.keep(outcome)))
                return


async def tell_pauses(stream: SocketStream, attempt: Try) -> None:
    """Tell a worker for how long the model of its code has been failing."""
    told = 0.0
    while True:
        await anyio.sleep(_LOOK_S)
        if (seconds := attempt.callbacks.paused_s()) != told:
            told = seconds
            with suppress(*GONE):
                await send(stream, Paused(seconds))


@asynccontextmanager
async def open_door(host: str) -> AsyncGenerator[Door]:
    """Listen on a free port while the context lasts.

    Args:
        host: The address of this machine that workers can reach.
    """
    listener = await anyio.create_tcp_listener(local_host=host)
    port = listener.extra(SocketAttribute.local_port)  # noqa: S610  (anyio, not Django)
    door = Door(DoorAddress(host, port))
    async with listener, background() as tasks:
        tasks.start_soon(listener.serve, door.handle)
        yield door
