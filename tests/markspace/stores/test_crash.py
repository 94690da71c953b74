"""What survives a writer that is killed, and writers that write at once."""

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from uuid import UUID

import pytest

from markspace import MarkSpace
from markspace.stores.sqlite import SQLiteStore
from tests.support.paths import ROOT

WRITER = ROOT / "tests/markspace/stores/writer_process.py"
BATCH = 3


def start(path: Path, name: str, count: int = -1) -> subprocess.Popen[str]:
    """Start a writer process."""
    command = [sys.executable, str(WRITER), str(path), name, str(BATCH), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def acknowledged(lines: str) -> list[UUID]:
    """Return the ids in the complete lines of a writer's output."""
    whole = lines[: lines.rfind("\n") + 1]
    return [UUID(name) for line in whole.splitlines() for name in line.split(",")]


def kill_at_random(path: Path, rng: random.Random) -> list[UUID]:
    """Let a writer write for a moment, kill it, and return what it said was written."""
    writer = start(path, "w")
    assert writer.stdout is not None
    first = writer.stdout.readline()
    time.sleep(rng.uniform(0, 0.02))
    writer.kill()
    rest = writer.communicate()[0]
    return acknowledged(first + rest)


def check_survivors(path: Path, ids: list[UUID]) -> None:
    """Check that the space opens, verifies, holds what was said, and no half batch."""
    store = SQLiteStore(path)
    space = MarkSpace(store=store)
    result = space.verify()
    assert result.ok, result.problem
    assert all(space.get_mark(name) is not None for name in ids)
    entries = [entry for entry in space.audit() if entry.kind == "commit"]
    assert all(len(entry.marks) == BATCH for entry in entries)
    assert space.head() == BATCH * len(entries)
    store.close()


def kills(path: Path, rounds: int) -> None:
    """Kill a writer again and again and check after each."""
    rng, ids = random.Random(7), list[UUID]()
    for _ in range(rounds):
        ids += kill_at_random(path, rng)
        check_survivors(path, ids)


@pytest.mark.long
def test_a_killed_writer_leaves_whole_batches_and_nothing_acknowledged_is_lost(
    tmp_path: Path,
) -> None:
    kills(tmp_path / "space.db", 12)


@pytest.mark.slow
def test_the_same_after_200_kills(tmp_path: Path) -> None:
    kills(tmp_path / "space.db", 200)


@pytest.mark.long
def test_processes_that_write_at_once_share_one_order_and_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "space.db"
    writers = [start(path, f"w{n}", count=40) for n in range(3)]
    ids = [acknowledged(writer.communicate(timeout=300)[0]) for writer in writers]
    assert all(writer.returncode == 0 for writer in writers)
    store = SQLiteStore(path)
    space = MarkSpace(store=store)
    assert space.verify().ok
    history = list(space.history())
    assert [sequence for sequence, _ in history] == list(range(1, 3 * 40 * BATCH + 1))
    times = [mark.created_at for _, mark in history]
    assert times == sorted(times)
    for own in ids:
        order = [space.sequence_of(name) or 0 for name in own]
        assert order == sorted(order)
    assert Counter(len(entry.marks) for entry in space.audit()) == {BATCH: 120, 0: 1}
    store.close()
