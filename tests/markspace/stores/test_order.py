"""One total order: what a watcher has seen is never followed by something older."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from uuid import UUID

import anyio
import anyio.to_thread
import pytest

from markspace import MarkSpace, Scope
from markspace.stores.base import Store
from markspace.stores.sqlite import SQLiteStore
from tests.markspace.stores.order_process import BATCH, write
from tests.support.paths import ROOT
from tests.support.servers.postgres_server import PostgresServer

WRITERS, COUNT = 16, 10
TOTAL = WRITERS * COUNT // 2 * (1 + BATCH)
PROCESSES = 4


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Both backends."""
    return request.param


def seen_while(space: MarkSpace, is_over: Callable[[], bool]) -> list[UUID]:
    """Look again and again from the last sequence seen; return the ids in the order seen."""
    seen: list[UUID] = []
    over = False
    while not over:
        over = is_over()
        for sequence, mark in space.history(after=len(seen)):
            assert sequence == len(seen) + 1
            seen.append(mark.id)
    return seen


def check(space: MarkSpace, seen: list[UUID]) -> None:
    """Check that nothing came at or below a sequence that was seen, and nothing is missing."""
    assert [mark.id for _, mark in space.history()] == seen
    assert len(set(seen)) == len(seen) == space.head() == TOTAL
    assert space.verify().ok


def test_a_reader_beside_16_threads_sees_each_sequence_once_and_in_order(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], store=store)
    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(write, space, f"w{n}", COUNT) for n in range(WRITERS)]
        seen = seen_while(space, lambda: all(writer.done() for writer in writers))
    check(space, seen)
    for writer in writers:
        places = [seen.index(mark_id) for mark_id in writer.result()]
        assert places == sorted(places)


@pytest.mark.anyio
async def test_a_watcher_beside_16_threads_sees_all_in_order(store: Store) -> None:
    space, seen = MarkSpace([Scope(name="a")], store=store), list[UUID]()

    async def watch() -> None:
        async with aclosing(space.watch()) as marks:
            async for mark in marks:
                seen.append(mark.id)
                if len(seen) == TOTAL:
                    return

    limiter = anyio.CapacityLimiter(WRITERS)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            for n in range(WRITERS):
                work = (write, space, f"w{n}", COUNT)
                group.start_soon(lambda work=work: anyio.to_thread.run_sync(*work, limiter=limiter))
    check(space, seen)


def write_by_processes(address: str) -> list[subprocess.Popen[bytes]]:
    """Start 16 writers in 4 processes."""
    program = str(ROOT / "tests/markspace/stores/order_process.py")
    share = str(WRITERS // PROCESSES)
    commands = [
        [sys.executable, program, address, f"p{n}", share, str(COUNT)] for n in range(PROCESSES)
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return [subprocess.Popen(command, env=environment) for command in commands]


def check_processes(store: Store, address: str) -> None:
    """Read beside 16 writers in 4 processes."""
    space = MarkSpace([Scope(name="a")], store=store)
    writers = write_by_processes(address)
    seen = seen_while(space, lambda: all(writer.poll() is not None for writer in writers))
    assert [writer.wait() for writer in writers] == [0] * PROCESSES
    check(space, seen)
    store.close()


@pytest.mark.long
def test_a_reader_beside_16_writers_in_4_processes_on_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "space.db"
    check_processes(SQLiteStore(path, timeout_s=60), str(path))


@pytest.mark.postgres
def test_a_reader_beside_16_writers_in_4_processes_on_postgres(postgres: PostgresServer) -> None:
    from markspace.stores.postgres import PostgresStore

    check_processes(PostgresStore(postgres.dsn, "order", timeout_s=60), postgres.dsn)
