"""now.json: what a run does at this moment, with the log of jobs that run."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.research.loop.schedule import Assignment
from hyperspace.research.loop.under_way import (
    LONGEST_LINE,
    TAIL_LINES,
    UnderWay,
    UnderWayFile,
    read_under_way,
)
from tests.hyperspace.research.environments import replaced, small
from tests.hyperspace.research.runs import ScriptedIdeator, block, config_for, play
from tests.support.sandboxes import needs_bubblewrap


async def shown(path: Path, is_wanted: Callable[[UnderWay], bool]) -> UnderWay:
    """The first idea, as soon as it is as a test waits for."""
    for _ in range(1_000):
        if (ideas := read_under_way(path)) and is_wanted(ideas[0]):
            return ideas[0]
        await anyio.sleep(0.05)
    raise AssertionError(path)


@pytest.mark.anyio
async def test_what_is_written_is_bounded_and_goes_with_the_run(tmp_path: Path) -> None:
    path = tmp_path / "now.json"
    board = UnderWayFile(path)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(board.keep)
        callbacks = board.begin(Assignment(3, 1, "exploit"), "idea 3").callbacks()
        callbacks.began()
        for number in range(100):
            callbacks.told(b"\x1b[31m%d" % number + b"x" * 10_000)
        idea = await shown(path, lambda idea: idea.lines > 0)
        assert (idea.number, idea.epoch, idea.kind, idea.state) == (3, 1, "exploit", "running")
        assert (idea.lines, len(idea.tail)) == (100, TAIL_LINES)
        assert {len(line) for line in idea.tail} == {LONGEST_LINE}
        callbacks.began()
        board.end(3)
        board.begin(Assignment(4, 1, "explore"), "idea 4")
        assert (await shown(path, lambda idea: idea.number == 4)).state == "asked"
        tasks.cancel_scope.cancel()
    assert not path.exists()
    assert read_under_way(path) == ()


@pytest.mark.parametrize("text", ["", "[1]", '[{"number": "x"}]', "\udcff"])
def test_a_file_that_is_none_of_ours_says_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "now.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    assert read_under_way(path) == ()


@needs_bubblewrap
def test_an_idea_is_shown_while_its_model_is_asked(tmp_path: Path) -> None:
    environment = small(tmp_path / "env")
    seen: list[str] = []

    class Looks(ScriptedIdeator):
        async def complete(self, request: ChatRequest) -> ChatReply:
            now = tmp_path / "run" / "now.json"
            seen.append((await shown(now, lambda idea: idea.number == 1)).state)
            return await super().complete(request)

    model = Looks([[block(replaced(environment, "main.py", "value = 1", "value = 2"))]])
    closed = play(environment, config_for(environment), model, tmp_path / "run")
    assert (seen, closed[1].score) == (["asked", "asked"], 2)
    assert not (tmp_path / "run" / "now.json").exists()
