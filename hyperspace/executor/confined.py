"""A command that nobody trusts, played in a sandbox; what it leaves is taken as data.

Its budget is kept by the host's program beside it and by the kernel; nothing that the command says
or writes is believed. An artefact is a regular file of a bounded size: no link is followed, and
nothing is opened that waits.
"""

import os
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import anyio
import msgspec

from guards.sandboxes.control import START_S, beside
from guards.sandboxes.sandbox import Job, Running, Sandbox, SandboxEnded, SandboxError
from guards.scope.walk import Form, read_entry
from hyperspace.executor.errors import MachineUnfit
from hyperspace.executor.jobs import ConfinedJob, JobOutcome, LeftBehind

_FORMS: Final[Mapping[Form, str]] = {
    "folder": "a folder",
    "link": "a link, and links are not followed",
    "special": "neither a file nor a folder",
    "unreadable": "nothing that can be read",
}


_LOOK_S: Final = 0.1
_SPARE_S: Final = 1.0  # beyond a budget of CPU seconds: the program inside ends a job before
_MOST_LINES: Final = 1_000


class ArtefactRefused(Exception):
    """What a command has left is not what may be taken."""


class _Trained(msgspec.Struct):
    """What the program inside tells of a command: at its end, or while it runs.

    Attributes:
        log: The end of its log; while it runs, lines that came since.
        is_running: Whether there is more to come, to be asked for.
        error: How it failed; empty where it did not.
        is_over: Whether its budget ended it.
        cpu_s: CPU seconds that it took.
    """

    log: str
    is_running: bool = False
    error: str = ""
    is_over: bool = False
    cpu_s: float = 0.0


class Given(msgspec.Struct, frozen=True):
    """What a command may use of the machine that plays it.

    Attributes:
        cards: Graphics cards that it holds, by number.
        folders: Folders that it reads, by their names inside.
    """

    cards: tuple[int, ...] = ()
    folders: Mapping[str, Path] = {}


NOTHING: Final = Given()


async def play_confined(
    job: ConfinedJob,
    sandbox: Sandbox,
    label: str,
    told: Callable[[bytes], None],
    given: Given = NOTHING,
) -> JobOutcome:
    """Play a command in a fresh sandbox, and take what it leaves.

    Args:
        job: The job.
        sandbox: Where it runs.
        label: Names what is started, so that leftovers can be found.
        told: Told lines of its log as they come; of a flood not every one.
        given: What it may use of this machine.

    Raises:
        MachineUnfit: The sandbox could not be started or spoken to.
    """
    started = Job(
        "score",
        job.files,
        limits=job.limits,
        label=label,
        packages=job.packages or (),
        cards=given.cards,
        folders=given.folders,
    )
    try:
        async with sandbox.start(started) as running:
            return await _play(job, running, told)
    except msgspec.ValidationError:  # forged, in a sandbox that is no boundary
        return JobOutcome(state="failed", reason="it broke the sandbox's protocol")
    except SandboxError as error:
        raise MachineUnfit(str(error)) from error


async def _play(job: ConfinedJob, running: Running, told: Callable[[bytes], None]) -> JobOutcome:
    frame = {
        "op": "train",
        "command": job.command,
        "cpu_s": job.cpu_s,
        "wall_s": job.run_s,
        "processes": job.processes,
        "log_bytes": job.log_bytes,
    }
    # The sandbox's own wall clock bounds all requests together.
    wait_s = job.run_s + START_S
    clock = _GroupClock(running, job.cpu_s)
    heard = deque[bytes](maxlen=_MOST_LINES)
    try:
        async with beside(clock.keep):
            trained = msgspec.convert(await running.request(frame, wait_s), _Trained)
            while trained.is_running:
                for line in trained.log.splitlines():
                    heard.append(line.encode())
                    told(line.encode())
                trained = msgspec.convert(await running.request({"op": "go on"}, wait_s), _Trained)
    except SandboxEnded as ended:
        if clock.is_over:
            return _over(job, tuple(heard), clock.left(0.0))
        left = msgspec.msgpack.encode(clock.left(0.0))
        state = "timed_out" if ended.reason in ("wall_clock", "cpu_time") else "failed"
        return JobOutcome(state=state, lines=tuple(heard), reason=str(ended), artefact=left)
    lines = tuple(line.encode() for line in trained.log.splitlines())
    files, state, reason = dict[str, bytes](), "done", ""
    folder = await running.finish()  # every process has ended: nothing changes any more
    left = clock.left(trained.cpu_s)
    try:
        if trained.error:
            state, reason = "timed_out" if trained.is_over else "failed", f"it {trained.error}"
        elif left.cpu_s > job.cpu_s + _SPARE_S:
            return _over(job, lines, left)
        else:
            files = {path: _artefact(folder, path, most) for path, most in job.artefacts.items()}
    except ArtefactRefused as refused:
        state, reason = "failed", str(refused)
    finally:
        os.close(folder)
    left = msgspec.msgpack.encode(msgspec.structs.replace(left, files=files))
    return JobOutcome(state=state, lines=lines, reason=reason, artefact=left)


class _GroupClock:
    """CPU seconds of a job as the host's kernel counts them, where it does.

    Args:
        running: Where it is about to begin.
        most_s: CPU seconds that it may take.
    """

    def __init__(self, running: Running, most_s: float) -> None:
        self._running = running
        self._before_s = running.cpu_s()
        self._most_s = most_s
        self.is_over = False

    async def keep(self) -> None:
        """End what goes on beyond its budget; what the program inside ends is ended before."""
        while (used_s := self._used_s()) is not None:
            if used_s > self._most_s + 2 * _SPARE_S:
                self.is_over = True
                os.close(await self._running.finish())
                return
            await anyio.sleep(_LOOK_S)

    def left(self, sampled_s: float) -> LeftBehind:
        """Return what is on record of the time; of sampled seconds where nothing better is."""
        if (used_s := self._used_s()) is None:
            return LeftBehind(sampled_s, cpu_by="sampling")
        return LeftBehind(round(used_s, 3), cpu_by="control group")

    def _used_s(self) -> float | None:
        if self._before_s is None or (now_s := self._running.cpu_s()) is None:
            return None
        return now_s - self._before_s


def _over(job: ConfinedJob, lines: tuple[bytes, ...], left: LeftBehind) -> JobOutcome:
    return JobOutcome(
        state="timed_out",
        lines=lines,
        reason=f"it used more than {job.cpu_s} CPU seconds",
        artefact=msgspec.msgpack.encode(left),
    )


def _artefact(folder: int, path: str, most_bytes: int) -> bytes:
    """Read what a command has left.

    Raises:
        ArtefactRefused: There is nothing, or nothing that may be taken.
    """
    entry = read_entry(folder, path, most_bytes)
    if entry is None:
        raise ArtefactRefused(f"it left no {path}")
    if entry.form == "oversized":
        raise ArtefactRefused(f"the {path} that it left has more than {most_bytes:,} bytes")
    if entry.content is None:
        raise ArtefactRefused(f"the {path} that it left is {_FORMS[entry.form]}")
    return entry.content
