"""Plays on each kind of store, by processes of their own."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from os import sysconf
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.stress.process import Seat, Share, play
from benchmarks.stress.safety import Findings
from benchmarks.stress.world import World
from tests.support.servers.postgres_server import PostgresServer, why_not


class Missing(Exception):
    """A store cannot be used on this machine; the message says why."""


class Played(NamedTuple):
    """One play.

    Attributes:
        shares: What each process reports.
        disk_bytes: What the space takes on disk; None in memory.
        server_cpu_s: CPU time of the database server; 0 without one.
    """

    shares: Sequence[Share]
    disk_bytes: int | None = None
    server_cpu_s: float = 0.0

    @property
    def findings(self) -> Findings:
        """What the examination of the space says."""
        return next(share.findings for share in self.shares if share.findings is not None)


def play_at(world: World, address: str, processes: int) -> Sequence[Share]:
    """Play in so many processes on the space at an address.

    Raises:
        RuntimeError: One of them failed.
    """
    context = get_context("spawn")
    barrier = context.Barrier(processes)
    ends: list[Any] = []
    for number in range(processes):
        receiver, sender = context.Pipe(duplex=False)
        seat = Seat(number, processes, barrier)
        context.Process(target=_report, args=(world, address, seat, sender), daemon=True).start()
        sender.close()  # so that the end of the process is the end of the pipe
        ends.append(receiver)
    shares: list[Share] = []
    while ends:
        ready = wait(ends)
        for end in [end for end in ends if end in ready]:
            ends.remove(end)
            try:
                shares.append(end.recv())
            except EOFError:
                barrier.abort()  # nobody waits for a process that ended
                raise RuntimeError("a process of the play failed; its error is above") from None
    return shares


def _report(world: World, address: str, seat: Seat, sender: Connection) -> None:
    sender.send(play(world, address, seat))


def in_memory(world: World, processes: int) -> Played:
    """Play in the memory of one process."""
    del processes  # what lies in memory is not shared
    return Played(play_at(world, "", 1))


def in_sqlite(world: World, processes: int) -> Played:
    """Play on one SQLite file in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        shares = play_at(world, str(Path(folder) / "space.db"), processes)
        return Played(shares, sum(file.stat().st_size for file in Path(folder).iterdir()))


def in_postgres(world: World, processes: int) -> Played:
    """Play on a PostgreSQL server of its own.

    Raises:
        Missing: There is none here.
    """
    reason = why_not()
    if reason is not None:
        raise Missing(reason)
    server = PostgresServer()
    try:
        empty, cpu_s = database_bytes(server.dsn), server_cpu_s(server)
        shares = play_at(world, server.dsn, processes)
        grown = database_bytes(server.dsn) - empty
        return Played(shares, grown, server_cpu_s(server) - cpu_s)
    finally:
        server.remove()


def database_bytes(dsn: str) -> int:
    """Return what a database takes on disk."""
    import psycopg

    with psycopg.connect(dsn) as link:
        row = link.execute("SELECT pg_database_size(current_database())").fetchone()
    assert row is not None  # noqa: S101 - the statement always has a row
    return row[0]


def server_cpu_s(server: PostgresServer) -> float:
    """Return the CPU seconds of a server and of its connections that were closed."""
    pid = (server.folder / "data" / "postmaster.pid").read_text().split()[0]
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / sysconf("SC_CLK_TCK")


STORES: Final[Mapping[str, Callable[[World, int], Played]]] = {
    "memory": in_memory,
    "sqlite": in_sqlite,
    "postgres": in_postgres,
}
"""How to play on each store, by its name."""
