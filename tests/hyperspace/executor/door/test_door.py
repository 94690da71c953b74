"""The coordinator's door: who is heard, and what comes back through it."""

import socket
import struct
from contextlib import AsyncExitStack, suppress
from errno import ENOSPC
from functools import partial
from pathlib import Path
from typing import NamedTuple

import anyio
import msgspec
import pytest
from anyio.abc import SocketStream

from guards.sandboxes.sandbox import Limits
from hyperspace.broker.socket_folder import SOCKET_NAME
from hyperspace.executor.base import JobCallbacks
from hyperspace.executor.door.caller import broker_line, calling
from hyperspace.executor.door.door import Door, open_door
from hyperspace.executor.door.wire import Hello, TryCall
from hyperspace.executor.errors import MachineFailed
from hyperspace.executor.jobs import CommandJob, ItemsJob, JobId, JobOutcome
from hyperspace.executor.journal import Journal
from hyperspace.executor.queue import Try

pytestmark = pytest.mark.anyio
JOB = JobId("b" * 64)
DONE = JobOutcome(state="done", artefact=b"x" * 3_000_000)


def begun(
    journal: Journal,
    callbacks: JobCallbacks | None = None,
    job: ItemsJob | None = None,
) -> Try:
    fence = journal.begin(JOB)
    keep = partial(journal.keep, JOB, fence)
    return Try(JOB, job or CommandJob(commands=()), callbacks or JobCallbacks(), fence, keep)


def call_of(door: Door, attempt: Try) -> TryCall:
    return TryCall(door.address.host, door.address.port, attempt.id, attempt.fence, "a job")


async def test_what_a_worker_hands_over_is_kept_before_it_has_its_receipt() -> None:
    journal, told = Journal(), list[bytes]()
    attempt = begun(journal, JobCallbacks(told=told.append))
    async with open_door("127.0.0.1") as door:
        with door.expecting(attempt):
            async with calling(call_of(door, attempt)) as caller:
                caller.callbacks(None).told(b"a line")
                assert await caller.hand_over(DONE)
                assert journal.outcome(JOB) == JobOutcome(
                    state="done", lines=(b"a line",), artefact=DONE.artefact
                )
    assert told == [b"a line"]


async def test_a_worker_that_was_given_up_is_not_heard() -> None:
    journal, told = Journal(), list[bytes]()
    early = begun(journal, JobCallbacks(told=told.append))
    later = begun(journal)
    async with open_door("127.0.0.1") as door:
        with door.expecting(later):
            async with calling(call_of(door, early)) as caller:
                caller.callbacks(None).told(b"too late")
                with pytest.raises(MachineFailed):
                    await caller.hand_over(DONE)
            assert journal.outcome(JOB) is None
            async with calling(call_of(door, later)) as caller:
                assert await caller.hand_over(DONE)
    assert told == []


async def test_a_call_that_is_open_ends_when_its_try_is_given_up() -> None:
    journal = Journal()
    attempt = begun(journal)
    async with open_door("127.0.0.1") as door:
        with door.expecting(attempt):
            stack = calling(call_of(door, attempt))
            caller = await stack.__aenter__()
            caller.callbacks(None).told(b"so far")
        with pytest.raises(MachineFailed):
            await caller.hand_over(DONE)
        await stack.__aexit__(None, None, None)
    assert journal.outcome(JOB) is None


async def test_the_door_knows_for_how_long_a_worker_has_hung_up() -> None:
    attempt = begun(Journal())
    async with open_door("127.0.0.1") as door:
        with door.expecting(attempt):
            assert door.quiet_s(attempt) == 0.0
            async with calling(call_of(door, attempt)) as caller:
                await caller.callbacks(None).may_begin(0)
                assert door.quiet_s(attempt) == 0.0
            await anyio.sleep(0.5)
            assert 0.0 < door.quiet_s(attempt) < 60.0
        assert door.quiet_s(attempt) == 0.0


async def test_calls_of_code_reach_the_broker_of_the_coordinator(tmp_path: Path) -> None:
    async def shout(stream: SocketStream) -> None:
        async with stream:
            await stream.send((await stream.receive()).upper())

    broker = await anyio.create_unix_listener(tmp_path / SOCKET_NAME)
    async with broker, open_door("127.0.0.1") as door, anyio.create_task_group() as tasks:
        tasks.start_soon(broker.serve, shout)
        attempt = begun(Journal(), JobCallbacks(broker=AtFolder(tmp_path)))
        with door.expecting(attempt):
            async with (
                broker_line(call_of(door, attempt)) as line,
                await anyio.connect_unix(line.folder() / SOCKET_NAME) as inside,
            ):
                await inside.send(b"hello")
                assert await inside.receive() == b"HELLO"
                with pytest.raises(anyio.EndOfStream):
                    await inside.receive()
        tasks.cancel_scope.cancel()


def items(*requests: bytes, asks_model: bool = False) -> ItemsJob:
    return ItemsJob(
        files={},
        shared={},
        requests=requests,
        request_s=1.0,
        limits=Limits(),
        sandbox="process",
        asks_model=asks_model,
    )


async def test_a_broker_that_cannot_be_reached_is_told_before_a_try_is_expected() -> None:
    callbacks = JobCallbacks(broker=AtFolder(None))
    attempt = begun(Journal(), callbacks, items(asks_model=True))
    async with open_door("127.0.0.1") as door:
        with pytest.raises(OSError, match="No space left"), door.expecting(attempt):
            pytest.fail("it is expected")


class AtFolder(NamedTuple):
    """A broker that answers in a folder; implements `BrokerDoors`."""

    path: Path | None

    def folder(self) -> Path:
        """Return that folder."""
        if self.path is None:
            raise OSError(ENOSPC, "No space left on device")
        return self.path

    def answer_at(self, door: socket.socket) -> None:
        """Answer nobody."""
        door.close()


async def reached(door: Door, *sent: bytes) -> SocketStream:
    """A connection to the door over which somebody sent frames."""
    stream = await anyio.connect_tcp(door.address.host, door.address.port)
    for data in sent:
        await stream.send(struct.pack(">I", len(data)) + data)
    return stream


async def ends(stream: SocketStream, within_s: float = 5.0) -> bool:
    with anyio.move_on_after(within_s), suppress(anyio.BrokenResourceError):
        while True:
            try:
                await stream.receive()
            except anyio.EndOfStream:
                break
        return True
    return False


DEEP = b"\x91" * 3_900
"""Lists within lists, in MessagePack."""


@pytest.mark.parametrize("frame", [DEEP, b"\xc1", b"", b"\x80", b"\xde\xff\xff"])
async def test_a_frame_that_is_none_ends_its_connection_and_no_other(frame: bytes) -> None:
    journal = Journal()
    attempt = begun(journal)
    async with open_door("127.0.0.1") as door:
        with door.expecting(attempt):
            stream = await reached(door, frame)
            assert await ends(stream)
            await stream.aclose()
            hello = msgspec.msgpack.encode(Hello(attempt.id, attempt.fence, "job"))
            stream = await reached(door, hello, frame)
            assert await ends(stream)
            await stream.aclose()
            async with calling(call_of(door, attempt)) as caller:
                assert await caller.hand_over(DONE)


async def test_who_says_nothing_is_not_waited_for_and_keeps_nobody_out() -> None:
    attempt = begun(Journal())
    async with open_door("127.0.0.1") as door, AsyncExitStack() as stack:
        with door.expecting(attempt):
            silent = [await stack.enter_async_context(await reached(door)) for _ in range(300)]
            async with calling(call_of(door, attempt)) as caller:
                assert await caller.hand_over(DONE)
            assert await ends(silent[0], within_s=5.0), "the first of so many"
            assert await ends(silent[-1], within_s=15.0), "and in time each of them"


async def test_a_worker_says_no_more_than_its_job_has_to_say() -> None:
    attempt = begun(Journal(), job=items(b"{}", b"{}"))
    async with open_door("127.0.0.1") as door:
        with door.expecting(attempt):
            async with calling(call_of(door, attempt)) as caller:
                for _ in range(4):
                    caller.callbacks(None).told(b"{}")
                with pytest.raises(MachineFailed):
                    await caller.hand_over(DONE)
