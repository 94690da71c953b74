"""A research run that is looked at while it is played."""

import threading
from pathlib import Path
from typing import Final, NamedTuple

from hyperspace.dashboard.results.latest import LATEST_MARKS, LatestMark
from hyperspace.kernel.errors import RunDamaged
from hyperspace.research.environments.description import Goal
from hyperspace.research.loop.records import ClosedIdea, HeldOut, ResearchRecord
from hyperspace.research.loop.under_way import UnderWay
from hyperspace.runs.following.money import RunMoney
from hyperspace.runs.following.overview import OverviewReader, RunOverview
from hyperspace.runs.records import Run
from hyperspace.runs.research.reader import IdeaLine
from hyperspace.runs.research.scored import run_of
from hyperspace.runs.spaces.listing import printable

_LONGEST: Final = 300


class ResearchStanding(NamedTuple):
    """How a research run stands.

    Attributes:
        overview: Its state, as the list of runs tells it.
        record: Its research.json.
        metric: Name of its score.
        goal: Which score is better.
        ideas: Closed ideas, by number.
        ranked: Those with a score, the best first.
        under_way: Ideas that somebody works on.
        epoch: The epoch that is played, or was played last; from 0 on.
        sequence: The last mark that was seen.
        latest: What was closed last, in order.
        held_out: What the held-out evaluation said; None before the end of the search.
        run: It in the form of every run.
    """

    overview: RunOverview
    record: ResearchRecord
    metric: str
    goal: Goal
    ideas: dict[int, IdeaLine]
    ranked: tuple[IdeaLine, ...]
    under_way: tuple[UnderWay, ...]
    epoch: int
    sequence: int
    latest: tuple[LatestMark, ...]
    held_out: HeldOut | None
    run: Run


class FollowedResearch:
    """One research run; may be used by several threads."""

    def __init__(self, folder: Path, most_pieces: int | None) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._overview = OverviewReader(folder, most_pieces)

    def look(self) -> ResearchStanding:
        """Return how the run stands now.

        Raises:
            RunDamaged: It cannot be read; says why.
        """
        with self._lock:
            overview, reader = self._overview.read(), self._overview.research
            if reader is None:
                raise RunDamaged(overview.why)
            latest = sorted(reader.ideas.values(), key=lambda idea: idea.sequence)[-LATEST_MARKS:]
            return ResearchStanding(
                overview=overview,
                record=reader.record,
                metric=reader.metric,
                goal=reader.goal,
                ideas=dict(sorted(reader.ideas.items())),
                ranked=tuple(reader.ranked()),
                under_way=reader.under_way,
                epoch=reader.epoch,
                sequence=reader.sequence,
                latest=tuple(
                    LatestMark(idea.sequence, idea_line(idea, reader.metric)) for idea in latest
                ),
                held_out=reader.held_out,
                run=run_of(reader),
            )

    @property
    def money(self) -> RunMoney:
        """Its ledger, as far as looks have added it up."""
        return self._overview.money

    def whole(self, number: int) -> ClosedIdea | None:
        """Return a closed idea with its texts; None if none of this number is closed.

        Raises:
            RunDamaged, StoreError: It cannot be read.
        """
        self.look()
        with self._lock:
            reader = self._overview.research
            return None if reader is None else reader.whole(number)


def idea_line(idea: IdeaLine, metric: str) -> str:
    """Return what an idea came to, on one line."""
    result = f"{metric} {idea.score}" if idea.score is not None else idea.reason
    if not idea.number:
        return printable(f"the repository as it is: {result}", _LONGEST)
    told = f"idea {idea.number} (epoch {idea.epoch}, {idea.kind}): {idea.state}, {result}"
    return printable(told, _LONGEST)
