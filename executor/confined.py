"""A command that nobody trusts, played in a sandbox; what it leaves is taken as data.

Its budget is kept by the host's program beside it and by the kernel; nothing that the command says
or writes is believed. An artefact is a regular file of a bounded size: no link is followed, and
nothing is opened that waits.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from executor.errors import MachineUnfit
from executor.jobs import ConfinedJob, JobOutcome, LeftBehind
from guards.sandboxes.control import START_S
from guards.sandboxes.sandbox import Job, Running, Sandbox, SandboxEnded, SandboxError
from guards.scope.walk import Form, read_entry

_FORMS: Final[Mapping[Form, str]] = {
    "folder": "a folder",
    "link": "a link, and links are not followed",
    "special": "neither a file nor a folder",
    "unreadable": "nothing that can be read",
}


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
    except SandboxEnded as ended:
        state = "timed_out" if ended.reason in ("wall_clock", "cpu_time") else "failed"
        return JobOutcome(state=state, reason=str(ended))
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
    trained = msgspec.convert(await running.request(frame, wait_s), _Trained)
    while trained.is_running:
        for line in trained.log.splitlines():
            told(line.encode())
        trained = msgspec.convert(await running.request({"op": "go on"}, wait_s), _Trained)
    lines = tuple(line.encode() for line in trained.log.splitlines())
    files, state, reason = dict[str, bytes](), "done", ""
    if trained.error:
        state, reason = "timed_out" if trained.is_over else "failed", f"it {trained.error}"
    else:
        folder = await running.finish()  # every process has ended: nothing changes any more
        try:
            files = {path: _artefact(folder, path, most) for path, most in job.artefacts.items()}
        except ArtefactRefused as refused:
            state, reason = "failed", str(refused)
        finally:
            os.close(folder)
    left = msgspec.msgpack.encode(LeftBehind(trained.cpu_s, files))
    return JobOutcome(state=state, lines=lines, reason=reason, artefact=left)


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
