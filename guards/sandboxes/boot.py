"""Start of a sandbox: the first process's command line, its limits, the boot frame."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.frames import with_head
from guards.sandboxes.sandbox import Job, Limits, SandboxFailed
from guards.scope.edit_scope import is_plain

INSIDE = Path(__file__).parent / "inside"

ResourceLimits = Mapping[str, tuple[int, int]]

# Not 0: the kernel hands a crash to the host's handler of core dumps (`|program`) at every limit
# but 1, and 1 is too small for a dump to a file.
NO_CORE_BYTES = 1
NO_BOUND = 1 << 62
UNBOUNDED = {Defence.CORE: "RLIMIT_CORE", Defence.MESSAGE_QUEUES: "RLIMIT_MSGQUEUE"}

ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
}


@cache
def source(name: str) -> str:
    """Source of a module that runs inside; of a run's whole life the one that was read first."""
    return (INSIDE / f"{name}.py").read_text()


def init_command(python: str) -> list[str]:
    """Command line of the first process inside."""
    # Not -I: it makes Python ignore PYTHONHASHSEED, and the environment holds only ours anyway.
    return [python, "-P", "-s", "-S", "-c", source("init")]


def resource_limits(
    limits: Limits, without: Without = ALL_IN_FORCE, *, has_card: bool = False
) -> dict[str, tuple[int, int]]:
    """Soft and hard resource limits of each process inside, by the kernel's names.

    Args:
        limits: The bounds.
        without: Defences that a test has taken away.
        has_card: Whether it may use a graphics card (`Job.cards`).
    """
    bounds = {
        # One second between soft and hard: SIGXCPU names the cause, SIGKILL cannot be ignored.
        "RLIMIT_CPU": (limits.cpu_s, limits.cpu_s + 1),
        "RLIMIT_DATA" if has_card else "RLIMIT_AS": _both(limits.memory_bytes),
        "RLIMIT_NPROC": _both(limits.processes),
        "RLIMIT_NOFILE": _both(limits.open_files),
        "RLIMIT_FSIZE": _both(limits.disk_bytes),
        "RLIMIT_CORE": _both(NO_CORE_BYTES),
        "RLIMIT_MSGQUEUE": _both(0),
    }
    for defence, name in UNBOUNDED.items():
        if defence in without:
            del bounds[name]
    if Defence.HARD_LIMITS in without:
        return {name: (soft, NO_BOUND) for name, (soft, _) in bounds.items()}
    return bounds


def boot_message(
    job: Job, limits: ResourceLimits, *, tied: bool, without: Without = ALL_IN_FORCE
) -> bytes:
    """The boot frame and the bytes of the workspace's files.

    Args:
        job: What to run.
        limits: Soft and hard values, set before any code of the workspace runs.
        tied: Whether the first process must watch for the host's end by itself.
        without: Defences that a test has taken away.

    Raises:
        SandboxFailed: A path of the job could lead out of the workspace.
    """
    bad = [path for path in job.files if not is_plain(path)]
    if bad:
        raise SandboxFailed(f"a workspace cannot hold the path {bad[0]!r}; use plain relative ones")
    frame = {
        "name": job.program,
        "program": source(job.program),
        "files": [(path, len(content)) for path, content in job.files.items()],
        "limits": limits,
        "end_with_host": tied,
        "apart": Defence.CHANNEL not in without,
        "alone": job.limits.alone,
    }
    return with_head(msgspec.json.encode(frame)) + b"".join(job.files.values())


def _both(value: int) -> tuple[int, int]:
    return value, value
