"""Mutual exclusion: whoever races, each resource gets one action and its tool runs once."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from markspace import Action, Agent, Guard, Intent, MarkSpace, MarkType, Scope, Warning
from markspace.errors import ClaimError
from markspace.stores.base import Store
from tests.markspace.claiming.exclusion_process import race
from tests.markspace.stores.writer_process import opened
from tests.support.paths import ROOT
from tests.support.servers.postgres_server import PostgresServer

THREADS, PROCESSES = 10, 4
ROUNDS, MANY_ROUNDS = 25, 500
START_S = 1.0  # for all processes to come up


def prepare(store: Store) -> Store:
    """Make the scope that is raced in."""
    MarkSpace([Scope(name="a")], store=store)
    return store


def race_processes(address: str, threads: int, rounds: int, log: Path) -> None:
    """Let processes race, each with so many threads."""
    program = str(ROOT / "tests/markspace/claiming/exclusion_process.py")
    start = time.time() + START_S
    command = [sys.executable, program, address, str(threads), str(rounds), str(log), str(start)]
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    rivals = [subprocess.Popen(command, env=here) for _ in range(PROCESSES)]
    assert [rival.wait(timeout=1200) for rival in rivals] == [0] * PROCESSES


def check(store: Store, rounds: int, log: Path) -> None:
    """Check that each resource has one action, its tool ran once, and no claim is left."""
    space = MarkSpace(store=store)
    done = space.read("a", mark_type=MarkType.ACTION, min_strength=0.0)
    expected = [f"r{number}" for number in range(rounds)]
    resources = [mark.resource for mark in done if isinstance(mark, Action)]
    assert sorted(resources) == sorted(expected)
    assert sorted(map(int, log.read_text().split())) == list(range(rounds))
    assert space.read("a", mark_type=MarkType.INTENT) == []
    assert space.verify().ok


def test_ten_threads_act_once_on_each_resource(store: Store, tmp_path: Path) -> None:
    race(prepare(store), THREADS, ROUNDS, tmp_path / "log")
    check(store, ROUNDS, tmp_path / "log")


def steal(store: Store, over: threading.Event) -> int:
    """Try to supersede every claim and fact that can be seen; return how often it worked."""
    guard, stolen = Guard(MarkSpace(store=store)), 0
    thief = Agent(name="thief", scopes={"a": [kind.value for kind in MarkType]})
    while not over.is_set():
        for mark in guard.space.read("a"):
            if isinstance(mark, Intent | Action):
                with suppress(ClaimError):
                    guard.write_mark(thief, Warning(scope="a", supersedes=mark.id))
                    stolen += 1
    return stolen


def test_thieves_beside_the_race_take_nothing(store: Store, tmp_path: Path) -> None:
    prepare(store)
    over = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        thieves = [pool.submit(steal, store, over) for _ in range(2)]
        race(store, 4, ROUNDS // 2, tmp_path / "log")
        over.set()
    assert [thief.result() for thief in thieves] == [0, 0]
    check(store, ROUNDS // 2, tmp_path / "log")


@pytest.mark.slow
def test_ten_threads_act_once_in_each_of_500_rounds(store: Store, tmp_path: Path) -> None:
    race(prepare(store), THREADS, MANY_ROUNDS, tmp_path / "log")
    check(store, MANY_ROUNDS, tmp_path / "log")


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.postgres)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """Where several processes find one space."""
    if request.param == "file":
        yield str(tmp_path / "space.db")
        return
    request.getfixturevalue("postgres")  # skips where there is none
    server = PostgresServer()
    yield server.dsn
    server.remove()


@pytest.mark.long
@pytest.mark.parametrize(
    ("threads", "rounds"),
    [
        (1, ROUNDS),
        pytest.param(1, MANY_ROUNDS, marks=pytest.mark.slow),
        pytest.param(THREADS, MANY_ROUNDS, marks=pytest.mark.slow),
    ],
)
def test_four_processes_act_once_on_each_resource(
    threads: int, rounds: int, address: str, tmp_path: Path
) -> None:
    store, log = prepare(opened(address, "exclusion")), tmp_path / "log"
    race_processes(address, threads, rounds, log)
    check(store, rounds, log)
    store.close()
