"""A fenced lease on the run, with a heartbeat (docs/reference/determinism.md)."""

import os
import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import anyio

from guards.processes import process_start
from hyperspace.kernel.errors import RunHeld, another_place
from markspace import MarkSpace
from markspace.errors import LeaseHeld, StaleFence, StoreError
from markspace.keeping.leases import Lease

NAME = "coordinator"
TTL_S = 10.0
BEAT_S = 3.0
IN_PLAY = "is being worked on by"
"""What a process says of a run that another one plays."""


class Heartbeat:
    """Holds a run's lease and keeps it fresh."""

    def __init__(self, space: MarkSpace, lease: Lease) -> None:
        self._space = space
        self.lease = lease

    async def keep(self) -> None:
        """Renew the lease until cancelled.

        Raises:
            RunHeld: Somebody else has taken the run over.
        """
        while True:
            await anyio.sleep(BEAT_S)
            renew(self._space, self.lease)

    @contextmanager
    def told_first(self) -> Generator[None]:
        """Raise the loss of the lease in place of an error that it may have caused.

        Whoever takes a run over sweeps the sandboxes and sockets of the coordinator before it, so
        that one which wakes again fails on whatever it touches first.

        Raises:
            RunHeld: Somebody else has taken the run over.
        """
        try:
            yield
        except Exception:  # of any kind: a socket's folder, a sandbox, a file that is gone
            with suppress(StoreError):  # what happened first is told, not that the store is down
                renew(self._space, self.lease)
            raise

    def release(self) -> None:
        """Give the lease back, so that the next start need not wait."""
        self._space.leases.release(self.lease)


@contextmanager
def still_ours() -> Generator[None]:
    """Turn the loss of a lease into an error of the run.

    Raises:
        RunHeld: Somebody else has taken the run over.
    """
    try:
        yield
    except StaleFence as error:
        raise RunHeld(
            "this coordinator was out for too long and another has taken its run over; "
            "nothing of it was lost or written twice"
        ) from error


def renew(space: MarkSpace, lease: Lease) -> None:
    """Keep a lease fresh.

    Raises:
        RunHeld: Somebody else has taken the run over.
    """
    with still_ours():
        space.leases.renew(lease)


def take_lease(space: MarkSpace, run: Path | str) -> Heartbeat:
    """Become the run's coordinator.

    A holder on this host whose process has ended is dead at once; one on another host is dead when
    its heartbeat is older than the lease.

    Args:
        space: Of the run.
        run: Its folder, or the address of its space on a server.

    Raises:
        RunHeld: Another coordinator is alive; says who, where and since when.
    """
    holder = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "machine": _machine(),
        "started": process_start("self"),
    }
    try:
        lease = space.leases.acquire(NAME, f"pid {os.getpid()}", TTL_S, holder, dead=_is_dead)
    except LeaseHeld as held:
        raise run_held(run, held) from held
    return Heartbeat(space, lease)


def run_held(run: Path | str, held: LeaseHeld) -> RunHeld:
    """Return the refusal of a run that another coordinator works on."""
    return RunHeld(
        f"{run} {IN_PLAY} {held.holder} on host {held.info.get('host')} "
        f"(last sign of life {held.age_s:.0f} s ago); wait for it, stop it, "
        f"or use {another_place(run)}"
    )


def holder_of(space: MarkSpace) -> LeaseHeld | None:
    """Who works on a run at present, told as `acquire` would; None if nobody who lives does."""
    held = space.leases.holder(NAME)
    return None if held is None or _is_dead(held.info) else held


def is_ours(space: MarkSpace) -> bool:
    """Return whether this process holds a run's lease, from a start that has ended."""
    held = space.leases.holder(NAME)
    return held is not None and _is_here(held.info) and held.info.get("pid") == os.getpid()


@cache
def _machine() -> str:
    """Tell this machine, and within it this container, from others of the same host name."""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    return ""


def _is_here(info: Mapping[str, Any]) -> bool:
    """Return whether process ids of a holder are those of this machine."""
    machine = _machine()
    return info.get("host") == socket.gethostname() and info.get("machine", machine) == machine


def _is_dead(info: Mapping[str, Any]) -> bool:
    pid = info.get("pid")
    if not _is_here(info) or not isinstance(pid, int):
        return False
    return process_start(pid) != info.get("started")
