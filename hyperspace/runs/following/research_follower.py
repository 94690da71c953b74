"""Following a research run: each look tells what is new."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hyperspace.kernel.state.folder import RunFolder
from hyperspace.research.loop.records import BASELINE
from hyperspace.research.loop.under_way import UnderWay
from hyperspace.runs.following.accounts import Accounts
from hyperspace.runs.following.events import State, StateChanged
from hyperspace.runs.following.research_events import (
    IdeaEnded,
    IdeaEntered,
    LogTold,
    ResearchEvent,
    ResearchFound,
)
from hyperspace.runs.research.reader import IdeaLine, ResearchReader


class ResearchLook(NamedTuple):
    """The events of a look.

    Attributes:
        events: In order.
        is_behind: Whether there is more to be seen at once.
    """

    events: list[ResearchEvent]
    is_behind: bool


class ResearchFollower:
    """Follows one run from its folder, from its first idea on."""

    def __init__(self, run: Path) -> None:
        """Follow a run.

        Raises:
            RunUsageError: The folder holds none that this version can read.
        """
        self.reader = ResearchReader(run)
        self._accounts = Accounts(RunFolder(run), self.reader.record.configuration.authors)
        self._state: StateChanged | None = None
        self._known: dict[int, UnderWay] = {}
        self._best: float | None = None
        self._was_told = False

    def look(self) -> ResearchLook:
        """Tell what happened since the last look.

        Raises:
            RunUsageError: The folder holds a run of another version.
            RunDamaged: The ledger cannot be read, or the run or its space is gone.
            StoreError: The space cannot be read.
        """
        events = list(self._told(self.reader.look()))
        return ResearchLook(events, self.reader.is_behind or self._accounts.tail.is_behind)

    def _told(self, closed: list[IdeaLine]) -> Iterator[ResearchEvent]:
        yield from self._what_it_is()
        yield from map(self._ended, closed)
        yield from self._changed()
        for idea in self.reader.under_way:
            yield from self._entered(idea)
        self._known = {idea.number: idea for idea in self.reader.under_way}
        budget = self._accounts.look()
        if budget is not None:
            yield budget

    def _what_it_is(self) -> Iterator[ResearchEvent]:
        if self._was_told:
            return
        self._was_told = True
        record, config = self.reader.record, self.reader.record.configuration
        yield ResearchFound(
            run=str(self.reader.folder.root),
            environment=config.environment,
            arm=config.arm,
            models=config.models,
            epochs=config.epochs,
            ideas=config.ideas,
            seed=config.seed,
            metric=self.reader.metric,
            goal=self.reader.goal,
            started_utc=record.started_utc,
        )

    def _changed(self) -> Iterator[ResearchEvent]:
        holder = self.reader.holder
        state: State = "working" if holder else "idle"
        if self.reader.is_finished:
            state, holder = "finished", ""
        now = StateChanged(state=state, holder=holder)
        if now != self._state and not self.reader.is_behind:
            self._state = now
            yield now

    def _ended(self, idea: IdeaLine) -> ResearchEvent:
        is_best = idea.score is not None and (
            self._best is None or self.reader.is_better(idea.score, self._best)
        )
        self._best = idea.score if is_best else self._best
        return IdeaEnded(
            sequence=idea.sequence,
            number=idea.number,
            epoch=idea.epoch,
            kind=idea.kind,
            model=self._model(idea.number),
            parent=idea.parent,
            state=idea.state,
            score=idea.score,
            reason=idea.reason,
            is_best=is_best,
            best=self._best,
        )

    def _entered(self, idea: UnderWay) -> Iterator[ResearchEvent]:
        before = self._known.get(idea.number)
        is_again = before is None or (before.state, before.since_utc) != (
            idea.state,
            idea.since_utc,
        )
        if is_again:
            yield IdeaEntered(
                number=idea.number,
                epoch=idea.epoch,
                kind=idea.kind,
                model=self._model(idea.number),
                state=idea.state,
                since_utc=idea.since_utc,
            )
        seen = 0 if before is None or is_again else before.lines
        new = max(idea.lines - seen, 0)
        if new:
            shown = idea.tail[-new:]
            yield LogTold(number=idea.number, lines=shown, missed=new - len(shown))

    def _model(self, number: int) -> str:
        return "" if number == BASELINE else self.reader.record.configuration.model(number)
