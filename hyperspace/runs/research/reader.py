"""A research run, read again and again, each time what is new.

Ideas come from the space; those that are not closed from now.json, if somebody works on the run.
"""

from pathlib import Path
from typing import Final

import msgspec

from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.marks import convert
from hyperspace.kernel.state.ownership import is_own
from hyperspace.research.environments.description import Goal, is_better
from hyperspace.research.environments.registry import find_environment
from hyperspace.research.loop.folder import RECORD, ResearchFolder
from hyperspace.research.loop.records import ClosedIdea, HeldOut, IdeaState, ResearchRecord
from hyperspace.research.loop.run import read_research_record
from hyperspace.research.loop.space import CLOSINGS, ResearchSpace, reading_from
from hyperspace.research.loop.under_way import UnderWay, read_under_way
from hyperspace.runs.spaces.listing import printable
from hyperspace.runs.spaces.opening import opened
from markspace import Action
from markspace.stores.base import StoredMark

PAGE: Final = 200
LONGEST_TITLE: Final = 160


class IdeaLine(msgspec.Struct, frozen=True, kw_only=True):
    """A closed idea without its texts.

    Attributes:
        sequence: Of its closing mark.
        number: From 1 on; 0 is the repository as it is.
        epoch: From 0 on.
        author: Who had it; empty for the baseline.
        kind: Whether it builds upon the best, or is new.
        parent: The idea whose repository it changed.
        shown: Ideas whose results its model saw.
        state: What came of it.
        score: None where there is none.
        reason: Why there is no score; empty where there is one.
        diffs: How many diffs its model gave.
        cpu_s: CPU seconds of its jobs.
        cpu_by: Who counted those of its training; empty where that is not known.
        title: How its words begin.
    """

    sequence: int
    number: int
    epoch: int
    author: str
    kind: str
    parent: int
    shown: tuple[int, ...]
    state: IdeaState
    score: float | None
    reason: str
    diffs: int
    cpu_s: float
    cpu_by: str
    title: str


class ResearchReader:
    """Reads one run.

    Attributes:
        folder: Where it lies.
        record: Its research.json.
        metric: Name of its score.
        goal: Which score is better.
        ideas: Closed ideas by number, as far as they were read.
        best: The one with the best score, the earliest of equals; None before the baseline.
        held_out: What the held-out evaluation said; None before the end of the search.
        under_way: Ideas that somebody works on.
        holder: Who works on the run, for people; empty if nobody does.
        sequence: The last mark that was read.
        is_behind: Whether there is more to be read at once.
    """

    def __init__(self, root: Path) -> None:
        """Begin to read a run.

        Raises:
            RunUsageError: There is none that this version can read, or none that may be read.
        """
        self.folder = ResearchFolder(root)
        self._stamp = _stamp(self.folder.record)
        self.record = read_research_record(root)
        self.metric: str
        self.goal: Goal
        self.metric, self.goal = _metric_of(root, self.record)
        self.ideas: dict[int, IdeaLine] = {}
        self.best: IdeaLine | None = None
        self.held_out: HeldOut | None = None
        self.under_way: tuple[UnderWay, ...] = ()
        self.holder = ""
        self.sequence = 0
        self.is_behind = False

    @property
    def planned(self) -> int:
        """Ideas that there are to be, the baseline not counted."""
        return self.record.configuration.epochs * self.record.configuration.ideas

    @property
    def is_finished(self) -> bool:
        """Whether every idea is closed, and the winner judged where it is to be."""
        is_judged = self.held_out is not None or not self.record.has_held_out
        return len(self.ideas) == 1 + self.planned and is_judged

    @property
    def epoch(self) -> int:
        """The epoch that is played, or was played last; from 0 on."""
        latest = [idea.epoch for idea in self.under_way]
        return max(latest or (idea.epoch for idea in self.ideas.values()), default=0)

    def look(self) -> list[IdeaLine]:
        """Read what is new, a page of marks at most; `is_behind` where there is more.

        Returns:
            Ideas that were closed since the last look, in that order.

        Raises:
            RunDamaged: The run is gone, or its space holds what no run has.
            StoreError: Its space cannot be read.
        """
        if _stamp(self.folder.record) != self._stamp:
            raise RunDamaged(f"{self.folder.root} is gone: it was moved or removed while read")
        if not self.folder.space.exists():
            if self.ideas or self.folder.ideas.exists():
                raise RunDamaged(
                    f"{self.folder.root} has lost its space.db; put it back from a copy"
                )
            return []  # it is just beginning
        with reading_from(self.folder.space, self.record.configuration) as space:
            held = holder_of(space.space)
            with space.space.store.snapshot() as reader:
                page = reader.scan(self.sequence, PAGE)
            new = [_line(sequence, idea) for sequence, idea in _closed(space, page)]
            if self.held_out is None and len(self.ideas) + len(new) == 1 + self.planned:
                self.held_out = space.held_out()
        self.is_behind = len(page) == PAGE
        self.sequence = page[-1].sequence if page else self.sequence
        for line in new:
            self.ideas[line.number] = line
            if line.score is not None and (
                self.best is None or self._rank(line) < self._rank(self.best)
            ):
                self.best = line
        told = "" if held is None else f"{held.holder} on {held.info.get('host')}"
        self.holder = printable(told)
        # The file is a second late where an idea was just closed.
        present = () if held is None else read_under_way(self.folder.now)
        self.under_way = tuple(idea for idea in present if idea.number not in self.ideas)
        return new

    def look_to_the_end(self) -> list[IdeaLine]:
        """Read all that is new; see `look`."""
        new = self.look()
        while self.is_behind:
            new += self.look()
        return new

    def whole(self, number: int) -> ClosedIdea | None:
        """Return a closed idea with its texts; None if none of this number is closed.

        Raises:
            RunDamaged, StoreError: See `look`.
        """
        line = self.ideas.get(number)
        if line is None:
            return None
        with reading_from(self.folder.space, self.record.configuration) as space:
            with space.space.store.snapshot() as reader:
                page = reader.scan(line.sequence - 1, 1)
            return next((idea for _, idea in _closed(space, page)), None)

    def ranked(self) -> list[IdeaLine]:
        """Return the ideas with a score, the best first, the earliest of equals."""
        scored = [idea for _, idea in sorted(self.ideas.items()) if idea.score is not None]
        return sorted(scored, key=self._rank)

    def is_better(self, score: float, than: float) -> bool:
        """Return whether a score is better than another."""
        return is_better(self.goal, score, than)

    def _rank(self, idea: IdeaLine) -> tuple[float, int]:
        score = idea.score or 0.0
        return (-score if self.goal == "max" else score, idea.number)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return which file this is; None for none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _metric_of(root: Path, record: ResearchRecord) -> tuple[str, Goal]:
    if record.goal is not None:
        return record.metric, record.goal
    if not is_own(root, RECORD):  # an environment that somebody else names is not looked up
        raise RunUsageError(
            f"{root / RECORD} does not say which score is better: an earlier version wrote it"
        )
    config = None if record.env_config is None else Path(record.env_config)
    evaluation = find_environment(
        record.env, config, record.scale, record.folders
    ).description.table.evaluation
    return evaluation.metric, evaluation.goal


def _closed(space: ResearchSpace, page: list[StoredMark]) -> list[tuple[int, ClosedIdea]]:
    kept = opened(space.space, page, CLOSINGS)
    return [
        (each.sequence, convert(ClosedIdea, each.mark.result))
        for each in kept
        if isinstance(each.mark, Action)
    ]


def _line(sequence: int, idea: ClosedIdea) -> IdeaLine:
    manifest = idea.manifest
    return IdeaLine(
        sequence=sequence,
        number=manifest.number,
        epoch=manifest.epoch,
        author=manifest.author,
        kind=manifest.kind,
        parent=manifest.parent,
        shown=manifest.shown,
        state=manifest.state,
        score=manifest.score,
        reason=idea.reason,
        diffs=len(manifest.gates),
        cpu_s=idea.cpu_s,
        cpu_by=idea.cpu_by,
        title=" ".join(idea.text[: 2 * LONGEST_TITLE].split())[:LONGEST_TITLE],
    )
