"""CPU time of this program and of all that it starts, counted by the kernel for a control group.

What a program knows of its children misses most: bubblewrap's first process is reaped inside.
"""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

Seconds = Callable[[], float]


@contextmanager
def counted() -> Generator[Seconds | None]:
    """Put this process into a group of its own; None where the host does not let us.

    Enter it before anything is started that shall be counted.
    """
    made = _make_group()
    if made is None:
        yield None
        return
    try:
        _enter(made)
        yield lambda: _used_s(made)
    finally:
        _enter(made.parent)
        with suppress(OSError):  # what was killed in it may still be on its way out
            made.rmdir()


def _make_group() -> Path | None:
    parent = _own_group()
    if parent is None or not os.access(parent / "cgroup.procs", os.W_OK):
        return None
    made = parent / f"hyperspace-benchmark-{os.getpid()}"
    try:
        made.mkdir()
    except OSError:
        return None
    return made


def _own_group() -> Path | None:
    ours = Path("/proc/self/cgroup").read_text().splitlines()
    path = next((line[3:] for line in ours if line.startswith("0::")), None)
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        if path is not None and after.startswith("cgroup2 "):
            return Path(before.split()[4], path.lstrip("/"))
    return None


def _enter(group: Path) -> None:
    (group / "cgroup.procs").write_text(str(os.getpid()))


def _used_s(group: Path) -> float:
    fields = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return int(fields["usage_usec"]) / 1e6
