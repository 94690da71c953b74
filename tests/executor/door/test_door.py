"""The coordinator's door: who is heard, and what comes back through it."""

import socket
from errno import ENOSPC
from functools import partial
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from anyio.abc import SocketStream

from agents.broker.socket_folder import SOCKET_NAME
from executor.base import JobCallbacks
from executor.door.caller import broker_line, calling
from executor.door.door import Door, open_door
from executor.door.wire import TryCall
from executor.errors import MachineFailed
from executor.jobs import CommandJob, ItemsJob, JobId, JobOutcome
from executor.journal import Journal
from executor.queue import Try
from guards.sandboxes.sandbox import Limits

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


async def test_a_broker_that_cannot_be_reached_is_told_before_a_try_is_expected() -> None:
    order = ItemsJob(
        files={},
        shared={},
        requests=(),
        request_s=1.0,
        limits=Limits(),
        sandbox="process",
        asks_model=True,
    )
    attempt = begun(Journal(), JobCallbacks(broker=AtFolder(None)), order)
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
