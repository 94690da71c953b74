"""Progress lines count what an agent has spent in all, however often its run is opened."""

import msgspec
import pytest

from hyperspace.cli.printing.progress import progress
from hyperspace.kernel.events import AgentJoined, GenerationClosed, ModelCalled, ReplyGrowing

CALLED = ModelCalled("tinker", 1, "modify", served=False, cost_usd=0.5, cached=False)
CLOSED = GenerationClosed(
    agent="tinker",
    generation=1,
    valid=True,
    train_score=0.5,
    val_score=0.5,
    best_val=0.5,
    error="",
    seconds=2.0,
    calls=18,
    cost_usd=9.0,
)


def test_calls_are_counted_once_where_agents_that_join_open_a_run_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    again = msgspec.structs.replace(CLOSED, resumed=True)
    with progress([("tinker", "offline/tinker", 3)]) as observer:
        for name in ("wren", "robin"):
            observer(again)
            observer(AgentJoined(name, "offline/magpie", 3))
        observer(again)
        observer(CALLED)
        observer(msgspec.structs.replace(CLOSED, generation=2))
    *earlier, last = capsys.readouterr().err.splitlines()
    assert len(earlier) == 3
    assert all("18 calls, $9.00" in line for line in earlier)
    assert "gen 2/3" in last and "19 calls, $9.50" in last


def test_an_agent_that_joined_before_has_its_own_number_of_generations(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress([("tinker", "offline/tinker", 40)]) as observer:
        observer(AgentJoined("tinker", "offline/tinker", 24))
        observer(CLOSED)
    assert "tinker gen 1/24" in capsys.readouterr().err


def test_a_reply_that_grows_is_one_line_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    with progress([("tinker", "m@http://127.0.0.1:1/v1", 3)]) as observer:
        for tokens in (1000, 5100):
            observer(ReplyGrowing("tinker", 1, "modify", tokens))
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["tinker gen 1 modify: still writing, 1,000 tokens so far"]
