"""Group commit: threads share a transaction, and each gets its own outcome."""

import signal
import sqlite3
import threading
import time
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from markspace import Agent, MarkSpace, Observation, Scope, ValidationError
from markspace.errors import StoreError, StoreFull, StoreLocked
from markspace.stores.combining import Combiner
from markspace.stores.sqlite import SQLiteStore

ANN = Agent(name="ann", scopes={"a": ["observation"]})
WRITERS = 8


class Log:
    """A store of the smallest kind: a list that a transaction extends, or leaves as it is."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.lines: list[str] = []
        self.commits: list[int] = []
        self.failure = failure
        self.open = threading.Event()
        self.begun = threading.Event()

    @contextmanager
    def begin(self) -> Generator[list[str]]:
        """Begin when the log is open."""
        self.begun.set()
        assert self.open.wait(60)
        added: list[str] = []
        yield added
        if self.failure is not None:
            raise self.failure
        self.commits.append(len(added))
        self.lines += added


def adding(name: str) -> Any:
    """Work that adds a line and returns its name."""

    def work(lines: list[str]) -> str:
        lines.append(name)
        return name

    return work


def together(log: Log, *works: Any) -> list[Future[Any]]:
    """Do works by as many threads; the first leads, all others have queued before it begins."""
    combiner = Combiner(log.begin)
    pool = ThreadPoolExecutor(len(works))
    futures = [pool.submit(combiner.run, works[0])]
    assert log.begun.wait(60)
    for number, work in enumerate(works[1:], 2):
        futures.append(pool.submit(combiner.run, work))
        wait_for_queue(combiner, number)
    log.open.set()
    pool.shutdown()
    return futures


def wait_for_queue(combiner: Combiner[Any], length: int) -> None:
    """Wait until so many threads queue."""
    while len(combiner._queue) < length:  # pyright: ignore[reportPrivateUsage]
        time.sleep(0.001)


def test_what_queues_up_is_committed_together_and_each_gets_its_result() -> None:
    log = Log()
    futures = together(log, *(adding(str(n)) for n in range(WRITERS)))
    assert [future.result() for future in futures] == [str(n) for n in range(WRITERS)]
    assert log.commits == [WRITERS]
    assert sorted(log.lines) == sorted(str(n) for n in range(WRITERS))


def test_work_that_raises_concerns_its_thread_alone() -> None:
    log = Log()

    def bad(lines: list[str]) -> None:
        lines.append("bad")
        raise ValueError("mine")

    futures = together(log, adding("a"), bad, adding("b"))
    assert [futures[0].result(), futures[2].result()] == ["a", "b"]
    with pytest.raises(ValueError, match="mine"):
        futures[1].result()
    assert sorted(log.lines) == ["a", "b"]


def test_a_commit_that_fails_fails_for_all_with_an_error_of_their_own() -> None:
    log = Log(StoreFull("no room"))
    futures = together(log, *(adding(str(n)) for n in range(3)))
    errors = [future.exception() for future in futures]
    assert [(type(error), str(error)) for error in errors] == [(StoreFull, "no room")] * 3
    assert len(set(map(id, errors))) == 3
    assert log.lines == []


def test_an_interrupted_leader_tells_the_others_and_the_next_group_goes_on() -> None:
    log = Log()

    def interrupted(lines: list[str]) -> None:
        raise KeyboardInterrupt

    futures = together(log, adding("a"), interrupted, adding("b"))
    with pytest.raises(KeyboardInterrupt):
        futures[0].result()
    with pytest.raises(StoreError, match="look whether it is there"):
        futures[1].result()
    assert futures[2].result() == "b"
    assert log.lines == ["b"]


def test_an_interrupted_waiter_holds_up_nobody() -> None:
    log = Log()
    combiner, main = Combiner(log.begin), threading.main_thread().ident
    assert main is not None
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    try:
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(combiner.run, adding("a"))
            assert log.begun.wait(60)
            killer = threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT))
            killer.start()
            with pytest.raises(KeyboardInterrupt):
                combiner.run(adding("interrupted"))
            killer.join()
            last = pool.submit(combiner.run, adding("b"))
            log.open.set()
            assert (first.result(10), last.result(10)) == ("a", "b")
    finally:
        signal.signal(signal.SIGINT, before)
    assert log.lines == ["a", "b"]


def test_refused_writes_beside_others_on_sqlite_leave_a_whole_chain(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "space.db")
    space = MarkSpace([Scope(name="a")], store=store)
    good, bad = Observation(scope="a"), Observation(scope="a", supersedes=uuid4())
    with ThreadPoolExecutor(WRITERS) as pool:
        futures = [pool.submit(space.write, ANN, bad if n % 4 == 3 else good) for n in range(80)]
    refused = [n for n, future in enumerate(futures) if future.exception() is not None]
    assert refused == list(range(3, 80, 4))
    assert all(isinstance(futures[n].exception(), ValidationError) for n in refused)
    assert space.head() == 60
    assert space.verify().ok
    store.close()


def test_threads_that_wait_for_a_locked_file_wait_no_longer_than_one(tmp_path: Path) -> None:
    path = tmp_path / "space.db"
    store = SQLiteStore(path, timeout_s=1.0)
    space = MarkSpace([Scope(name="a")], store=store)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    started = time.monotonic()
    with ThreadPoolExecutor(WRITERS) as pool:
        futures = [pool.submit(space.write, ANN, Observation(scope="a")) for _ in range(WRITERS)]
    assert time.monotonic() - started < 0.8 * WRITERS  # one after the other they take WRITERS s
    assert all(isinstance(future.exception(), StoreLocked) for future in futures)
    other.close()
    space.write(ANN, Observation(scope="a"))
    store.close()


def test_a_write_inside_a_transaction_of_the_same_thread_is_refused(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "space.db")
    space = MarkSpace([Scope(name="a")], store=store)
    with store.transaction(), pytest.raises(StoreError, match="a transaction is open"):
        space.write(ANN, Observation(scope="a"))
    space.write(ANN, Observation(scope="a"))
    store.close()
