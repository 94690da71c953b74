"""Finding and removing what a killed coordinator left behind, by the label of its run."""

import hashlib
import os
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PATIENCE_S = 5.0


def marker(label: str) -> str:
    """Name that the processes and folders of a label carry; fit for a path."""
    return f"hyperspace-{hashlib.sha256(label.encode()).hexdigest()[:16]}"


def kill_marked(mark: str) -> None:
    """Kill every process whose environment carries the mark; return when none is left.

    A process that forks while we look is found in the next round.
    """
    until = time.monotonic() + PATIENCE_S
    while (pids := list(_marked(mark.encode()))) and time.monotonic() < until:
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def sweep_marked(label: str) -> None:
    """Kill the processes of a label, then remove its temporary folders."""
    mark = marker(label)
    kill_marked(mark)
    for folder in Path(tempfile.gettempdir()).glob(f"{mark}-*"):
        remove_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder, also where code inside took away permissions."""
    for parent, names, _ in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            if not path.is_symlink():
                path.chmod(stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def _marked(mark: bytes) -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended, or it is another user's
            if int(entry.name) != os.getpid() and mark in (entry / "environ").read_bytes():
                yield int(entry.name)
