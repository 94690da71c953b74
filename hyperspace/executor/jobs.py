"""What a job is, what it is known by, and what can come of it."""

from hashlib import sha256
from typing import Final, Literal, NewType

import msgspec

from guards.parsing import decode_msgpack
from guards.sandboxes.sandbox import Limits
from hyperspace.executor.resources import Resources

JobId = NewType("JobId", str)
CountedBy = Literal["", "control group", "sampling"]
"""The kernel counts in a control group whatever ran in it. Sampling sees what lives when it looks,
and what was waited for: with children that nobody waits for a job gets past it."""
State = Literal["done", "failed", "timed_out", "lost", "cancelled"]
PYTHON: Final = "python"
"""As the first word of a command: the interpreter of whoever plays it."""

_ENCODER = msgspec.json.Encoder(order="deterministic")


class ItemsJob(msgspec.Struct, frozen=True, kw_only=True, tag="items"):
    """Requests to one fresh sandbox, one after another, until it ends.

    What it says of each is its reply; of the last, it may be how the code ended the sandbox.
    Inputs come without labels, under ids that the coordinator has drawn.

    Attributes:
        files: The candidate's code, path to content.
        shared: Files that most jobs of a run have (`sandbox.Job.shared`).
        requests: JSON frames for the program `worker`.
        request_s: Seconds of the wall clock for each.
        limits: Bounds of the sandbox.
        sandbox: Its name.
        asks_model: Whether the code may call its model; each request then waits for its turn, so
            that the coordinator's broker knows what a call is for.
        resources: What it holds.
        wall_s: Seconds after which it is given up, whatever it does; None for no bound.
    """

    files: dict[str, bytes]
    shared: dict[str, bytes]
    requests: tuple[bytes, ...]
    request_s: float
    limits: Limits
    sandbox: str
    asks_model: bool = False
    resources: Resources = Resources()
    wall_s: float | None = None


class CommandJob(msgspec.Struct, frozen=True, kw_only=True, tag="command"):
    """Commands that are played one after another in a folder, and what they leave there.

    A job that is tried again on the same machine finds the folder as it was left, so commands that
    go on where they were lose nothing.

    Attributes:
        commands: Command lines, program first; one that fails ends the job.
        files: What lies in the folder before, path to content.
        artefact: Path in the folder of the file that is brought back; empty for none.
        resources: What it holds.
        wall_s: Seconds after which it is given up; None for no bound.
    """

    commands: tuple[tuple[str, ...], ...]
    files: dict[str, bytes] = {}
    artefact: str = ""
    resources: Resources = Resources()
    wall_s: float | None = None


class ConfinedJob(msgspec.Struct, frozen=True, kw_only=True, tag="confined"):
    """One command that nobody trusts, in a fresh sandbox, and the files that it leaves there.

    Attributes:
        command: The command line; `{python}` stands for the interpreter of sandboxes.
        files: What lies in the workspace before, path to content.
        artefacts: What it must leave, by path: the largest size in bytes.
        run_s: Seconds of the wall clock that the command may take.
        cpu_s: CPU seconds that it may take.
        processes: Processes and threads that it may be at a time; 1 starts none.
        log_bytes: How much of the end of its log is kept.
        limits: Bounds of the sandbox, wider than the command's.
        sandbox: Its name.
        packages: Python packages of the host that it needs; unset for none, so that a job is known
            by what it was known by before there were any.
        data: SHA-256 of folders that it reads, by their names inside; unset for none. Where such
            a folder lies is the machine's business.
        resources: What it holds.
        wall_s: Seconds after which it is given up over all tries; None for no bound.
    """

    command: tuple[str, ...]
    files: dict[str, bytes]
    artefacts: dict[str, int]
    run_s: float
    cpu_s: int
    sandbox: str
    packages: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    data: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    processes: int = 1
    log_bytes: int = 64 * 1024
    limits: Limits = Limits()
    resources: Resources = Resources()
    wall_s: float | None = None


ExecutorJob = ItemsJob | CommandJob | ConfinedJob


class JobOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job.

    Attributes:
        state: `failed`: the job's own code is to blame; `lost`: machines are.
        lines: What it said, in order: replies of a sandbox, the last 1,000 lines of standard
            output, or the end of a confined job's log.
        code: Exit code of the last command; 0 for a job that has none.
        reason: Why it is not done, in one sentence; empty where it is.
        artefact: Content of the file that it left; empty where it leaves none. Of a confined job,
            its `LeftBehind` as MessagePack.
    """

    state: State
    lines: tuple[bytes, ...] = ()
    code: int = 0
    reason: str = ""
    artefact: bytes = b""


class LeftBehind(msgspec.Struct, frozen=True):
    """What a confined job left behind.

    Attributes:
        cpu_s: CPU seconds that it took.
        files: Content of its artefacts, by path; none where it is not done.
        cpu_by: Who counted them; empty where it did not come that far.
    """

    cpu_s: float = 0.0
    files: dict[str, bytes] = {}
    cpu_by: CountedBy = ""


def left_behind(outcome: JobOutcome) -> LeftBehind:
    """Return what a confined job left behind; nothing where it did not come that far."""
    if not outcome.artefact:
        return LeftBehind()
    try:
        return decode_msgpack(outcome.artefact, LeftBehind)
    except msgspec.DecodeError:  # a worker's, and it is none
        return LeftBehind()


def job_id(job: ExecutorJob) -> JobId:
    """Return the SHA-256 of all that a job is: equal jobs are one job."""
    return JobId(sha256(_ENCODER.encode(job)).hexdigest())
