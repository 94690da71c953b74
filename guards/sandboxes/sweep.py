"""Finding and removing what a killed coordinator left behind, by the label of its run."""

import hashlib
import os
import shutil
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

from guards.sandboxes.own_folder import own_folder

PATIENCE_S = 5.0
_FOLDER: Final = os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


@lru_cache
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
    for folder in own_folder().glob(f"{mark}-*"):
        remove_folder(folder)


def remove_lent(folder: Path, name: str) -> None:
    """Remove a folder that was made for one file, and whatever else may lie in it by now."""
    try:
        os.unlink(f"{folder}/{name}")  # noqa: PTH108  a Path costs more than the removal
        folder.rmdir()
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder, also where code inside took away permissions.

    It is walked by descriptors: code that still runs may put links in the place of folders.
    """
    _permit(folder, None)
    with suppress(OSError):  # it is gone
        for _, names, _, descriptor in os.fwalk(folder):
            for name in names:
                _permit(name, descriptor)
    shutil.rmtree(folder, ignore_errors=True)


def _permit(name: str | Path, above: int | None) -> None:
    """Give ourselves all rights to a folder, and to nothing that a link leads to."""
    with suppress(OSError):  # it is none, or it is gone
        handle = os.open(name, _FOLDER, dir_fd=above)
        try:
            Path(f"/proc/self/fd/{handle}").chmod(stat.S_IRWXU)
        finally:
            os.close(handle)


def _marked(mark: bytes) -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended, or it is another user's
            if int(entry.name) != os.getpid() and mark in (entry / "environ").read_bytes():
                yield int(entry.name)
