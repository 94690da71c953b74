"""Time travel, and watching marks as they come, across processes."""

import subprocess
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Any

import anyio
import pytest

from markspace import (
    Action,
    Agent,
    DecayConfig,
    Intent,
    MarkSpace,
    MarkType,
    Need,
    Observation,
    Scope,
    Warning,
    WatchPattern,
)
from markspace.stores.base import Store
from markspace.stores.sqlite import SQLiteStore
from tests.support.paths import ROOT

ANN = Agent(name="ann", scopes={"a": [kind.value for kind in MarkType]})
WRITER = ROOT / "tests/markspace/stores/writer_process.py"


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Both backends."""
    return request.param


@pytest.fixture
def space(store: Store) -> MarkSpace:
    """A space where beliefs halve in 10 seconds."""
    scope = Scope(name="a", decay=DecayConfig(10, 10, 10))
    return MarkSpace([scope], clock=0.0, store=store)


def test_the_past_is_read_as_it_was(space: MarkSpace) -> None:
    old = space.write(ANN, Observation(scope="a", topic="t", content="old"))
    space.set_clock(20)
    new = space.write(ANN, Observation(scope="a", topic="t", content="new", supersedes=old))
    space.write(ANN, Warning(scope="a", invalidates=new))
    space.set_clock(1000)
    assert space.gc() == 3
    assert space.read("a") == []
    assert [m.id for m in space.at(1).read("a", min_strength=1.0)] == [old]
    assert [m.id for m in space.at(2).read("a", topic="t", min_strength=1.0)] == [new]
    assert [m.id for m in space.at(3).read("a", topic="t", min_strength=0.1)] == []
    assert space.at(0).read("a") == []
    assert space.at(1).get_mark(new) is None
    assert (space.at(2).now(), space.at(2).sequence) == (20.0, 2)
    for bad in (-1, 4):
        with pytest.raises(ValueError, match="not within 0 and 3"):
            space.at(bad)


def test_past_claims_and_needs_are_there(space: MarkSpace) -> None:
    claim = space.write(ANN, Intent(scope="a", resource="r"))
    need = space.write(ANN, Need(scope="a", question="q"))
    done = space.write(ANN, Action(scope="a", resource="r", supersedes=claim))
    space.resolve(need, done)
    past = space.at(2)
    assert past.check_conflict("a", "r") == claim
    assert [c.needs[0].id for c in past.aggregate_needs()] == [need]
    assert space.check_conflict("a", "r") is None
    assert space.at(4).aggregate_needs() == space.aggregate_needs() == []


@pytest.mark.anyio
async def test_a_watcher_sees_matching_marks_in_order_from_its_cursor(space: MarkSpace) -> None:
    for topic in "tut":
        space.write(ANN, Observation(scope="a", topic=topic))
    seen: list[int | None] = []

    async def watch() -> None:
        async with aclosing(space.watch(WatchPattern("a", topic="t"), after=1)) as marks:
            async for mark in marks:
                seen.append(space.sequence_of(mark.id))
                if len(seen) == 3:
                    return

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            await anyio.sleep(0.05)
            for topic in "utt":
                space.write(ANN, Observation(scope="a", topic=topic))
    assert seen == [3, 5, 6]


@pytest.mark.anyio
async def test_a_watcher_can_be_cancelled_and_sees_what_it_may(space: MarkSpace) -> None:
    space.register_scope(Scope(name="a", visibility="classified"))  # type: ignore[arg-type]
    space.write(ANN, Observation(scope="a"))
    stranger, seen = Agent(name="x"), list[Any]()
    with anyio.move_on_after(0.1) as cancelled:
        async for mark in space.watch(reader=stranger):
            seen.append(mark)
    assert cancelled.cancelled_caught
    assert seen == []


@pytest.mark.anyio
async def test_a_watcher_sees_marks_of_another_process(tmp_path: Path) -> None:
    path, seen = tmp_path / "space.db", list[int]()
    store = SQLiteStore(path)
    space = MarkSpace(store=store)
    command = [sys.executable, str(WRITER), str(path), "w", "2", "5"]
    writer = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: ASYNC220
    with anyio.fail_after(60):
        async with aclosing(space.watch()) as marks:
            async for mark in marks:
                seen.append(space.sequence_of(mark.id) or 0)
                if len(seen) == 10:
                    break
    assert seen == list(range(1, 11))
    assert writer.wait() == 0
    store.close()
