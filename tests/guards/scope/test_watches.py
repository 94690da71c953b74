"""Many users of few kernel queues: each is told what it asked for, and nothing else."""

import os
import select
import subprocess
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from guards.scope import inotify
from guards.scope.inotify import InotifyEvent
from guards.scope.watches import MOST_PENDING, Watches, open_watches
from tests.support.paths import ROOT
from tests.support.watches import none_of_ones_own, watch

FEW = """
import os, sys
from pathlib import Path
from guards.scope.watched_tree import WatchedTree
Path("/proc/sys/user/max_inotify_instances").write_text("6")
trees = []
for number in range(128):
    folder = Path(sys.argv[1], str(number))
    (folder / "peers").mkdir(parents=True)
    (folder / "peers" / "a.py").write_text("x")
    root = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    trees.append((WatchedTree({"": root}, ["peers/a.py"], ["peers"]), folder))
for number, (tree, folder) in enumerate(trees):
    (folder / "peers" / "a.py").read_text()
    (folder / f"mine{number}").touch()
for number, (tree, folder) in enumerate(trees):
    seen = {(access.path, access.kind) for access in tree.take()}
    assert seen == {("peers/a.py", "read"), (f"mine{number}", "written")}, (number, seen)
    assert tree.unobserved == ""
    tree.close()
print("seen")
"""


@pytest.fixture
def shared() -> Generator[None]:
    with none_of_ones_own():
        yield


@pytest.fixture
def users(shared: None) -> Generator[tuple[Watches, Watches]]:
    """Two that share."""
    pair = open_watches(), open_watches()
    yield pair
    for user in pair:
        user.close()


def is_readable(user: Watches, within_s: float) -> bool:
    return bool(select.select([user], [], [], within_s)[0])


def test_128_trees_are_watched_where_the_kernel_gives_six_instances(tmp_path: Path) -> None:
    space = ["unshare", "--user", "--map-root-user"]
    made = "echo 6 >/proc/sys/user/max_inotify_instances"
    if subprocess.run([*space, "sh", "-c", made], check=False, capture_output=True).returncode:
        pytest.skip(
            "no limit of our own can be set here: no user namespaces, or /proc/sys is read-only"
        )
    command = [*space, sys.executable, "-c", FEW, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.stdout == "seen\n", done.stderr


def test_what_two_watch_each_is_told_as_it_asked(
    users: tuple[Watches, Watches], tmp_path: Path
) -> None:
    one, other = users
    number = watch(one, tmp_path, inotify.CREATE)
    (tmp_path / "a").touch()
    assert watch(other, tmp_path, inotify.OPEN) == number
    (tmp_path / "b").touch()
    created = [InotifyEvent(number, inotify.CREATE, name) for name in "ab"]
    assert list(one.read()) == created
    assert list(other.read()) == [InotifyEvent(number, inotify.OPEN, "b")]
    other.close()
    (tmp_path / "c").touch()
    assert list(one.read()) == [InotifyEvent(number, inotify.CREATE, "c")]


def test_each_is_woken_for_its_own(users: tuple[Watches, Watches], tmp_path: Path) -> None:
    one, other = users
    watch(one, tmp_path, inotify.CREATE)
    (tmp_path / "a").touch()
    assert is_readable(one, 10)
    assert not is_readable(other, 0)
    assert len(list(one.read())) == 1
    assert not is_readable(one, 0)
    assert list(one.read()) == []


def test_equal_events_are_one_though_others_come_between(
    users: tuple[Watches, Watches], tmp_path: Path
) -> None:
    one, other = users
    for name, user in zip("ab", users, strict=True):
        (tmp_path / name).write_text("x")
        watch(user, tmp_path / name, inotify.ACCESS)
    for _ in range(3):
        (tmp_path / "a").read_text()
        (tmp_path / "b").read_text()
    assert [len(list(user.read())) for user in (one, other)] == [1, 1]


def test_who_is_flooded_loses_its_own_alone(users: tuple[Watches, Watches], tmp_path: Path) -> None:
    one, other = users
    for name in "abc":
        (tmp_path / name).touch()
    watch(one, tmp_path, inotify.OPEN)
    watch(other, tmp_path / "c", inotify.MODIFY)
    for number in range(MOST_PENDING + 1):
        os.close(os.open(tmp_path / "ab"[number % 2], os.O_RDONLY))
        if number % 1000 == 0:
            is_readable(one, 10)
            list(other.read())  # the kernel's queue is emptied
    flooded = list(one.read())
    assert flooded[-1].mask == inotify.OVERFLOW
    assert len(flooded) == MOST_PENDING + 1
    (tmp_path / "c").write_text("x")
    assert {event.mask for event in other.read()} == {inotify.MODIFY}


def test_who_leaves_leaves_no_watch_behind(shared: None, tmp_path: Path) -> None:
    def watched() -> int:
        return sum("inotify wd" in line for line in lines_of_descriptors())

    before = watched()
    users = [open_watches() for _ in range(3)]
    for user in users:
        watch(user, tmp_path, inotify.OPEN)
    assert watched() == before + 1
    for user in users:
        user.close()
        user.close()
    assert watched() == before


def lines_of_descriptors() -> list[str]:
    lines: list[str] = []
    for entry in Path("/proc/self/fdinfo").iterdir():
        with suppress(OSError):
            lines += entry.read_text().splitlines()
    return lines
