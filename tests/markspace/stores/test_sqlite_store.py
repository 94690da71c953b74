"""The SQLite file: what can be wrong with it, in words, and that the space stays usable."""

import os
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from markspace import Agent, MarkSpace, Observation, Scope
from markspace.errors import (
    PlaceError,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreMissing,
    StoreReadOnly,
    StoreVersion,
)
from markspace.stores.places import open_store
from markspace.stores.sqlite import MOST_PATH_BYTES, SQLiteStore

ANN = Agent(name="ann", scopes={"a": ["observation"]})


def write(space: MarkSpace, count: int = 1, size: int = 10) -> None:
    """Write some marks."""
    for number in range(count):
        content = f"{number} " + "x" * size
        space.write(ANN, Observation(scope="a", topic="t", content=content))


def make(path: Path, count: int = 1) -> None:
    """Make a space file with some marks."""
    store = SQLiteStore(path)
    write(MarkSpace([Scope(name="a")], store=store), count)
    store.close()


def test_a_space_is_there_again_after_it_was_closed(tmp_path: Path) -> None:
    make(tmp_path / "s.db", 5)
    store = SQLiteStore(tmp_path / "s.db", synchronous="FULL")
    space = MarkSpace(store=store)
    assert len(space.read("a", topic="t")) == 5
    write(space)
    assert space.head() == 6
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        space.read("a")


def test_a_missing_folder_or_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match=r"nowhere does not exist; create it"):
        SQLiteStore(tmp_path / "nowhere" / "s.db")
    with pytest.raises(StoreMissing, match="does not exist"):
        SQLiteStore(tmp_path / "s.db", read_only=True)
    with pytest.raises(StoreMissing, match="folder"):
        SQLiteStore(tmp_path)


def test_a_path_that_is_too_long_for_sqlite_is_said(tmp_path: Path) -> None:
    def file(size: int) -> Path:
        folder = tmp_path
        while (left := size - len(os.fsencode(folder / "s.db"))) > 200:
            folder /= "d" * 100
        folder /= "e" * (left - 1)
        folder.mkdir(parents=True)
        return folder / "s.db"

    make(file(MOST_PATH_BYTES))
    with pytest.raises(PlaceError, match="has a path of 505 bytes, and SQLite opens none of more"):
        make(file(MOST_PATH_BYTES + 1))
    with pytest.raises(PlaceError, match="shorter path"):
        make(file(900))
    (tmp_path / "short").symlink_to(file(901).parent)
    with pytest.raises(PlaceError, match="has a path of 901 bytes"):
        make(tmp_path / "short" / "s.db")


def test_a_newer_version_is_named(tmp_path: Path) -> None:
    make(tmp_path / "s.db")
    with sqlite3.connect(tmp_path / "s.db") as connection:
        connection.execute("UPDATE meta SET value = '7'")
    connection.close()
    with pytest.raises(StoreVersion, match="schema version 7, this program reads up to 1; update"):
        SQLiteStore(tmp_path / "s.db")


def test_a_truncated_file_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    make(path, 50)
    whole = path.read_bytes()
    for size in (len(whole) - 1, len(whole) // 2, 5000, 100, 17):
        path.write_bytes(whole[:size])
        with pytest.raises(StoreCorrupt, match=r"s\.db"):
            SQLiteStore(path)


def test_other_files_are_no_spaces(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("hello " * 1000)
    with pytest.raises(StoreCorrupt, match=r"text\.db is damaged or no space"):
        SQLiteStore(tmp_path / "text.db")
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE other (x)")
    connection.close()
    with pytest.raises(StoreCorrupt, match="no space"):
        SQLiteStore(tmp_path / "other.db")


def test_a_damaged_page_is_corrupt_and_the_rest_still_reads(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    make(path, 200)
    data = bytearray(path.read_bytes())
    with sqlite3.connect(path) as connection:
        page = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'marks'"
        ).fetchone()[0]
    connection.close()
    data[4096 * (page - 1) : 4096 * page] = b"\xff" * 4096
    path.write_bytes(data)
    store = SQLiteStore(path)
    space = MarkSpace(store=store)
    with pytest.raises(StoreCorrupt):
        space.read("a")
    assert space.audit_head()
    store.close()


def test_another_writer_makes_it_locked_and_then_usable_again(tmp_path: Path) -> None:
    make(tmp_path / "s.db")
    store = SQLiteStore(tmp_path / "s.db", timeout_s=0.05)
    space = MarkSpace(store=store)
    other = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked, match="locked by another writer"):
        write(space)
    assert len(space.read("a")) == 1
    other.execute("ROLLBACK")
    other.close()
    write(space)
    assert space.verify().ok
    store.close()


def test_a_full_disk_is_said_and_writing_works_again_with_room(tmp_path: Path) -> None:
    make(tmp_path / "s.db")
    store = SQLiteStore(tmp_path / "s.db")
    space = MarkSpace(store=store)
    with store.transaction() as tx:
        pages = tx.connection.execute("PRAGMA page_count").fetchone()[0]
    with store.transaction() as tx:
        tx.connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(StoreFull, match="no room left"):
        write(space, 100, 3000)
    head = space.head()
    assert space.verify().ok
    with store.transaction() as tx:
        tx.connection.execute("PRAGMA max_page_count = 1000000")
    write(space)
    assert space.head() == head + 1
    store.close()


def test_a_read_only_store_reads_and_refuses_to_write(tmp_path: Path) -> None:
    make(tmp_path / "s.db")
    store = SQLiteStore(tmp_path / "s.db", read_only=True)
    space = MarkSpace([Scope(name="a")], store=store)
    assert len(space.read("a")) == 1
    with pytest.raises(StoreReadOnly, match="open it for writing"):
        write(space)
    store.close()


def test_reading_leaves_nothing_beside_a_space_that_nobody_writes_to(tmp_path: Path) -> None:
    make(tmp_path / "s.db", 2)
    before = [(file, file.stat().st_mtime_ns) for file in (tmp_path, *tmp_path.iterdir())]
    store = SQLiteStore(tmp_path / "s.db", read_only=True)
    assert len(MarkSpace(store=store).read("a")) == 2
    store.close()
    assert [(file, file.stat().st_mtime_ns) for file in (tmp_path, *tmp_path.iterdir())] == before


def test_a_reader_sees_what_somebody_writes_who_came_later(tmp_path: Path) -> None:
    make(tmp_path / "s.db", 2)
    reading = SQLiteStore(tmp_path / "s.db", read_only=True)
    seen = MarkSpace(store=reading)
    assert len(seen.read("a")) == 2
    writing = SQLiteStore(tmp_path / "s.db")
    write(MarkSpace([Scope(name="a")], store=writing), 3)
    assert len(seen.read("a")) == 5
    writing.checkpoint()
    writing.close()
    assert len(seen.read("a")) == 5
    reading.close()


READER = """
import os, sys
from markspace import MarkSpace
from markspace.stores.places import open_store
from markspace.stores.sqlite import SQLiteStore
os.setuid(65534)
store = SQLiteStore(sys.argv[1], read_only=True)
space = MarkSpace(store=store)
print(len(space.read("a")), space.verify().ok)
store.close()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become a user without rights")
def test_a_checkpointed_space_opens_from_a_read_only_folder(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = SQLiteStore(path)
    write(MarkSpace([Scope(name="a")], store=store), 3)
    store.checkpoint()
    store.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s.db"]
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 0o001:
            folder.chmod(0o755)
    tmp_path.chmod(0o555)
    command = [sys.executable, "-B", "-c", READER, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3 True\n", "")


def test_a_store_is_not_used_across_a_fork(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "s.db")
    child = os.fork()
    if child == 0:
        try:
            store.transaction().__enter__()
        except StoreError:
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    store.close()


def test_a_store_is_opened_by_its_place(tmp_path: Path) -> None:
    make(tmp_path / "s.db", 2)
    store = open_store(str(tmp_path / "s.db"), read_only=True)
    assert len(MarkSpace(store=store).read("a")) == 2
    store.close()


def test_an_empty_file_is_no_space_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "space.db"
    path.touch()
    for read_only in (False, True):
        with pytest.raises(
            StoreCorrupt, match=r"is empty, not a space; restore it .* or remove it"
        ):
            SQLiteStore(path, read_only=read_only)
    assert [(file.name, file.stat().st_size) for file in tmp_path.iterdir()] == [("space.db", 0)]


def test_a_space_cut_to_nothing_beside_its_log_is_not_replaced(tmp_path: Path) -> None:
    path, log = tmp_path / "space.db", tmp_path / "space.db-wal"
    store = SQLiteStore(path)
    MarkSpace([Scope(name="a")], store=store)
    kept = log.read_bytes()
    os.truncate(path, 0)
    with pytest.raises(StoreCorrupt, match="is empty"):
        SQLiteStore(path)
    assert kept
    assert log.read_bytes() == kept


@pytest.mark.long
def test_a_new_file_is_never_seen_empty_by_threads_that_open_it_at_once(tmp_path: Path) -> None:
    for number in range(10):
        barrier = threading.Barrier(6)

        def opened(barrier: threading.Barrier, path: Path) -> None:
            barrier.wait()
            SQLiteStore(path, timeout_s=60).close()

        with ThreadPoolExecutor(6) as pool:
            path = tmp_path / f"{number}.db"
            for opening in [pool.submit(opened, barrier, path) for _ in range(6)]:
                opening.result()
    names = {file.name.partition("-")[0] for file in tmp_path.iterdir()}
    assert names == {f"{number}.db" for number in range(10)}
