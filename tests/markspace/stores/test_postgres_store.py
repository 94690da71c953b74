"""The PostgreSQL store: servers that go away, writers that are killed, names that are wrong."""

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import anyio.to_thread
import psycopg
import pytest

from markspace import Agent, MarkSpace, Observation, Scope
from markspace.errors import StoreMissing, StoreReadOnly, StoreUnavailable, StoreVersion
from markspace.stores.places import open_store
from markspace.stores.postgres import PostgresStore
from markspace.stores.sqlite import SQLiteStore
from tests.support.paths import ROOT
from tests.support.servers.postgres_server import PostgresServer

pytestmark = pytest.mark.postgres
WRITER = ROOT / "tests/markspace/stores/writer_process.py"
ANN = Agent(name="ann", scopes={"a": ["observation"]})
BATCH = 3
OPENERS = 4
OPENER = """
import sys, time
from markspace import MarkSpace, Scope
from markspace.stores.postgres import PostgresStore
print("ready", flush=True)
time.sleep(max(float(sys.stdin.readline()) - time.time(), 0))
store = PostgresStore(sys.argv[1], sys.argv[2])
MarkSpace([Scope(name=sys.argv[3])], store=store)
store.close()
"""


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Both backends."""
    return request.param


@pytest.fixture
def own_server(postgres: PostgresServer) -> Generator[PostgresServer]:
    """A server that this test may crash."""
    server = PostgresServer()
    yield server
    server.remove()


def open_at_once(dsn: str, space: str) -> list[str]:
    """Let processes open a space at the same moment; return what each complained of."""
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    commands = [[sys.executable, "-c", OPENER, dsn, space, f"s{n}"] for n in range(OPENERS)]
    openers = [subprocess.Popen(command, text=True, cwd=ROOT, **pipes) for command in commands]
    for opener in openers:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "ready\n"
    start = time.time() + 0.5
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write(f"{start}\n")
        opener.stdin.flush()
    return [opener.communicate(timeout=300)[1] for opener in openers]


def test_processes_that_open_a_new_space_at_once_all_get_it(postgres: PostgresServer) -> None:
    for attempt in range(5):
        space = f"new{attempt}"
        assert open_at_once(postgres.dsn, space) == [""] * OPENERS
        store = PostgresStore(postgres.dsn, space, read_only=True)
        names = [scope.name for scope in MarkSpace(store=store).scopes()]
        assert names == [f"s{n}" for n in range(OPENERS)]
        store.close()


def run_beside(module: str, *words: str) -> "subprocess.Popen[str]":
    """Start a program of this folder."""
    command = [sys.executable, "-m", f"tests.markspace.stores.{module}", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_a_process_that_stands_still_in_a_transaction_does_not_keep_the_others_out(
    postgres: PostgresServer,
) -> None:
    store = PostgresStore(postgres.dsn, "standing")
    standing = run_beside("standing_process", postgres.dsn, "standing")
    assert standing.stdout is not None
    assert standing.stdout.readline() == "inside\n"
    lease = MarkSpace(store=store).leases.acquire("early", "me", 60.0)
    standing.send_signal(signal.SIGCONT)
    assert "stood still inside a transaction" in standing.communicate(timeout=300)[0]
    with store.snapshot() as reader:
        assert [row.name for row in reader.leases("")] == [lease.name]
    store.close()


def test_leases_that_processes_beat_take_and_drop_at_once_end_in_typed_errors(
    postgres: PostgresServer,
) -> None:
    PostgresStore(postgres.dsn, "beating").close()
    racing = [run_beside("beating_process", postgres.dsn, "beating", seed) for seed in "12"]
    assert [process.communicate(timeout=300)[0] for process in racing] == ["end\n"] * 2


def test_heartbeats_are_in_the_time_of_the_server(postgres: PostgresServer) -> None:
    store = PostgresStore(postgres.dsn, "clocked")
    MarkSpace(store=store).leases.acquire("run", "ann", 60.0)
    with store.transaction() as tx, psycopg.connect(postgres.dsn) as link:
        row = link.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
        lease = tx.lease("run")
        assert row is not None
        assert lease is not None
        assert 0 <= row[0] - lease.heartbeat < 600
    store.close()


def test_a_copy_in_a_file_holds_what_the_space_holds(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    store = PostgresStore(postgres.dsn, "copied")
    space = MarkSpace([Scope(name="a")], store=store)
    large = Observation(scope="a", content="x" * 20_000)
    ids = [space.write(ANN, mark) for mark in (Observation(scope="a", topic="t"), large)]
    space.leases.acquire("run", "ann", 60.0)
    store.copy_to(tmp_path / "copy.db")
    copy = MarkSpace(store=SQLiteStore(tmp_path / "copy.db"))
    assert [mark for _, mark in copy.history()] == [mark for _, mark in space.history()]
    assert [mark.id for _, mark in copy.history()] == ids
    assert copy.verify(expected_head=space.audit_head()).ok
    assert copy.leases.holder("run") is None
    copy.store.close()
    store.close()


def start(dsn: str, name: str, count: int = -1) -> subprocess.Popen[str]:
    """Start a writer process."""
    command = [sys.executable, str(WRITER), dsn, name, str(BATCH), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def killed(dsn: str, rng: random.Random) -> list[UUID]:
    """Let a writer write for a moment, kill it, and return what it said was written."""
    writer = start(dsn, "w")
    assert writer.stdout is not None
    first = writer.stdout.readline()
    time.sleep(rng.uniform(0, 0.02))
    writer.kill()
    lines = first + writer.communicate()[0]
    whole = lines[: lines.rfind("\n") + 1].splitlines()
    return [UUID(name) for line in whole for name in line.split(",")]


def check(dsn: str, ids: list[UUID]) -> None:
    """Check that the space verifies, holds what was said, and no half batch."""
    store = PostgresStore(dsn, "crash")
    space = MarkSpace(store=store)
    assert space.verify().ok
    assert all(space.get_mark(name) is not None for name in ids)
    assert {len(entry.marks) for entry in space.audit()} <= {0, BATCH}
    store.close()


def kills(dsn: str, rounds: int) -> None:
    """Kill a writer again and again and check after each."""
    rng, ids = random.Random(5), list[UUID]()
    for _ in range(rounds):
        ids += killed(dsn, rng)
        check(dsn, ids)


def test_a_killed_writer_leaves_whole_batches(postgres: PostgresServer) -> None:
    kills(postgres.dsn, 6)


@pytest.mark.slow
def test_the_same_after_200_kills(own_server: PostgresServer) -> None:
    kills(own_server.dsn, 200)


def test_a_server_that_crashes_loses_nothing_and_the_space_goes_on(
    own_server: PostgresServer,
) -> None:
    store = PostgresStore(own_server.dsn, "s", timeout_s=2)
    space = MarkSpace([Scope(name="a")], store=store)
    ids = [space.write(ANN, Observation(scope="a")) for _ in range(3)]
    own_server.stop()
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match=r"does not answer.*start it"):
            space.write(ANN, Observation(scope="a"))
    with pytest.raises(StoreUnavailable):
        space.read("a")
    own_server.start()
    ids.append(space.write(ANN, Observation(scope="a")))
    assert [mark.id for _, mark in space.history()] == ids
    assert space.verify().ok
    store.close()


def drop_connections(dsn: str) -> None:
    """End every other connection to the server, as a restart of the server or a proxy does."""
    query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with psycopg.connect(dsn) as link:
        link.execute(f"{query} AND backend_type = 'client backend'")


def test_connections_that_the_server_dropped_are_replaced_unseen(
    own_server: PostgresServer,
) -> None:
    store = PostgresStore(own_server.dsn, "s")
    space = MarkSpace([Scope(name="a")], store=store)
    ids = [space.write(ANN, Observation(scope="a"))]
    for _ in range(3):
        drop_connections(own_server.dsn)
        ids.append(space.write(ANN, Observation(scope="a")))
        drop_connections(own_server.dsn)
        assert len(space.read("a")) == len(ids)
    own_server.stop()
    own_server.start()
    ids.append(space.write(ANN, Observation(scope="a")))
    assert [mark.id for _, mark in space.history()] == ids
    store.close()


def write_through(space: MarkSpace, until: threading.Event) -> list[UUID]:
    """Write batches for as long as asked, whatever happens; return what was acknowledged."""
    ids: list[UUID] = []
    while not until.is_set():
        with suppress(StoreUnavailable):
            ids += space.write_all([(ANN, Observation(scope="a")) for _ in range(BATCH)])
    return ids


def test_outages_in_the_middle_of_writes_lose_nothing_and_halve_nothing(
    own_server: PostgresServer,
) -> None:
    store, over = PostgresStore(own_server.dsn, "crash"), threading.Event()
    space, rng = MarkSpace([Scope(name="a")], store=store), random.Random(3)
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(write_through, space, over) for _ in range(4)]
        for _ in range(3):
            time.sleep(rng.uniform(0.05, 0.2))
            drop_connections(own_server.dsn)
            time.sleep(rng.uniform(0.05, 0.2))
            own_server.stop()
            own_server.start()
        over.set()
    store.close()
    ids = [name for writer in writers for name in writer.result()]
    assert len(ids) > BATCH
    check(own_server.dsn, ids)


@pytest.mark.anyio
async def test_a_watcher_wakes_for_other_writers(
    postgres: PostgresServer, anyio_backend: str
) -> None:
    watching, writing = (PostgresStore(postgres.dsn, f"watched_{anyio_backend}") for _ in range(2))
    reader, writer = MarkSpace([Scope(name="a")], store=watching), MarkSpace(store=writing)
    seen, ids = list[UUID](), list[UUID]()

    async def watch() -> None:
        async with aclosing(reader.watch()) as marks:
            async for mark in marks:
                seen.append(mark.id)
                if len(seen) == 5:
                    return

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            for _ in range(5):
                await anyio.sleep(0.02)
                ids.append(writer.write(ANN, Observation(scope="a")))
    assert seen == ids
    watching.close()
    writing.close()


@pytest.mark.anyio
async def test_a_watcher_outlives_a_crash_of_the_server(own_server: PostgresServer) -> None:
    store = PostgresStore(own_server.dsn, "watched", timeout_s=5)
    space = MarkSpace([Scope(name="a")], store=store)
    ids, seen = [space.write(ANN, Observation(scope="a"))], list[UUID]()

    async def watch() -> None:
        async with aclosing(space.watch()) as marks:
            async for mark in marks:
                seen.append(mark.id)
                if len(seen) == 2:
                    return

    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            await anyio.sleep(0.2)
            await anyio.to_thread.run_sync(own_server.stop)
            await anyio.sleep(0.2)
            await anyio.to_thread.run_sync(own_server.start)
            ids.append(space.write(ANN, Observation(scope="a")))
    assert seen == ids
    store.close()


def test_bad_addresses_names_and_versions_are_said(postgres: PostgresServer) -> None:
    with pytest.raises(StoreUnavailable, match="does not answer"):
        PostgresStore("postgresql://nobody@/x?host=/nowhere")
    there, question, rest = postgres.dsn.partition("?")
    missing = f"{there.rpartition('/')[0]}/nowhere{question}{rest}"
    with pytest.raises(StoreUnavailable, match=r'"nowhere" does not exist\); make it \(createdb'):
        PostgresStore(missing)
    with pytest.raises(StoreMissing, match="a-z"):
        PostgresStore(postgres.dsn, "Bad Name")
    with pytest.raises(StoreMissing, match="does not exist"):
        PostgresStore(postgres.dsn, "nothere", read_only=True)
    store = PostgresStore(postgres.dsn, "newer")
    with store.transaction() as tx:
        tx.connection.execute("UPDATE meta SET value = '9'")
    store.close()
    with pytest.raises(StoreVersion, match="schema version 9"):
        PostgresStore(postgres.dsn, "newer")


def test_a_read_only_store_does_not_write(postgres: PostgresServer) -> None:
    PostgresStore(postgres.dsn, "frozen").close()
    store = PostgresStore(postgres.dsn, "frozen", read_only=True)
    space = MarkSpace([Scope(name="a")], store=store)
    with pytest.raises(StoreReadOnly):
        space.write(ANN, Observation(scope="a"))
    assert space.read("a") == []
    store.close()


def test_a_space_is_opened_by_its_address(postgres: PostgresServer) -> None:
    store = open_store(f"{postgres.dsn}&space=named")
    space = MarkSpace([Scope(name="a")], store=store)
    name = space.write(ANN, Observation(scope="a"))
    store.close()
    again = open_store(postgres.dsn, "named")
    assert MarkSpace(store=again).get_mark(name) is not None
    again.close()
