"""A set of runs, such as one arm with several seeds: each a process of its own, told of as one.

Each run is a command line that tells its events as JSON lines on standard output, and its result as
the last one. A run is as durable here as alone: the same set again goes on with what is unfinished.
Those that play at the same time share the window of each provider in equal parts.
"""

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from subprocess import DEVNULL, PIPE
from typing import Any, Final

import anyio
import msgspec
from anyio.abc import ByteReceiveStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream

from agents.models.policy.traffic import SHARED_BY
from evolution.events import Event
from evolution.run.interrupts import run_interruptible

LONGEST_LINE: Final = 64 * 1024**2  # bytes
LONGEST_COMPLAINT: Final = 8_000  # bytes of standard error that are kept
GRACE_S: Final = 20.0  # for an interrupted run to take its sandboxes down

Tell = Callable[[str, Event], None]
"""Told (label, event) of every run."""


class Planned(msgspec.Struct, frozen=True):
    """A run of a set.

    Attributes:
        label: Names it among the others.
        command: Its command line, program first.
    """

    label: str
    command: tuple[str, ...]


class MemberOutcome(msgspec.Struct, frozen=True):
    """The end of one run of a set.

    Attributes:
        label: See `Planned`.
        code: Its exit code: 0 if it is finished.
        result: What it said last; None if it said nothing that is JSON.
        complaint: The last line of its standard error, if it failed.
    """

    label: str
    code: int
    result: Any
    complaint: str


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def run_set(planned: Sequence[Planned], parallel: int, tell: Tell) -> list[MemberOutcome]:
    """Play every run of a set to its end; one that fails stops none of the others.

    Args:
        planned: The runs.
        parallel: How many at the same time, at least 1.
        tell: Told what happens in all of them.

    Returns:
        One outcome for each, in the order of the plan.

    Raises:
        KeyboardInterrupt: It was interrupted, and so was every run.
    """
    outcomes: dict[str, MemberOutcome] = {}
    env = os.environ | {SHARED_BY: str(max(1, min(parallel, len(planned))))}

    async def play() -> None:
        slots = anyio.Semaphore(parallel)
        async with anyio.create_task_group() as tasks:
            for run in planned:
                tasks.start_soon(_play, run, slots, env, tell, outcomes)

    run_interruptible(play)
    return [outcomes[run.label] for run in planned]


async def _play(
    planned: Planned,
    slots: anyio.Semaphore,
    env: Mapping[str, str],
    tell: Tell,
    outcomes: dict[str, MemberOutcome],
) -> None:
    async with slots:
        # A session of its own: Ctrl-C on the terminal reaches it once, from us.
        process = await anyio.open_process(
            planned.command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=env,
            start_new_session=True,
        )
        try:
            said, complaint = await _listen(planned.label, process, tell)
            code = await process.wait()
        finally:
            await _end(process)
        last = complaint.strip().splitlines()[-1:] if code else []
        outcomes[planned.label] = MemberOutcome(planned.label, code, said, "".join(last))


async def _listen(label: str, process: Process, tell: Tell) -> tuple[Any, str]:
    """Return its last line that is no event, and the end of its standard error."""
    said: list[Any] = []
    kept = bytearray()
    assert process.stdout is not None and process.stderr is not None  # noqa: S101  narrows types
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_keep_end, process.stderr, kept)
        lines = BufferedByteReceiveStream(process.stdout)
        while line := await _next_line(lines):
            _take(label, line, tell, said)
    return (said[-1] if said else None), kept.decode("utf-8", "replace")


async def _next_line(lines: BufferedByteReceiveStream) -> bytes:
    """The next line; empty at the end, where a line without an end counts for nothing."""
    try:
        return await lines.receive_until(b"\n", LONGEST_LINE) + b"\n"
    except (anyio.IncompleteRead, anyio.EndOfStream):
        return b""


def _take(label: str, line: bytes, tell: Tell, said: list[Any]) -> None:
    try:
        event: Event = msgspec.json.decode(line, type=Event)
    except msgspec.DecodeError:
        with suppress(msgspec.DecodeError):  # whatever it printed, it may be no result either
            said.append(msgspec.json.decode(line))
    else:
        tell(label, event)


async def _keep_end(stream: ByteReceiveStream, kept: bytearray) -> None:
    async for part in stream:
        kept += part
        del kept[:-LONGEST_COMPLAINT]


async def _end(process: Process) -> None:
    """See to it that a run has ended; one that is interrupted is given time to clean up."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            with anyio.move_on_after(GRACE_S):
                await process.wait()
        if process.returncode is None:
            process.kill()
        await process.aclose()
