"""The part of an executor that does not hang on where jobs are played: queue, tries, verdicts."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, Protocol

import anyio
import msgspec
from anyio.abc import TaskGroup

from hyperspace.executor.background import background
from hyperspace.executor.base import JobCallbacks, Recovered
from hyperspace.executor.errors import TryLost, WorkerEnded
from hyperspace.executor.jobs import ExecutorJob, ItemsJob, JobId, JobOutcome, job_id
from hyperspace.executor.journal import Journal

MOST_TRIES: Final = 3


class Try(msgspec.Struct, frozen=True):
    """One try at a job.

    Attributes:
        id: The job's.
        job: What is played.
        callbacks: The coordinator's side of it.
        fence: Tells this try from those before.
        keep: Keeps what came of it; returns whether this try still counted.
    """

    id: JobId
    job: ExecutorJob
    callbacks: JobCallbacks
    fence: str
    keep: Callable[[JobOutcome], bool]


class JobBackend(Protocol):
    """Where jobs are played."""

    def check(self, job: ExecutorJob) -> None:
        """Check that some slot has what a job needs.

        Raises:
            ExecutorUsageError: None has.
        """
        ...

    async def play(self, attempt: Try) -> None:
        """Play one try, and keep what came of it before returning.

        Raises:
            TryLost: Nothing was kept.
            ExecutorError: No job can be played here any more.
        """
        ...


class _Entry:
    """A job that was submitted."""

    def __init__(self) -> None:
        self.ended = anyio.Event()
        self.scope = anyio.CancelScope()
        self.outcome: JobOutcome | None = None
        self.error: Exception | None = None


class QueuedExecutor:
    """Plays jobs at a backend, so many at a time; implements `Executor`."""

    def __init__(self, backend: JobBackend, slots: int, journal: Journal, tasks: TaskGroup) -> None:
        """Begin with an empty queue.

        Args:
            backend: Where jobs are played.
            slots: How many at a time; those that wait take their turns in order.
            journal: Keeps what comes of them.
            tasks: Where they are watched; when it ends, so do they.
        """
        self.slots = slots
        self._backend = backend
        self._journal = journal
        self._tasks = tasks
        self._free = anyio.Semaphore(slots)
        self._entries: dict[JobId, _Entry] = {}

    async def submit(self, job: ExecutorJob, callbacks: JobCallbacks) -> JobId:
        """Queue a job; see `Executor`."""
        id_ = job_id(job)
        if id_ in self._entries:
            return id_
        entry = _Entry()
        entry.outcome = self._journal.outcome_anywhere(id_)
        if entry.outcome is None:
            self._backend.check(job)  # what is on record needs no machine
            self._tasks.start_soon(self._watch, id_, job, callbacks, entry)
        else:
            entry.ended.set()
        self._entries[id_] = entry
        return id_

    async def wait(self, job: JobId) -> JobOutcome:
        """Return what came of a job; see `Executor`."""
        entry = self._entries[job]
        await entry.ended.wait()
        if entry.error is not None:
            raise entry.error
        return entry.outcome or JobOutcome(state="cancelled", reason="it was cancelled")

    async def cancel(self, job: JobId) -> None:
        """End a job; see `Executor`."""
        if (entry := self._entries.get(job)) is not None and not entry.ended.is_set():
            entry.scope.cancel()
            await entry.ended.wait()

    def forget(self, job: JobId) -> None:
        """Drop what is kept of a job that has ended; see `Executor`."""
        entry = self._entries.get(job)
        if entry is None or entry.ended.is_set():
            self._entries.pop(job, None)
            self._journal.forget(job)

    def recover(self) -> Recovered:
        """Return the jobs of coordinators before this one; see `Executor`."""
        return Recovered(self._journal.running(), self._journal.done())

    async def _watch(
        self, id_: JobId, job: ExecutorJob, callbacks: JobCallbacks, entry: _Entry
    ) -> None:
        try:
            with entry.scope:
                async with self._free:
                    entry.outcome = await self._outcome(id_, job, callbacks)
        except Exception as error:  # of any kind: whoever waits for the job is told
            entry.error = error
        finally:
            entry.ended.set()

    async def _outcome(self, id_: JobId, job: ExecutorJob, callbacks: JobCallbacks) -> JobOutcome:
        """Try until something came of it that counts; a time limit holds over all tries."""
        losses: list[TryLost] = []
        with anyio.move_on_after(job.wall_s):
            while len(losses) < most_tries(job):
                fence = self._journal.begin(id_)
                callbacks.began()
                keep = partial(self._journal.keep, id_, fence)
                try:
                    await self._backend.play(Try(id_, job, callbacks, fence, keep))
                except TryLost as lost:
                    losses.append(lost)
                if (outcome := self._journal.outcome(id_)) is not None:
                    return outcome
            return verdict(losses)
        # A worker may have been heard just before the limit struck.
        late = self._journal.outcome(id_)
        return late or JobOutcome(state="timed_out", reason=f"it took longer than {job.wall_s} s")


def most_tries(job: ExecutorJob) -> int:
    """Return how often a job is tried.

    Calls of a model go on record in the order in which they are made, so a job that made some is
    tried again only with all that its attempt has on record, by whoever submitted it.
    """
    return 1 if isinstance(job, ItemsJob) and job.asks_model else MOST_TRIES


def verdict(losses: list[TryLost]) -> JobOutcome:
    """Return what is said of a job of which every try was lost."""
    last = str(losses[-1])
    if len(losses) == MOST_TRIES and all(isinstance(lost, WorkerEnded) for lost in losses):
        return JobOutcome(state="failed", reason=f"it ended {MOST_TRIES} workers; the last: {last}")
    return JobOutcome(state="lost", reason=f"{last} (tries: {len(losses)})")


@asynccontextmanager
async def queued(
    backend: JobBackend, slots: int, journal: Journal
) -> AsyncGenerator[QueuedExecutor]:
    """Open an executor; when the context ends, so do its jobs."""
    async with background() as tasks:
        yield QueuedExecutor(backend, slots, journal, tasks)
