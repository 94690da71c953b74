"""Watching a workspace from outside, with the real watcher."""

import os
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import anyio
import msgspec
import pytest

from guards.defences import Defence
from hyperspace.kernel.generation.observing.watch import EditLog, ObservedEdit, watch_edits
from tests.support.watches import none_of_ones_own

pytestmark = pytest.mark.anyio


FILES = ("task_agent.py", "evals/train_items.jsonl")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True, params=["own", "shared"])
def instance(request: pytest.FixtureRequest) -> Iterator[None]:
    """Watch by an instance of one's own, and by one that others share."""
    with none_of_ones_own() if request.param == "shared" else nullcontext():
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace" / "evals").mkdir(parents=True)
    return tmp_path / "workspace"


def watches() -> int:
    """Folders that this process watches, as the kernel counts them."""
    watches = 0
    for entry in Path("/proc/self/fdinfo").iterdir():
        try:
            watches += entry.read_text().count("inotify wd")
        except OSError:
            continue
    return watches


def wait_for_threads() -> None:
    """Wait until those that close the watches of the test before have done so."""
    until = time.monotonic() + 60.0
    while watches():
        assert time.monotonic() < until
        time.sleep(0.001)


def plant_link(tmp_path: Path, workspace: Path) -> None:
    """Move a folder with a link to thirty folders of the host into the workspace."""
    for number in range(30):
        (tmp_path / "host" / str(number)).mkdir(parents=True)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "link").symlink_to(tmp_path / "host")
    (tmp_path / "x").rename(workspace / "x")


def seen(tmp_path: Path) -> set[str]:
    lines = (tmp_path / "edits.jsonl").read_text().splitlines()
    return {msgspec.json.decode(line, type=ObservedEdit).path for line in lines}


async def test_edits_in_every_folder_that_was_materialized_are_seen(
    workspace: Path, tmp_path: Path
) -> None:
    async with watch_edits(workspace, FILES, EditLog(tmp_path, int)):
        for path in ("task_agent.py", "evals/forged"):
            (workspace / path).write_text("x")
        await anyio.sleep(0.3)
    assert seen(tmp_path) == {"task_agent.py", "evals/forged"}


async def test_a_name_that_is_not_text_ends_nothing(workspace: Path, tmp_path: Path) -> None:
    async with watch_edits(workspace, FILES, EditLog(tmp_path, int)):
        for number in range(3):
            (workspace / os.fsdecode(b"\xff%d" % number)).write_text("x")
            await anyio.sleep(0.2)
            (workspace / f"{number}.py").write_text("x")
            await anyio.sleep(0.2)
    assert {"0.py", "1.py", "2.py"} <= seen(tmp_path)


async def test_no_link_is_followed_out_of_the_workspace(workspace: Path, tmp_path: Path) -> None:
    wait_for_threads()
    async with watch_edits(workspace, FILES, EditLog(tmp_path, int)):
        before = watches()
        plant_link(tmp_path, workspace)
        await anyio.sleep(0.3)
        assert watches() == before


async def test_a_watcher_that_follows_links_would_watch_the_host(
    workspace: Path, tmp_path: Path
) -> None:
    wait_for_threads()
    async with watch_edits(
        workspace, FILES, EditLog(tmp_path, int), frozenset({Defence.WATCH_LINKS})
    ):
        before = watches()
        plant_link(tmp_path, workspace)
        await anyio.sleep(0.3)
        assert watches() > before + 30
