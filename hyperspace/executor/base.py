"""The seam to executors: where jobs run."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

import msgspec

from guards.sandboxes.sandbox import BrokerDoors
from hyperspace.executor.jobs import ExecutorJob, JobId, JobOutcome


def _tell_nobody(_line: bytes) -> None:
    pass


def _begin_nothing() -> None:
    pass


async def _at_once(_number: int) -> None:
    pass


class JobCallbacks(msgspec.Struct, frozen=True, kw_only=True):
    """The coordinator's side of a job while it runs; no part of what the job is.

    Attributes:
        label: Names it for people, such as `arm_a_full seed42`.
        began: Called when a try at the job begins: it was queued before.
        told: Told each line as it comes; from the first again where the job is tried again.
        may_begin: Returns when a request may begin, by its number (`ItemsJob.asks_model`).
        broker: Where the code's calls go.
        paused_s: Seconds so far in which the code waited for a model that was failing.
    """

    label: str = ""
    began: Callable[[], None] = _begin_nothing
    told: Callable[[bytes], None] = _tell_nobody
    may_begin: Callable[[int], Awaitable[None]] = _at_once
    broker: BrokerDoors | None = None
    paused_s: Callable[[], float] = float


class Recovered(NamedTuple):
    """The jobs of coordinators before this one.

    Attributes:
        running: Still played by somebody who lives.
        done: Done, and kept: submitted again they are not played again.
    """

    running: Sequence[JobId]
    done: Sequence[JobId]


class Executor(Protocol):
    """Plays jobs in slots.

    Contract (tests/hyperspace/executor/contract): equal jobs are one job. What is done is kept
    before anybody is told so, and what a worker that was given up says later changes nothing. A
    try that is lost with its worker or machine is made again, at most twice; a job that ended three
    workers has failed by its own fault, one that lost machines is lost. No job outlives
    its coordinator.
    """

    @property
    def slots(self) -> int:
        """How many jobs are played at a time."""
        ...

    async def submit(self, job: ExecutorJob, callbacks: JobCallbacks) -> JobId:
        """Queue a job, unless an equal one is queued, running or done.

        Raises:
            ExecutorUsageError: It asks for what no slot has.
        """
        ...

    async def wait(self, job: JobId) -> JobOutcome:
        """Return what came of a job, as soon as that is known.

        Raises:
            KeyError: No such job was submitted.
        """
        ...

    async def cancel(self, job: JobId) -> None:
        """End a job that is queued or running; of another it changes nothing."""
        ...

    def forget(self, job: JobId) -> None:
        """Drop what is kept of a job that has ended: an equal one is then played again."""
        ...

    def recover(self) -> Recovered:
        """Return the jobs of coordinators before this one."""
        ...
