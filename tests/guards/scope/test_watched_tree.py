"""Bounds of what is seen of a tree, and that they are told."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from guards.scope.watched_tree import FileAccess, WatchedTree
from tests.support.watches import none_of_ones_own

Watch = Callable[[int], WatchedTree]


@pytest.fixture(autouse=True, params=["own", "shared"])
def instance(request: pytest.FixtureRequest) -> Iterator[None]:
    """Watch by an instance of one's own, and by one that others share."""
    with none_of_ones_own() if request.param == "shared" else nullcontext():
        yield


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    """Watches the folder, with so many events before."""
    (tmp_path / "peers").mkdir()
    (tmp_path / "peers" / "a.py").write_text("x")
    root = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    trees: list[WatchedTree] = []

    def begin(first_event: int) -> WatchedTree:
        trees.append(WatchedTree({"": root}, ["peers/a.py"], ["peers"], first_event))
        return trees[-1]

    yield begin
    for tree in trees:
        tree.close()
    os.close(root)


def test_events_are_numbered_from_where_it_begins(watch: Watch, tmp_path: Path) -> None:
    tree = watch(7)
    (tmp_path / "peers" / "a.py").read_text()
    assert tree.take()[0] == FileAccess("peers/a.py", "read", 9), "8 was its folder's"


def test_a_file_that_was_moved_away_counts_as_read_and_keeps_its_path(
    watch: Watch, tmp_path: Path
) -> None:
    tree = watch(0)
    (tmp_path / "peers" / "a.py").rename(tmp_path / "mine.py")
    moved = {(path, kind) for path, kind, _ in tree.take()}
    assert moved == {("peers/a.py", "read"), ("mine.py", "written")}
    (tmp_path / "mine.py").read_text()
    assert ("peers/a.py", "read") in {(path, kind) for path, kind, _ in tree.take()}


def test_what_was_lost_from_the_kernels_queue_is_told(watch: Watch, tmp_path: Path) -> None:
    for name in "xy":
        (tmp_path / name).touch()
    tree = watch(0)
    room = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for number in range(room + 1):
        os.close(os.open(tmp_path / "xy"[number % 2], os.O_RDONLY))  # twice the same is told once
    tree.take()
    assert tree.unobserved == "the kernel's queue of events was full"
    (tmp_path / "peers" / "a.py").read_text()
    assert "read" in {access.kind for access in tree.take()}, "and it goes on"


def test_more_events_than_are_looked_at_end_it(watch: Watch, tmp_path: Path) -> None:
    tree = watch(999_995)
    for number in range(10):
        (tmp_path / str(number)).touch()
    tree.take()
    assert tree.is_spent
    assert tree.unobserved == "there were more than 1000000 events"


def test_looking_at_what_is_in_new_folders_has_the_same_bound(watch: Watch, tmp_path: Path) -> None:
    tree = watch(999_900)
    (tmp_path / "peers" / "many").mkdir()
    for number in range(200):
        (tmp_path / "peers" / "many" / str(number)).touch()
    (tmp_path / "peers" / "many").rename(tmp_path / "many")
    tree.take()
    tree.take()
    assert tree.is_spent


def test_folders_that_are_too_deep_are_told(watch: Watch, tmp_path: Path) -> None:
    tree = watch(0)
    (tmp_path / "/".join("d" * 20)).mkdir(parents=True)
    tree.take()
    assert tree.unobserved == "there were folders more than 16 deep"


def test_a_link_to_a_folder_is_not_followed(watch: Watch, tmp_path: Path) -> None:
    tree = watch(0)
    (tmp_path / "link").symlink_to("/usr")
    assert tree.take() == [FileAccess("link", "written", 1)]


def test_what_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    root = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with pytest.raises(FileNotFoundError):
        WatchedTree({"": root}, ["peers/a.py"], ["peers"])
    until = time.monotonic() + 60.0
    while len(os.listdir("/proc/self/fd")) > before:  # noqa: PTH208
        assert time.monotonic() < until
        time.sleep(0.001)
    os.close(root)
