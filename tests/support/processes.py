"""Processes on this machine that a test has started, and their control groups."""

import time
from contextlib import suppress
from pathlib import Path

from guards.sandboxes.bubblewrap.cgroup import places
from guards.sandboxes.sweep import marker


def descendants(pid: int) -> set[int]:
    """What a process has started, and what that has started: monitors, templates, candidates."""
    children = set[int]()
    with suppress(OSError):  # it ended while we looked
        children = {child for task in Path(f"/proc/{pid}/task").glob("*") for child in _born(task)}
    return children.union(*(descendants(child) for child in children))


def groups(label: str) -> list[Path]:
    """Control groups of sandboxes of that label."""
    return [group for parent in places() for group in parent.folder.glob(f"{marker(label)}-*")]


def counting() -> bool:
    """Whether the kernel counts the CPU time of a sandbox for us."""
    return any("cpuacct" in place.controllers or place.version == 2 for place in places())


def named_in_command(name: str) -> set[int]:
    """Processes whose command line holds a name."""
    pids = set[int]()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            if name.encode() in path.read_bytes():
                pids.add(int(path.parent.name))
    return pids


def _born(task: Path) -> list[int]:
    try:
        return [int(child) for child in (task / "children").read_text().split()]
    except OSError:  # the thread, or the process, ended while we looked
        return []


def left_after(seconds: float, pids: set[int]) -> set[int]:
    """Those of the processes that still run after so long."""
    until = time.monotonic() + seconds
    while (left := {pid for pid in pids if _runs(pid)}) and time.monotonic() < until:
        time.sleep(0.02)
    return left


def _runs(pid: int) -> bool:
    """Whether it is more than an entry that its parent has not collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
