"""The host's side of a started sandbox, the same for every kind: boot, requests, limits, end.

A kind of sandbox brings two things: a process whose stdin, stdout and stderr lead to `inside/init`,
and a `Tree` that can end every process inside.
"""

import os
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from math import inf
from pathlib import Path
from signal import SIGKILL, SIGXCPU
from typing import Any, Protocol, TypeVar

import anyio
from anyio.abc import Process

from guards.defences import ALL_IN_FORCE, Without
from guards.sandboxes.bubblewrap.cgroup import group_cpu_s
from guards.sandboxes.frames import ChannelClosed, FrameChannel, FrameError
from guards.sandboxes.sandbox import Job, SandboxEnded, SandboxFailed, SandboxLost

START_S = 30.0  # longer than any start on a busy machine
LAST_WORDS_S = 1.0
LOOK_AGAIN_S = 0.02
TAIL_BYTES = 2_000
TAIL_CHARACTERS = 200
LOST = (
    "what holds the sandbox was killed from outside (by the kernel for want of memory?); "
    "nothing is lost, the same command goes on"
)

T = TypeVar("T")


class Tree(Protocol):
    """The processes of one sandbox, and the workspace that they work on."""

    @property
    def workspace(self) -> Path:
        """Host path of the workspace, valid while the sandbox lives."""
        ...

    @property
    def is_lost(self) -> bool:
        """True if what holds the processes, and no code inside, has ended them."""
        ...

    async def end(self) -> None:
        """Kill every process inside; return when none is left. Safe to call twice."""
        ...


class ControlledRun:
    """A started sandbox, driven over its control channel; implements `Running`.

    Args:
        process: Its stdin, stdout and stderr are control in, frames out and log.
        tree: Ends its processes.
        job: Says which bounds the host enforces (wall clock, output, frames) and which time does
            not count.
        inside_path: The workspace's path as code inside sees it.
        without: Defences that a test has taken away.
        groups: Control groups that hold all of its processes.
    """

    def __init__(
        self,
        process: Process,
        tree: Tree,
        job: Job,
        inside_path: str,
        without: Without = ALL_IN_FORCE,
        groups: Sequence[str] = (),
    ) -> None:
        self._process = process
        self._tree = tree
        self._groups = groups
        self._limits = job.limits
        self._paused_s = job.paused_s
        self.inside_path = inside_path
        sink, source = _piped(process.stdin), _piped(process.stdout)
        self._channel = FrameChannel(sink, source, job.limits.frame_bytes, without)
        self._tail = b""
        self._log_closed = anyio.Event()
        self._is_up = anyio.Event()
        self._ended: tuple[str, str] | None = None
        self._folder = -1
        self._request = anyio.CancelScope()
        self._due_s = inf  # when the request at hand has to be answered, on the clock of `_spent_s`
        self._looks_s = inf  # when `watch_clock` looks next, on the same clock
        self._is_due_sooner = anyio.Event()

    @property
    def workspace(self) -> Path:
        """Host path of the workspace, for watching."""
        return self._tree.workspace

    async def request(self, frame: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send one frame and wait for the next one back; see `Running`."""
        if self._ended:
            raise self._ending()
        self._due_s = self._spent_s() + timeout_s
        if self._due_s < self._looks_s:
            self._is_due_sooner.set()
        try:
            with anyio.CancelScope() as self._request:
                return await self._exchange(frame)
        except anyio.get_cancelled_exc_class():
            self._ended = self._ended or ("protocol", "the host gave up a request half way")
            raise
        finally:
            self._due_s = inf
        await self._end("wall_clock", f"no answer within {timeout_s:g} s")
        raise self._ending()

    async def finish(self) -> int:
        """End every process inside, then hand over the workspace; see `Running`."""
        await self._end("exited", "the host ended it")
        return os.dup(self._folder)

    def cpu_s(self) -> float | None:
        """Return the CPU seconds that all inside has taken; see `Running`."""
        return group_cpu_s(self._groups)

    async def boot(self, message: bytes) -> None:
        """Send files, limits and program, and wait until they are in place.

        Raises:
            SandboxFailed: It did not come up.
        """
        try:
            with anyio.fail_after(START_S):
                await self._channel.send_bytes(message)
                await self._channel.receive()
            self._folder = os.open(self.workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            self._is_up.set()
        except (ChannelClosed, FrameError, OSError) as error:  # an OSError may be a TimeoutError
            await self._hear_last_words()
            # No code of the workspace has run yet that could have done it.
            if self._tree.is_lost or self._process.returncode == 128 + SIGKILL:
                raise SandboxLost(LOST) from error
            why = f"{error!r}; last output: {self._printed()}"
            raise SandboxFailed(f"the sandbox did not start: {why}") from error

    async def drain_log(self) -> None:
        """Read what is printed, keep the end of it, and end a flood."""
        total, limit = 0, self._limits.output_bytes
        with suppress(anyio.ClosedResourceError):
            async for part in _piped(self._process.stderr):
                total += len(part)
                self._tail = (self._tail + part)[-TAIL_BYTES:]
                if total > limit:
                    await self._end("output", f"more than {limit} bytes printed")
                    break
        self._log_closed.set()

    async def watch_clock(self) -> None:
        """End the request at hand, or the run, when its wall clock, from `boot` on, is spent."""
        await self._is_up.wait()
        # One task for all requests of a run: to begin one for each costs more than a request does.
        end_s = self._spent_s() + self._limits.wall_s
        while (now_s := self._spent_s()) < end_s:
            if now_s >= self._due_s:
                self._due_s = inf
                self._request.cancel()
            self._looks_s = min(end_s, self._due_s)
            self._is_due_sooner = anyio.Event()
            with anyio.move_on_after(max(self._looks_s - now_s, LOOK_AGAIN_S)):
                await self._is_due_sooner.wait()
        await self._end("wall_clock", f"it ran longer than {self._limits.wall_s:g} s in all")
        # The end of the processes ends the request; where it does not, the request ends anyway.
        await anyio.sleep(2 * LAST_WORDS_S)
        self._request.cancel()

    async def close(self) -> None:
        """End everything and release what the host holds. Runs to its end also when cancelled."""
        with anyio.CancelScope(shield=True):
            await self._tree.end()
            await self._process.aclose()
        if self._folder >= 0:
            os.close(self._folder)

    async def _exchange(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return await self._channel.ask(frame)
        except FrameError as error:
            await self._end("protocol", str(error))
        except ChannelClosed:
            await self._hear_last_words()
            code = self._process.returncode
            reason = "cpu_time" if code == 128 + SIGXCPU else "exited"
            await self._end(reason, _status(code))
        raise self._ending()

    def _spent_s(self) -> float:
        """The clock of wall-clock limits, which stands still while the code inside is excused."""
        return time.monotonic() - self._paused_s()

    async def _hear_last_words(self) -> None:
        with anyio.move_on_after(LAST_WORDS_S):
            await self._log_closed.wait()
            await self._process.wait()

    async def _end(self, reason: str, detail: str) -> None:
        # The first reason stands: later ones are consequences of the kill.
        self._ended = self._ended or (reason, detail)
        with anyio.CancelScope(shield=True):
            await self._tree.end()

    def _ending(self) -> SandboxEnded | SandboxLost:
        if self._tree.is_lost:
            return SandboxLost(LOST)
        reason, detail = self._ended or ("exited", "it ended")
        return SandboxEnded(reason, f"{detail}; last output: {self._printed()}")

    def _printed(self) -> str:
        text = self._tail.decode("utf-8", "replace")
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return line[-TAIL_CHARACTERS:] or "(none)"


@asynccontextmanager
async def controlled(run: ControlledRun, message: bytes) -> AsyncGenerator[ControlledRun]:
    """Boot a run, watch it while the body works with it, and end it whatever happens.

    Raises:
        SandboxFailed: It did not come up.
    """
    try:
        async with beside(run.drain_log, run.watch_clock):
            await run.boot(message)
            yield run
    finally:
        await run.close()


@asynccontextmanager
async def beside(*jobs: Callable[[], Coroutine[Any, Any, None]]) -> AsyncGenerator[None]:
    """Run jobs while the context lasts; an error of the body leaves it as it is, in no group."""
    held: Exception | None = None
    async with anyio.create_task_group() as group:
        for job in jobs:
            group.start_soon(job)
        try:
            yield
        except Exception as error:  # any: raised again below, where no group wraps it
            held = error
        group.cancel_scope.cancel()
    if held is not None:
        raise held


def _status(code: int | None) -> str:
    if code is None:
        return "it closed its channel"
    if code == 128 + SIGXCPU:
        return "it used up its CPU time"
    if code > 128:
        return f"it was killed by signal {code - 128}"
    return f"it exited with status {code}"


def _piped(stream: T | None) -> T:
    if stream is None:
        raise SandboxFailed("a sandbox process was started without its pipes")
    return stream
