"""Bounds on all processes of a sandbox together, by control groups, where the host lets us.

With version 2 of control groups a group is made below the nearest group above us that hands its
children memory and process controllers and that we may write to (root, or a delegated session);
with version 1 beside us in each controller's hierarchy. Where there is neither, the limits of each
process have to do. A group also counts the CPU time of all that ever ran in it, whoever waited for
it; with version 2 any group that we may make does.
"""

import os
import secrets
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import anyio
import anyio.to_thread

from guards.sandboxes.bubblewrap.confinement import tree_memory_bytes
from guards.sandboxes.sandbox import Job, Limits
from guards.sandboxes.sweep import marker

PERIOD_US = 100_000  # one processor for all: so much CPU time in so much wall time
PATIENCE_S = 2.0
STEP_S = 0.001
CONTROLLERS = ("memory", "pids", "cpu", "cpuacct")
NEEDED = frozenset({"memory", "pids"})


class GroupParent(NamedTuple):
    """A folder of the kernel's in which groups can be made.

    Attributes:
        folder: The folder.
        controllers: What groups in it can bound.
        version: 1 or 2.
    """

    folder: Path
    controllers: frozenset[str]
    version: int


@asynccontextmanager
async def bounded(job: Job, pid: int) -> AsyncGenerator[Sequence[str]]:
    """Bound a process and all that it starts; enter this before it starts anything.

    Gives its groups.

    The kernel takes milliseconds to move a process, and to end a group: a thread waits for that.

    Args:
        job: Its limits and its label.
        pid: The process, as this machine numbers it.
    """
    made: Sequence[str] = ()
    try:
        if places():
            # Shielded: nobody ends the process yet if this is cancelled.
            with anyio.CancelScope(shield=True):
                made = await anyio.to_thread.run_sync(enter_groups, job.label, job.limits, pid)
        yield made
    finally:
        if made:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(remove_groups, made)


def enter_groups(label: str, limits: Limits, pid: int) -> Sequence[str]:
    """Move a process into groups of its own; return those that the host lets it be in.

    Args:
        label: Names the run.
        limits: Bounds of all that the process will start.
        pid: The process, as this machine numbers it.
    """
    made: list[str] = []
    for parent in places():
        with suppress(OSError):  # the host does not let us after all, or it has ended
            made.append(_enter(parent, label, limits, pid))
    return made


def group_cpu_s(groups: Sequence[str]) -> float | None:
    """Return the CPU seconds of all that ever ran in groups; None where none of them counts."""
    for group in groups:
        # Where the group is that of a controller which does not count, there is no such file.
        with suppress(OSError), open(f"{group}/cpuacct.usage") as file:  # noqa: PTH123
            return int(file.read()) / 1e9
        with suppress(OSError), open(f"{group}/cpu.stat") as file:  # noqa: PTH123
            for name, value in map(str.split, file):
                if name == "usage_usec":
                    return int(value) / 1e6
    return None


def groups_of(pid: int) -> Sequence[str]:
    """Return the groups of a process that somebody else has put into some, and not those of ours.

    Args:
        pid: The process, as this machine numbers it.
    """
    found: list[str] = []
    for kind, controller in (("cgroup", "cpuacct"), ("cgroup2", "")):
        with suppress(OSError):
            path = _path_of(pid, controller)
            if path != _path_of(os.getpid(), controller):
                found += [str(mount / path) for mount in _mounts(kind, controller)]
    return found


def remove_groups(groups: Sequence[str]) -> None:
    """End what is left in groups, and remove them."""
    for group in groups:
        _remove(group)


def sweep_groups(label: str) -> None:
    """Remove the groups that a killed coordinator of that label left behind."""
    for parent in places():
        for group in parent.folder.glob(f"{marker(label)}-*"):
            _remove(str(group))


@cache
def places() -> tuple[GroupParent, ...]:
    """Folders in which groups can be made. The answer is kept for the process's life."""
    try:
        if (unified := _unified()) is not None:
            return (unified,)
        return (*_separate(), *_counting())
    except OSError:  # a kernel without control groups
        return ()


def _unified() -> GroupParent | None:
    for mount in _mounts("cgroup2", ""):
        own = mount / _path_of(os.getpid(), "")
        for folder in (own, *own.parents):
            if not folder.is_relative_to(mount):
                break
            handed = frozenset[str]()
            with suppress(OSError):  # a group that is not handed any
                handed = frozenset((folder / "cgroup.subtree_control").read_text().split())
            if handed >= NEEDED and _is_ours(folder):
                return GroupParent(folder, handed.intersection(CONTROLLERS), 2)
    return None


def _separate() -> tuple[GroupParent, ...]:
    """Folders of version 1; controllers whose hierarchy is one share a folder."""
    shared: dict[Path, set[str]] = {}
    for controller in CONTROLLERS:
        for mount in _mounts("cgroup", controller):
            folder = (mount / _path_of(os.getpid(), controller)).resolve()
            if _is_ours(folder):
                shared.setdefault(folder, set()).add(controller)
                break
    return tuple(GroupParent(folder, frozenset(names), 1) for folder, names in shared.items())


def _counting() -> Iterator[GroupParent]:
    """A folder of version 2 whose groups bound nothing, where no other hierarchy counts."""
    if any(_mounts("cgroup", "cpuacct")):
        return
    for mount in _mounts("cgroup2", ""):
        if _is_ours(folder := mount / _path_of(os.getpid(), "")):
            yield GroupParent(folder, frozenset(), 2)
            return


def _is_ours(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _path_of(pid: int, controller: str) -> str:
    for line in os.fsdecode(Path(f"/proc/{pid}/cgroup").read_bytes()).splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(","):
            return path.lstrip("/")
    return ""


def _mounts(kind: str, controller: str) -> Iterator[Path]:
    for line in os.fsdecode(Path("/proc/self/mountinfo").read_bytes()).splitlines():
        before, _, after = line.partition(" - ")
        type_, _, options = after.split(" ", 2)
        if type_ == kind and (not controller or controller in options.split(",")):
            yield Path(before.split()[4])


def _enter(parent: GroupParent, label: str, limits: Limits, pid: int) -> str:
    group = f"{parent.folder}/{marker(label)}-{secrets.token_hex(8)}"
    os.mkdir(group)  # noqa: PTH102  here and below: a Path costs as much as the call
    try:
        for name, value in _bounds(parent, limits).items():
            with suppress(FileNotFoundError):  # swap cannot be bounded where there is none
                _write(f"{group}/{name}", value)
        _write(f"{group}/cgroup.procs", str(pid))
    except OSError:
        _remove(group)
        raise
    return group


def _write(file: str, value: str) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CLOEXEC)  # the kernel's file: never made by us
    try:
        os.write(handle, value.encode())
    finally:
        os.close(handle)


@lru_cache(maxsize=64)
def _bounds(parent: GroupParent, limits: Limits) -> dict[str, str]:
    memory, processes = str(tree_memory_bytes(limits)), str(limits.processes)
    named = {
        ("memory", 1): {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory},
        ("memory", 2): {"memory.max": memory, "memory.swap.max": "0", "memory.oom.group": "1"},
        ("pids", 1): {"pids.max": processes},
        ("pids", 2): {"pids.max": processes},
        ("cpu", 1): {"cpu.cfs_period_us": f"{PERIOD_US}", "cpu.cfs_quota_us": f"{PERIOD_US}"},
        ("cpu", 2): {"cpu.max": f"{PERIOD_US} {PERIOD_US}"},
    }
    bounding = [name for name in parent.controllers if (name, parent.version) in named]
    return {k: v for name in bounding for k, v in named[name, parent.version].items()}


def _remove(group: str) -> None:
    """Remove a group; what has just ended in it keeps it for a moment."""
    with suppress(OSError):  # version 1 has no such file
        _write(f"{group}/cgroup.kill", "1")
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            os.rmdir(group)  # noqa: PTH106
        except FileNotFoundError:
            return
        except OSError:  # busy
            time.sleep(STEP_S)
        else:
            return
