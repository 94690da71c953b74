"""The kernel's events about files, with real files."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from guards.scope import inotify
from guards.scope.inotify import Inotify, InotifyEvent
from tests.support.watches import watch


@pytest.fixture
def queue() -> Iterator[Inotify]:
    queue = Inotify()
    yield queue
    queue.close()


def test_an_entry_of_a_watched_folder_is_named_and_what_is_watched_itself_is_not(
    queue: Inotify, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    folder = watch(queue, tmp_path, inotify.OPEN)
    file = watch(queue, tmp_path / "file", inotify.ACCESS)
    (tmp_path / "file").read_text()
    assert list(queue.read()) == [
        InotifyEvent(folder, inotify.OPEN, "file"),
        InotifyEvent(file, inotify.ACCESS, ""),
    ]


def test_names_may_hold_anything_that_a_name_can_hold(queue: Inotify, tmp_path: Path) -> None:
    watch(queue, tmp_path, inotify.CREATE)
    names = ["a\nb", os.fsdecode(b"\xff\xfe"), "x" * 255]
    for name in names:
        (tmp_path / name).touch()
    assert [event.name for event in queue.read()] == names


def test_an_empty_queue_gives_nothing_and_does_not_wait(queue: Inotify, tmp_path: Path) -> None:
    watch(queue, tmp_path, inotify.CREATE)
    assert list(queue.read()) == []


@pytest.mark.long
def test_a_full_queue_is_told(queue: Inotify, tmp_path: Path) -> None:
    watch(queue, tmp_path, inotify.OPEN | inotify.CLOSE_NOWRITE)
    (tmp_path / "a").touch()
    room = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for _ in range(room // 2 + 1):
        os.close(os.open(tmp_path / "a", os.O_RDONLY))
    *_, last = queue.read()
    assert (last.watch, last.mask) == (-1, inotify.OVERFLOW)


def test_what_cannot_be_watched_is_refused_with_the_reason(queue: Inotify) -> None:
    read_end, write_end = os.pipe()
    os.close(write_end)
    os.close(read_end)
    with pytest.raises(OSError, match="the kernel does not let us watch files: No such file") as no:
        queue.watch(read_end, inotify.OPEN)
    assert no.value.errno == errno.ENOENT


def test_closing_twice_ends_it_once() -> None:
    queue = Inotify()
    queue.close()
    queue.close()
    assert queue.fileno() == -1
