"""Whatever ideas, models and jobs say, a terminal gets printable lines, and not many."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from hyperspace.cli.watching.research_lines import research_line_of, research_present_lines
from hyperspace.cli.watching.views import LineView, LiveView
from hyperspace.runs.following.events import StateChanged
from hyperspace.runs.following.research_events import (
    IdeaEnded,
    IdeaEntered,
    LogTold,
    ResearchEvent,
    ResearchFound,
)
from hyperspace.runs.following.research_live_state import ResearchBoard

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.just("\x1b[2J\r\nstolen\u202e")
SINCE = "2026-11-25T21:24:12.000+00:00"


def events(text: str, number: int = 1) -> list[ResearchEvent]:
    return [
        ResearchFound(
            run=text,
            environment=text,
            arm="search",
            models=(text,),
            epochs=2,
            ideas=3,
            seed=1,
            metric=text,
            goal="max",
            started_utc=SINCE,
        ),
        StateChanged(state="working", holder="pid 1"),
        _ended(0, text, 0.5),
        IdeaEntered(
            number=number, epoch=0, kind="explore", model=text, state="running", since_utc=SINCE
        ),
        LogTold(number=number, lines=(text, text * 100), missed=3),
    ]


def _ended(number: int, text: str, score: float | None) -> IdeaEnded:
    return IdeaEnded(
        sequence=number + 1,
        number=number,
        epoch=0,
        kind="explore",
        model=text,
        parent=0,
        state="failed" if score is None else "done",
        score=score,
        reason=text if score is None else "",
        is_best=score is not None,
        best=score,
    )


def board_of(told: list[ResearchEvent]) -> ResearchBoard:
    board = ResearchBoard()
    for event in told:
        board.take(event)
    return board


@given(TEXTS)
def test_no_text_steers_a_terminal(text: str) -> None:
    told = [*events(text), _ended(1, text, None)]
    board = ResearchBoard()
    for event in told:
        board.take(event)
        lines = (research_line_of(event, board) or "").split("\n")
        assert all(line.isprintable() for line in (*lines, *research_present_lines(board)))
    console = Console(record=True, width=200, quiet=True)
    live = LiveView()
    live.present(board)
    console.print(live.picture())
    shown = console.export_text()
    assert "\x1b" not in shown and "\u202e" not in shown


def test_a_log_is_cut_marked_as_such_and_its_codes_are_left_out() -> None:
    board = board_of(events("x"))
    log = LogTold(number=1, lines=("\x1b[31mred\x1b[0m", "y" * 10_000))
    red, long = (research_line_of(log, board) or "").split("\n")
    assert red == "    idea 1 | red"
    assert len(long) < 300


def test_the_board_adds_up_and_forgets_what_a_kill_left_under_way() -> None:
    board = board_of(events("x"))
    assert (board.states, board.baseline, board.best_idea) == ({"running": 1}, 0.5, 0)
    assert board.under_way[0].tail == ["x", "x" * 100]
    for event in (_ended(1, "x", 0.75), _ended(2, "x", None)):
        board.take(event)
    assert (board.states, board.closed) == ({"done": 1, "failed": 1}, 2)
    assert (board.best, board.best_idea, board.under_way) == (0.75, 1, [])
    board.take(events("x", 3)[3])
    board.take(StateChanged(state="idle"))
    assert (board.states, board.under_way) == ({"done": 1, "failed": 1}, [])


def test_json_is_ascii_and_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    view = LineView(as_json=True)
    board = board_of(events("\u202e"))
    for event in events("\u202e"):
        view.happened(event, board)
    view.present(board)
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert len(lines) == 6 and out.isascii()
    assert msgspec.json.decode(lines[-1])["event"] == "present"
