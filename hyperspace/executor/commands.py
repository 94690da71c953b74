"""Commands of a job, played one after another as processes that end with this one."""

import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from typing import Final

import anyio
from anyio.abc import ByteReceiveStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream

from hyperspace.executor.errors import MachineFailed, MachineUnfit
from hyperspace.executor.jobs import PYTHON, CommandJob, JobOutcome
from hyperspace.executor.kill_with_parent import tied

LONGEST_LINE: Final = 64 * 1024**2  # bytes
LONGEST_COMPLAINT: Final = 8_000  # bytes of standard error that are kept
KEPT_LINES: Final = 1_000  # of standard output, in what came of a job
MOST_ARTEFACT_BYTES: Final = 900 * 1024**2  # what one row of SQLite takes
GRACE_S: Final = 20.0  # for an interrupted run to take its sandboxes down


async def play_commands(
    job: CommandJob,
    folder: Path,
    env: Mapping[str, str],
    told: Callable[[bytes], None],
) -> JobOutcome:
    """Play the commands of a job in a folder.

    Args:
        job: The job.
        folder: Where its files lie, and where its commands work; it is made if it is not there.
        env: Their environment.
        told: Told each line of their standard output as it comes.

    Raises:
        MachineUnfit: The folder cannot be written, or a program is not there.
        MachineFailed: What it leaves is too large.
    """
    lines = deque[bytes](maxlen=KEPT_LINES)

    def take(line: bytes) -> None:
        lines.append(line)
        told(line)

    try:
        if job.artefact:  # an earlier try's, which was not handed over
            (folder / job.artefact).unlink(missing_ok=True)
        write_files(folder, job.files)
        for command in job.commands:
            code, complaint = await _play(command, folder, env, take)
            if code:
                return JobOutcome(state="failed", lines=tuple(lines), code=code, reason=complaint)
        artefact = read_artefact(folder, job.artefact)
    except OSError as error:
        raise MachineUnfit(f"{folder}: {error.strerror or error}") from error
    return JobOutcome(state="done", lines=tuple(lines), artefact=artefact)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write what lies in a job's folder before it begins."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def read_artefact(folder: Path, name: str) -> bytes:
    """Read the file that a job has left; empty where it leaves none."""
    if not name:
        return b""
    size = (folder / name).stat().st_size
    if size > MOST_ARTEFACT_BYTES:
        raise MachineFailed(f"{folder / name} has {size:,} bytes, and {MOST_ARTEFACT_BYTES:,} fit")
    return (folder / name).read_bytes()


async def _play(
    command: Sequence[str], folder: Path, env: Mapping[str, str], take: Callable[[bytes], None]
) -> tuple[int, str]:
    """Play one command; returns its exit code and, if that is not 0, its last complaint."""
    program, *arguments = command
    program = sys.executable if program == PYTHON else program
    # A session of its own: Ctrl-C on the terminal reaches it once, from us.
    process = await anyio.open_process(
        tied((program, *arguments)),
        stdin=PIPE,  # held open: the program ends with it
        stdout=PIPE,
        stderr=PIPE,
        cwd=folder,
        env=env,
        start_new_session=True,
    )
    try:
        complaint = await _listen(process, take)
        code = await process.wait()
    finally:
        await _end(process)
    return code, "".join(complaint.strip().splitlines()[-1:]) if code else ""


async def _listen(process: Process, take: Callable[[bytes], None]) -> str:
    """Hand over each line of standard output; returns the end of standard error."""
    kept = bytearray()
    assert process.stdout is not None and process.stderr is not None  # noqa: S101  narrows types
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_keep_end, process.stderr, kept)
        lines = BufferedByteReceiveStream(process.stdout)
        # A line without an end counts for nothing.
        with suppress(anyio.IncompleteRead, anyio.EndOfStream):
            while True:
                take(await lines.receive_until(b"\n", LONGEST_LINE))
    return kept.decode("utf-8", "replace")


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
