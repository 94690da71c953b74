"""Items that are asked elsewhere: a job of an executor, told of here as if its sandbox were here.

What decides stays here: labels, ids, the broker, what counts as a crash, and the record.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec

from guards.parsing import UNDECODABLE, decode_json
from guards.sandboxes.sandbox import Job, SandboxEnded, SandboxLost
from hyperspace.executor.background import background
from hyperspace.executor.base import Executor, JobCallbacks
from hyperspace.executor.items import LINES, CodeEnded
from hyperspace.executor.jobs import ItemsJob, JobId, JobOutcome
from hyperspace.executor.resources import Resources


class Elsewhere(msgspec.Struct, frozen=True):
    """Where blocks of items are asked, if not in sandboxes of this machine.

    Attributes:
        executor: Plays them.
        resources: What each holds there.
    """

    executor: Executor
    resources: Resources


class Ahead(msgspec.Struct, frozen=True, kw_only=True):
    """What a sandbox elsewhere will be asked.

    Attributes:
        frames: The requests, in order.
        skipped: Of how many the replies are known, or of no interest.
        request_s: Seconds for each.
        sandbox: Name of the sandbox.
        asks_model: Whether the code may call its model.
        label: Names the job for people.
    """

    frames: Sequence[Mapping[str, Any]]
    skipped: int = 0
    request_s: float
    sandbox: str
    asks_model: bool
    label: str


class RemoteItems:
    """A sandbox elsewhere that was told all requests before; implements `sandbox.Running`.

    Args:
        skipped: Of how many of the first the replies are not asked for here.
    """

    def __init__(self, skipped: int = 0) -> None:
        self._begun = skipped  # requests that may begin
        self._served = skipped
        self._lines: list[bytes] = []
        self._outcome: JobOutcome | None = None
        self._error: Exception | None = None
        self._changed = anyio.Event()

    @property
    def workspace(self) -> Path:
        """There is none here."""
        raise NotImplementedError("the workspace is on another machine")

    @property
    def inside_path(self) -> str:
        """There is none here."""
        raise NotImplementedError("the workspace is on another machine")

    def cpu_s(self) -> float | None:
        """Nobody here counts them."""
        return None

    async def finish(self) -> int:
        """Nothing is handed over from there."""
        raise NotImplementedError("the workspace is on another machine")

    async def request(self, frame: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Return the reply to the next of the requests; see `sandbox.Running`."""
        del frame, timeout_s  # they are there already
        number, self._served = self._served, self._served + 1
        self._begun = self._served
        self._tell()
        while len(self._lines) <= number and self._outcome is None and self._error is None:
            await self._changed.wait()
        if self._error is not None:
            raise self._error
        reply = self._reply(number)
        if isinstance(reply, CodeEnded):
            raise SandboxEnded(reply.reason, reply.detail)
        return reply

    def _reply(self, number: int) -> dict[str, Any] | CodeEnded:
        if number < len(self._lines):
            return _told(self._lines[number])
        if self._lines and isinstance(last := _told(self._lines[-1]), CodeEnded):
            return last  # it ended at a request whose reply is skipped
        raise _ending(self._outcome or JobOutcome(state="lost"))

    async def may_begin(self, number: int) -> None:
        """Return when a request has begun here, so that the broker knows what calls are for."""
        while self._begun <= number:
            await self._changed.wait()

    def take(self, line: bytes) -> None:
        """Take a reply as it comes."""
        self._lines.append(line)
        self._tell()

    async def watch(self, executor: Executor, job: JobId) -> None:
        """Take what came of the job."""
        try:
            self._outcome = await executor.wait(job)
            self._lines = list(self._outcome.lines) or self._lines
        except Exception as error:  # of any kind: whoever waits for a reply is told
            self._error = error
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


def _told(line: bytes) -> dict[str, Any] | CodeEnded:
    try:
        told = LINES.decode(line)
        return told if isinstance(told, CodeEnded) else decode_json(told.frame, dict[str, Any])
    except UNDECODABLE as error:
        raise SandboxLost(f"a worker told what is no reply ({error})") from error


def _ending(outcome: JobOutcome) -> Exception:
    if outcome.state == "failed":  # it ended one worker after another
        return SandboxEnded("exited", outcome.reason)
    if outcome.state == "timed_out":
        return SandboxEnded("wall_clock", outcome.reason)
    return SandboxLost(f"{outcome.reason}; nothing is lost, the same command goes on")


@asynccontextmanager
async def remote_items(elsewhere: Elsewhere, job: Job, ahead: Ahead) -> AsyncGenerator[RemoteItems]:
    """Have a sandbox job asked elsewhere while the context lasts.

    Raises:
        ExecutorError: Jobs cannot run there.
    """
    asked = RemoteItems(ahead.skipped)
    callbacks = JobCallbacks(label=ahead.label, broker=job.broker, paused_s=job.paused_s)
    if ahead.asks_model:
        # It is tried once, so that each line comes once.
        callbacks = msgspec.structs.replace(callbacks, told=asked.take, may_begin=asked.may_begin)
    order = ItemsJob(
        files=dict(job.files),
        shared=dict(job.shared),
        requests=tuple(map(msgspec.json.encode, ahead.frames)),
        request_s=ahead.request_s,
        limits=job.limits,
        sandbox=ahead.sandbox,
        asks_model=ahead.asks_model,
        resources=elsewhere.resources,
    )
    id_ = await elsewhere.executor.submit(order, callbacks)
    try:
        async with background() as tasks:
            tasks.start_soon(asked.watch, elsewhere.executor, id_)
            yield asked
    finally:
        with anyio.CancelScope(shield=True):
            await elsewhere.executor.cancel(id_)
        elsewhere.executor.forget(id_)
