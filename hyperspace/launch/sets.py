"""A set of runs, such as one arm with several seeds: each a job of an executor, told of as one.

Each run is a command line that tells its events as JSON lines on standard output, and its result as
the last one. A run is as durable here as alone: the same set again goes on with what is unfinished.
Those that play at the same time share the window of each provider in equal parts.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import msgspec

from guards.parsing import UNDECODABLE, decode_json
from hyperspace.executor.base import Executor, JobCallbacks
from hyperspace.executor.jobs import CommandJob, JobOutcome
from hyperspace.executor.journal import Journal
from hyperspace.executor.local.backend import LocalBackend
from hyperspace.executor.queue import queued
from hyperspace.kernel.errors import RunError
from hyperspace.kernel.events import Event
from hyperspace.kernel.run.interrupts import run_interruptible
from hyperspace.models.policy.traffic import SHARED_BY

Tell = Callable[[str, Event], None]
"""Told (label, event) of every run."""

Take = Callable[[JobOutcome, Any], Any]
"""Takes over what a finished run left, given what it said last; returns what is said of it here."""


def _as_it_is(_outcome: JobOutcome, said: Any) -> Any:
    return said


class Planned(msgspec.Struct, frozen=True):
    """A run of a set.

    Attributes:
        label: Names it among the others.
        job: Plays it.
        take: Takes over what it left, where it was played elsewhere.
    """

    label: str
    job: CommandJob
    take: Take = _as_it_is


class MemberOutcome(msgspec.Struct, frozen=True):
    """The end of one run of a set.

    Attributes:
        label: See `Planned`.
        code: Its exit code: 0 if it is finished.
        result: What it said last; None if it said nothing that is JSON.
        complaint: Why it is not finished, in a line; empty if it is, or said nothing.
    """

    label: str
    code: int
    result: Any
    complaint: str


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def processes(parallel: int, runs: int) -> AbstractAsyncContextManager[Executor]:
    """Return the executor of this machine whose jobs are processes in the folder of work.

    Args:
        parallel: How many at the same time, at least 1.
        runs: How many there are.
    """
    parallel = max(1, min(parallel, runs))
    env = os.environ | {SHARED_BY: str(parallel)}
    return queued(LocalBackend(lambda _: Path.cwd(), env), parallel, Journal())


def run_set(
    planned: Sequence[Planned], executor: AbstractAsyncContextManager[Executor], tell: Tell
) -> list[MemberOutcome]:
    """Play every run of a set to its end; one that fails stops none of the others.

    Args:
        planned: The runs.
        executor: Where they are played.
        tell: Told what happens in all of them.

    Returns:
        One outcome for each, in the order of the plan.

    Raises:
        KeyboardInterrupt: It was interrupted, and so was every run.
        ExecutorError: They cannot be played there.
    """
    outcomes: dict[str, MemberOutcome] = {}

    async def play() -> None:
        async with executor as opened, anyio.create_task_group() as tasks:
            one = anyio.CapacityLimiter(1)
            for run in planned:
                tasks.start_soon(_play, opened, run, tell, outcomes, one)

    run_interruptible(play)
    return [outcomes[run.label] for run in planned]


async def _play(
    executor: Executor,
    planned: Planned,
    tell: Tell,
    outcomes: dict[str, MemberOutcome],
    one: anyio.CapacityLimiter,
) -> None:
    told = partial(_take_line, planned.label, tell, list[Any]())
    job = await executor.submit(planned.job, JobCallbacks(label=planned.label, told=told))
    outcome = await executor.wait(job)
    # Not on the loop: a worker's whole run may be unpacked. One after the other: what it takes to
    # read a run is imported then, and its records are resolved (`hyperspace.resolving`).
    outcomes[planned.label] = await anyio.to_thread.run_sync(
        _member_outcome, planned, outcome, limiter=one
    )
    if outcome.state == "done":
        executor.forget(job)  # what it left was taken, or is not what it said it was


def _member_outcome(planned: Planned, outcome: JobOutcome) -> MemberOutcome:
    said: list[Any] = []
    for line in outcome.lines:
        _take_line(planned.label, _nobody, said, line)
    result = said[-1] if said else None
    code = outcome.code if outcome.state in ("done", "failed") else 1
    reason = outcome.reason
    if outcome.state == "done":
        try:
            result = planned.take(outcome, result)
        except RunError as error:
            code, reason = 1, str(error)
    elif outcome.state == "failed":
        code = code or 1
    return MemberOutcome(planned.label, code, result, reason)


def _nobody(_label: str, _event: Event) -> None:
    pass


def _take_line(label: str, tell: Tell, said: list[Any], line: bytes) -> None:
    try:
        event: Event = msgspec.json.decode(line, type=Event)
    except UNDECODABLE:
        with suppress(msgspec.DecodeError):  # whatever it printed, it may be no result either
            said.append(decode_json(line, object))
    else:
        tell(label, event)
