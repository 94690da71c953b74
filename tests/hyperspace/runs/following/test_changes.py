"""Followers are told when files of a run change, wherever its folder comes from."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyperspace.runs.following.changes import LAPSE_S, LOOK_S, RunChanges

LONG_S = 30.0


@pytest.fixture
def told() -> threading.Event:
    return threading.Event()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "space.db").touch()
    return folder


@pytest.fixture
def changes(run: Path, told: threading.Event) -> Iterator[RunChanges]:
    with RunChanges(run, told.set) as changes:
        yield changes


def await_told(told: threading.Event, path: Path) -> None:
    """Change a file until somebody is told: the watch may begin a moment after it was asked for."""
    for _ in range(int(LONG_S / 0.1)):
        with path.open("a", encoding="utf-8") as file:
            file.write("x")
        if told.wait(0.1):
            return
    raise AssertionError("nobody was told")


def test_a_change_is_told(changes: RunChanges, run: Path, told: threading.Event) -> None:
    await_told(told, run / "spend.jsonl")
    assert changes.patience_s() == LAPSE_S


def test_nothing_is_told_where_nothing_changes(
    changes: RunChanges, run: Path, told: threading.Event
) -> None:
    await_told(told, run / "spend.jsonl")
    told.wait(0.3)  # what was written last
    told.clear()
    assert not told.wait(0.5)
    assert changes.patience_s() == LAPSE_S


def test_a_folder_that_comes_later_is_watched_then(tmp_path: Path, told: threading.Event) -> None:
    run = tmp_path / "later"
    with RunChanges(run, told.set) as changes:
        assert changes.patience_s() == LOOK_S
        run.mkdir()
        assert changes.patience_s() == LOOK_S, "it has no space"
        await_told(told, run / "space.db")
        assert changes.patience_s() == LAPSE_S


def test_a_folder_in_the_place_of_another_is_watched(
    changes: RunChanges, run: Path, told: threading.Event
) -> None:
    run.rename(run.with_name("put_away"))
    run.mkdir()
    changes.patience_s()
    told.wait(0.5)
    told.clear()
    await_told(told, run / "spend.jsonl")


def test_a_watch_leaves_no_thread(run: Path, told: threading.Event) -> None:
    with RunChanges(run, told.set):
        assert "run-changes" in {thread.name for thread in threading.enumerate()}
    assert "run-changes" not in {thread.name for thread in threading.enumerate()}
