"""A research run's events and present state as lines; logs and ideas cannot steer a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from hyperspace.cli.watching.lines import LONGEST_REASON, budget_line, state_text
from hyperspace.reporting.legible import without_terminal_codes
from hyperspace.reporting.lines import counted
from hyperspace.runs.following.events import BudgetChanged, StateChanged
from hyperspace.runs.following.research_events import (
    IdeaEnded,
    IdeaEntered,
    LogTold,
    ResearchEvent,
    ResearchFound,
)
from hyperspace.runs.following.research_live_state import ResearchBoard
from hyperspace.runs.spaces.listing import printable

LONGEST_LOG_LINE: Final = 200
TAIL_SHOWN: Final = 5


def research_line_of(event: ResearchEvent, board: ResearchBoard) -> str | None:
    """Return lines for an event; None for what is shown at other times.

    Args:
        event: What happened.
        board: The state after it.
    """
    match event:
        case ResearchFound():
            return research_heading(event)
        case StateChanged():
            return state_text(board.state, board.holder)
        case IdeaEntered():
            return _entered_line(event)
        case LogTold():
            missed = [f"({counted(event.missed, 'line')} more)"] if event.missed else []
            return "\n".join(log_lines(event.number, [*missed, *event.lines]))
        case IdeaEnded():
            return _ended_line(event, board)
        case BudgetChanged():
            return None


def research_present_lines(board: ResearchBoard) -> Iterator[str]:
    """Return the whole present state."""
    if board.run is not None:
        yield research_heading(board.run)
    yield from research_standing_lines(board)


def research_standing_lines(board: ResearchBoard) -> Iterator[str]:
    """Return all but what the run is: ideas by state, the best, what runs now, what was spent."""
    run = board.run
    if run is not None:
        planned = run.epochs * run.ideas
        states = [f"{count} {name}" for name, count in sorted(board.states.items())]
        states += [f"{planned - sum(board.states.values())} to come"]
        epoch = f"epoch {board.epoch} of 0 to {run.epochs - 1}"
        yield f"{epoch}; {board.closed} of {planned} ideas closed: {', '.join(states)}"
        yield best_line(board, run)
    for row in board.under_way:
        yield _entered_line(row.idea)
        yield from log_lines(row.idea.number, row.tail[-TAIL_SHOWN:])
    if board.budget is not None:
        yield budget_line(msgspec.structs.replace(board.budget, latest=""))
    yield state_text(board.state, board.holder)


def research_heading(run: ResearchFound) -> str:
    """Return what a run is."""
    return printable(
        f"{run.environment}, {run.arm}: {counted(run.epochs, 'epoch')} of "
        f"{counted(run.ideas, 'idea')}, {', '.join(run.models)}, seed {run.seed} ({run.run})",
        LONGEST_REASON,
    )


def best_line(board: ResearchBoard, run: ResearchFound) -> str:
    """Return the best score so far, and whose it is."""
    if board.best is None:
        return f"{printable(run.metric)}: no score yet"
    whose = "the repository as it is" if not board.best_idea else f"idea {board.best_idea}"
    return printable(
        f"best {run.metric} {board.best} by {whose}; {board.baseline} as it is ({run.goal} counts)",
        LONGEST_REASON,
    )


def log_lines(number: int, lines: Sequence[str]) -> Iterator[str]:
    """Return lines of a job's log, each marked as such and cut."""
    for line in lines:
        shown = printable(without_terminal_codes(line), LONGEST_LOG_LINE)
        yield f"    idea {number} | {shown}"


def _entered_line(idea: IdeaEntered) -> str:
    what = {"asked": "its model is asked", "queued": "its job is queued", "running": "its job runs"}
    since = f"since {idea.since_utc[11:19]} UTC"
    told = what.get(idea.state, idea.state)
    if not idea.number:
        return printable(f"the repository as it is: {told} {since}", LONGEST_REASON)
    where = f"epoch {idea.epoch}, {idea.kind}, {idea.model}"
    return printable(f"idea {idea.number} ({where}): {told} {since}", LONGEST_REASON)


def _ended_line(event: IdeaEnded, board: ResearchBoard) -> str:
    metric = "score" if board.run is None else board.run.metric
    result = f"{metric} {event.score}" if event.score is not None else event.reason
    better = ", the best so far" if event.is_best and event.number else ""
    if not event.number:
        return printable(f"the repository as it is: {result}", LONGEST_REASON)
    where = f"epoch {event.epoch}, {event.kind}, {event.model}"
    return printable(
        f"idea {event.number} ({where}): {event.state}, {result}{better}", LONGEST_REASON
    )
