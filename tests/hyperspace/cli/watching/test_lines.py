"""Whatever agents write into marks, errors and violations, a terminal gets one printable line."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from hyperspace.cli.watching.lines import line_of, present_lines
from hyperspace.cli.watching.views import LineView, LiveView
from hyperspace.launch.growing_replies import GrowingReply
from hyperspace.runs.following.events import (
    Adopted,
    BudgetChanged,
    DomainChanged,
    Event,
    GenerationEnded,
    LimitStruck,
    Repaired,
    RepliesGrowing,
    RunFound,
    StateChanged,
    ViolationFound,
)
from hyperspace.runs.following.live_state import Board
from hyperspace.runs.spent import Spent
from hyperspace.spending.budget import SpendingLimits

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.just("\x1b[2J\r\nstolen\u202e")


@st.composite
def events(draw: Any) -> tuple[RunFound, list[Event]]:
    """A run and what happens in it, with hostile text in every field that may hold any."""
    agent, text = "a", draw(TEXTS)
    found = _found(agent, text)
    return found, [
        StateChanged(state="working", holder="pid 1"),
        _generation(agent, text),
        ViolationFound(
            sequence=3,
            agent=agent,
            generation=1,
            refused=True,
            topic="policy",
            what=text,
            path=text,
            verdict="refused",
            reason=text,
        ),
        _adopted(agent, text),
        LimitStruck(sequence=4, reached=text, stopped_utc=""),
        Repaired(sequence=5, problems=(text, text), count=2, repaired_utc=""),
        DomainChanged(sequence=6, domain=text, sha256="", noticed_utc=""),
        _budget(agent, text),
        RepliesGrowing(replies=(GrowingReply(agent, 1, text, 5100, 0.0),)),
    ]


def _found(agent: str, text: str) -> RunFound:
    return RunFound(
        run=text,
        domain=text,
        agents=(agent,),
        models=(text,),
        generations=2,
        budgets=(2,),
        seed=1,
        started_utc="",
    )


def _generation(agent: str, text: str) -> GenerationEnded:
    return GenerationEnded(
        sequence=3,
        agent=agent,
        generation=1,
        valid=False,
        error=text,
        train_score=None,
        val_score=0.5,
        test_score=None,
        is_best=False,
        best_val=None,
        calls=1,
        cost_usd=None,
        seconds=1.0,
        closed_utc="",
    )


def _adopted(agent: str, text: str) -> Adopted:
    return Adopted(
        sequence=3,
        agent=agent,
        peer=text,
        generation=1,
        strategy=text,
        ratio=0.1,
        score_before=0.1,
        score_after=0.2,
        peer_lines=3,
        valid=True,
        evidence=(),
    )


def _budget(agent: str, text: str) -> BudgetChanged:
    return BudgetChanged(
        spent=Spent(1, 2, None),
        reserved=Spent(),
        by={agent: Spent(1, 2, 0.0)},
        worked_s=1.0,
        limits=SpendingLimits(usd=1.0),
        latest=text,
    )


@settings(max_examples=30)
@given(events())
def test_every_line_is_printable(given_: tuple[RunFound, list[Event]]) -> None:
    found, happened = given_
    board = Board()
    for event in (found, *happened):
        board.take(event)
        line = line_of(event, board)
        assert line is None or line.isprintable()
    assert all(line.isprintable() for line in present_lines(board))


@settings(max_examples=30)
@given(events())
def test_the_live_table_holds_no_control_character(
    given_: tuple[RunFound, list[Event]],
) -> None:
    found, happened = given_
    board, view = Board(), LiveView()
    for event in (found, *happened):
        board.take(event)
        view.happened(event, board)
    console = Console(width=100, color_system=None, record=True, quiet=True)
    console.print(view.picture())
    shown = console.export_text(styles=True)
    assert all(line.isprintable() for line in shown.splitlines())


def test_json_lines_are_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    found = _found("a", "\x1b\u202e")
    board = Board()
    board.take(found)
    LineView(as_json=True).present(board)
    LineView(as_json=True).happened(found, board)
    printed = str(capsys.readouterr().out)
    assert printed.isascii()
    assert [json.loads(line)["event"] for line in printed.splitlines()] == ["present", "run"]


def test_the_board_keeps_a_bounded_number_of_adoptions_and_counts_all() -> None:
    board = Board()
    board.take(_found("a", "r"))
    for _ in range(50):
        board.take(_adopted("a", "b"))
    assert (board.adoptions, len(board.latest_adoptions), board.row("a").adoptions) == (50, 5, 50)


def test_what_a_generation_took_is_told_as_its_own_and_not_as_the_runs() -> None:
    """`hyperspace pair` counts calls and seconds up in a line of the same form."""
    board = Board()
    board.take(_found("a", "r"))
    event = msgspec.structs.replace(_generation("a", ""), valid=True, train_score=0.25)
    board.take(event)
    assert line_of(event, board) == (
        "a gen 1/2: train 0.250 val 0.500, best val -; this generation took 1 call, unknown, 1.0 s"
    )
