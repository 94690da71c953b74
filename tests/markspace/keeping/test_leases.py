"""Leases: one holder, heartbeats, takeover, and tokens that fence off the past."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from markspace import Agent, MarkSpace, Observation, Scope
from markspace.errors import LeaseHeld, StaleFence
from markspace.keeping.leases import Leases
from markspace.stores.base import Store
from markspace.stores.sqlite import SQLiteStore

HOLDER = """
import sys, time
from markspace import MarkSpace
from markspace.stores.sqlite import SQLiteStore
space = MarkSpace(store=SQLiteStore(sys.argv[1]))
space.leases.acquire("run", "other", 60.0, {"what": "pair"})
print("held", flush=True)
time.sleep(60)
"""


class Wall:
    """A wall clock that a test moves."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def test_a_held_lease_is_refused_with_the_holders_facts(store: Store) -> None:
    wall = Wall()
    leases = Leases(store, wall)
    leases.acquire("run", "ann", 10.0, {"what": "pair"})
    wall.time += 3
    with pytest.raises(LeaseHeld, match=rf"'ann' \(pid {os.getpid()} on .* 3.0 s ago") as caught:
        leases.acquire("run", "bob", 10.0)
    assert caught.value.info["what"] == "pair"
    assert (caught.value.holder, caught.value.age_s) == ("ann", 3.0)
    leases.acquire("other", "bob", 10.0)


def test_a_lease_is_free_after_release_expiry_or_death(store: Store) -> None:
    wall = Wall()
    leases = Leases(store, wall)
    first = leases.acquire("run", "ann", 10.0)
    assert leases.release(first)
    assert not leases.release(first)
    second = leases.acquire("run", "bob", 10.0)
    wall.time += 10.5
    assert leases.holder("run") is None
    third = leases.acquire("run", "cat", 10.0)
    with pytest.raises(LeaseHeld):
        leases.acquire("run", "dan", 10.0, dead=lambda info: info["pid"] != os.getpid())
    fourth = leases.acquire("run", "dan", 10.0, dead=lambda info: info["pid"] == os.getpid())
    tokens = [lease.token for lease in (first, second, third, fourth)]
    assert tokens == [1, 2, 3, 4]


def test_heartbeats_keep_a_lease_and_a_lost_one_cannot_be_renewed(store: Store) -> None:
    wall = Wall()
    leases = Leases(store, wall)
    lease = leases.acquire("run", "ann", 10.0)
    for _ in range(3):
        wall.time += 9
        leases.renew(lease)
    with pytest.raises(LeaseHeld):
        leases.acquire("run", "bob", 10.0)
    wall.time += 11
    leases.acquire("run", "bob", 10.0)
    with pytest.raises(StaleFence, match="token 1 is no longer current"):
        leases.renew(lease)
    assert not leases.release(lease)
    assert leases.holder("run") is not None


def test_a_confirmed_lease_holds_for_half_its_time(store: Store) -> None:
    wall = Wall()
    leases = Leases(store, wall)
    lease = leases.acquire("run", "ann", 10.0)
    for _ in range(8):
        wall.time += 4
        leases.confirm(lease)
        wall.time += 5
        with pytest.raises(LeaseHeld):
            leases.acquire("run", "bob", 10.0)
    wall.time += 11
    leases.acquire("run", "bob", 10.0)
    with pytest.raises(StaleFence, match="token 1 is no longer current"):
        leases.confirm(lease)


def test_a_stale_fence_stores_nothing(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], store=store)
    ann = Agent(name="ann", scopes={"a": ["observation"]})
    lease = space.leases.acquire("run", "ann", 60.0)
    space.write_all([(ann, Observation(scope="a"))], fence=lease)
    space.leases.release(lease)
    with pytest.raises(StaleFence, match="held by nobody"):
        space.write_all([(ann, Observation(scope="a"))], fence=lease)
    newer = space.leases.acquire("run", "bob", 60.0)
    with pytest.raises(StaleFence):
        space.write_all([(ann, Observation(scope="a"))], fence=lease)
    space.write_all([(ann, Observation(scope="a"))], fence=newer)
    assert space.head() == 2


def test_a_killed_holder_in_another_process_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "space.db"
    SQLiteStore(path).close()
    command = [sys.executable, "-c", HOLDER, str(path)]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    store = SQLiteStore(path)
    leases = MarkSpace(store=store).leases
    try:
        with pytest.raises(LeaseHeld, match=f"pid {holder.pid}"):
            leases.acquire("run", "me", 10.0, dead=is_gone)
    finally:
        holder.kill()
        holder.communicate()
    assert leases.acquire("run", "me", 10.0, dead=is_gone).token == 2
    store.close()


def is_gone(info: dict[str, int]) -> bool:
    """Return whether the holder's process is gone."""
    try:
        os.kill(info["pid"], 0)
    except ProcessLookupError:
        return True
    return False


def test_leases_outlive_the_store_that_wrote_them(tmp_path: Path) -> None:
    make: Callable[[], SQLiteStore] = lambda: SQLiteStore(tmp_path / "s.db")  # noqa: E731
    first = make()
    lease = MarkSpace(store=first).leases.acquire("run", "ann", 60.0)
    first.close()
    second = make()
    MarkSpace(store=second).leases.renew(lease)
    second.close()
