"""The present state of a research run that is watched: its events, added up."""

from collections import Counter
from typing import Final

import msgspec

from hyperspace.research.loop.under_way import TAIL_LINES
from hyperspace.runs.following.events import BudgetChanged, State, StateChanged
from hyperspace.runs.following.research_events import (
    IdeaEnded,
    IdeaEntered,
    LogTold,
    ResearchEvent,
    ResearchFound,
)

_OPEN: Final = ("asked", "queued", "running")


class IdeaRow(msgspec.Struct):
    """An idea that is under way.

    Attributes:
        idea: What it is, and its state.
        tail: The last lines that its job printed; nobody believes them.
    """

    idea: IdeaEntered
    tail: list[str] = []


class ResearchBoard(msgspec.Struct, tag="present", tag_field="event"):
    """Everything that is shown of a research run at one moment.

    Attributes:
        run: What it is; None before it was found.
        state: Whether it is worked on.
        holder: By whom, for people; empty if by nobody.
        sequence: The last closing that was seen.
        epoch: The epoch that is played, or was played last; from 0 on.
        states: How many ideas are in each state, the baseline not counted: `asked`, `queued`,
            `running`, or what came of those that are closed.
        closed: How many are closed.
        baseline: Score of the repository as it is; None before it is known.
        best: The best score; None before there is one.
        best_idea: Which idea has it, 0 for the repository as it is.
        under_way: Ideas that are not closed, by number.
        budget: What was spent; None before there is a ledger.
    """

    run: ResearchFound | None = None
    state: State = "waiting"
    holder: str = ""
    sequence: int = 0
    epoch: int = 0
    states: dict[str, int] = {}
    closed: int = 0
    baseline: float | None = None
    best: float | None = None
    best_idea: int | None = None
    under_way: list[IdeaRow] = []
    budget: BudgetChanged | None = None

    def take(self, event: ResearchEvent) -> None:
        """Learn of one more event."""
        match event:
            case ResearchFound():
                self.run = event
            case StateChanged():
                self.state, self.holder = event.state, event.holder
                if event.state != "working":
                    self.under_way = []
            case IdeaEntered():
                self.epoch = max(self.epoch, event.epoch)
                self._leave(event.number)
                self.under_way = sorted([*self.under_way, IdeaRow(event)], key=_number)
            case LogTold():
                for row in self.under_way:
                    if row.idea.number == event.number:
                        row.tail = [*row.tail, *event.lines][-TAIL_LINES:]
            case IdeaEnded():
                self._end(event)
            case BudgetChanged():
                self.budget = event
        closed = {name: count for name, count in self.states.items() if name not in _OPEN}
        self.states = closed | Counter(row.idea.state for row in self.under_way if row.idea.number)

    def _end(self, event: IdeaEnded) -> None:
        self.sequence, self.epoch = event.sequence, max(self.epoch, event.epoch)
        self._leave(event.number)
        if event.is_best:
            self.best, self.best_idea = event.score, event.number
        if event.number:
            self.closed += 1
            self.states = {**self.states, event.state: self.states.get(event.state, 0) + 1}
        else:
            self.baseline = event.score

    def _leave(self, number: int) -> None:
        self.under_way = [row for row in self.under_way if row.idea.number != number]


def _number(row: IdeaRow) -> int:
    return row.idea.number
