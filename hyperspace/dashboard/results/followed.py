"""Runs that are looked at while they are played: each look reads what is new since the last one."""

import threading
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from hyperspace.dashboard.results.arrows import RunArrows
from hyperspace.dashboard.results.cache import stamp_of
from hyperspace.dashboard.results.followed_research import FollowedResearch
from hyperspace.dashboard.results.latest import LATEST_MARKS, LatestMark
from hyperspace.dashboard.results.links import require_no_links
from hyperspace.dashboard.results.place import RunPlace
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.config import RunConfig, RunRecord, read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.ownership import is_own
from hyperspace.kernel.state.terms import Terms, read_terms
from hyperspace.kernel.views.nothing import LEAST_TOLD, AgentEffect
from hyperspace.runs.files import why_unreadable
from hyperspace.runs.following.follower import require_still_there
from hyperspace.runs.following.money import RunMoney
from hyperspace.runs.following.overview import OverviewReader, RunOverview
from hyperspace.runs.following.refusals import RunRefusals
from hyperspace.runs.following.scores import ScoreColumns, ScoresRead
from hyperspace.runs.spaces.listing import OF_A_RUN, printable, to_text
from hyperspace.runs.spaces.opening import opened

MOST_FOLLOWED: Final = 12
MOST_LISTED: Final = 6_000
SURE_S: Final = 2.0  # for how long a look is good where no file changed: leases lapse by themselves


class Present(NamedTuple):
    """How a run stands.

    Attributes:
        config: What it is.
        started_utc: When it was first started.
        columns: Scores by agent, in turn order; they go on growing.
        sequence: Of the last mark that was seen.
        overview: Its state, as the list of runs tells it.
        marks: The latest ones, in order.
        terms: Its limits.
        notes: What is missing or damaged.
        nothing: Why agents have come to nothing so far, a sentence each.
    """

    config: RunConfig
    started_utc: str
    columns: dict[str, ScoreColumns]
    sequence: int
    overview: RunOverview
    marks: tuple[LatestMark, ...]
    terms: Terms
    notes: tuple[str, ...]
    nothing: tuple[str, ...] = ()


class FollowedRun:
    """One run of ours; may be used by several threads.

    Attributes:
        folder: The run's.
        arrows: Its adoptions, as far as they are known.
    """

    def __init__(self, folder: RunFolder, most_pieces: int | None) -> None:
        self.folder = folder
        self._most_pieces = most_pieces
        self.arrows = RunArrows(folder)
        self._lock = threading.Lock()
        self._arrows_lock = threading.Lock()
        self._overview = OverviewReader(folder.root, most_pieces)
        self._effects = defaultdict[str, AgentEffect](AgentEffect)
        self._taken = Counter[str]()
        self._present: Present | None = None
        self._stamp: tuple[object, ...] = ()
        self._record: tuple[object, RunRecord] | None = None  # with its stamp, if it is our own
        self._looked_s = 0.0

    def look(self) -> Present:
        """Return how the run stands now.

        Raises:
            RunUsageError: Another version wrote it, or its record is damaged.
            RunDamaged: It is gone since it was looked at, or has lost its space.
            StoreError: Its space cannot be read.
        """
        with self._lock:
            stamp = stamp_of(self.folder.root)
            is_sure = time.monotonic() - self._looked_s < SURE_S
            if self._present is None or stamp != self._stamp or not is_sure:
                self._present = self._looked(self._present, self._record_now(stamp[0]))
                self._stamp, self._looked_s = stamp, time.monotonic()
            else:
                self.money.look(self._most_pieces)
            return self._present

    @property
    def money(self) -> RunMoney:
        """Its ledger, as far as looks have added it up."""
        return self._overview.money

    def all_money(self) -> RunMoney:
        """Its ledger, added up to the end."""
        with self._lock:
            self.money.look()
            return self.money

    @property
    def refusals(self) -> RunRefusals:
        """What the guard refused, up to the last look."""
        return self._overview.refusals

    def learn_arrows(self, seconds: float) -> RunArrows:
        """Return the adoptions, after looking for more for about so long.

        Where another thread is at it, what is known is returned at once.

        Raises:
            RunDamaged: The run or its space is gone.
            StoreError: Its space cannot be read.
        """
        if self._present is not None:
            require_still_there(self.folder)
        if self._arrows_lock.acquire(blocking=False):
            try:
                self.arrows.advance(seconds)
            finally:
                self._arrows_lock.release()
        return self.arrows

    def _record_now(self, stamp: object) -> RunRecord:
        """Open the run; one that this user began is not opened again while its record stays."""
        if self._record is not None and self._record[0] == stamp:
            return self._record[1]
        if self._present is not None:
            require_still_there(self.folder)
        record = read_record_of(self.folder.root)
        self._record = (stamp, record) if is_own(self.folder.root) else None
        return record

    def _looked(self, before: Present | None, record: RunRecord) -> Present:
        config = record.configuration
        with reading(self.folder, config) as marks:
            overview = self._overview.read(marks, record)
            scores = self._overview.seen
            if scores is None or overview.state == "damaged":
                raise RunDamaged(overview.why)
            latest = _latest(marks, before, scores)
            nothing = tuple(self._nothing(marks, scores.columns))
        problems = (self.refusals.problem, self.money.problem)
        return Present(
            config=config,
            started_utc=record.started_utc,
            columns=scores.columns,
            sequence=scores.sequence,
            overview=overview,
            marks=latest,
            terms=read_terms(self.folder.terms),
            notes=(*scores.notes, *filter(None, problems)),
            nothing=nothing,
        )

    def _nothing(self, marks: RunMarks, columns: Mapping[str, ScoreColumns]) -> Iterator[str]:
        """Yield what is said of each agent that has come to nothing so far; reads what is new."""
        for agent, column in columns.items():
            effect = self._effects[agent]
            while self._taken[agent] < len(column) and not effect.came_to_something:
                effect.take(marks.closing(agent, self._taken[agent]))
                self._taken[agent] += 1
            nothing = effect.nothing
            if nothing is not None and nothing.generations >= LEAST_TOLD:
                yield f"{agent}: {nothing.sentence}; {nothing.advice('RUN', agent)}"


def _latest(marks: RunMarks, before: Present | None, scores: ScoresRead) -> tuple[LatestMark, ...]:
    known = () if before is None else before.marks
    after = max(known[-1].sequence if known else 0, scores.sequence - LATEST_MARKS)
    if before is not None and scores.new is not None and before.sequence == scores.since:
        page = [mark for mark in scores.new if mark.sequence > after]  # not read once more
    else:
        with marks.space.store.snapshot() as reader:
            page = reader.scan(after, LATEST_MARKS)
    new = [
        LatestMark(each.sequence, printable(to_text(each, OF_A_RUN), 300))
        for each in opened(marks.space, page, None)
    ]
    return (*known, *new)[-LATEST_MARKS:]


class _Listed(NamedTuple):
    stamp: object
    overview: RunOverview
    reader: OverviewReader
    is_over: bool


class FollowedRuns:
    """The runs that were looked at last, and overviews; may be used by several threads."""

    def __init__(self, most_pieces: int | None) -> None:
        self._most_pieces = most_pieces
        self._lock = threading.Lock()
        self._runs: OrderedDict[str, FollowedRun] = OrderedDict()
        self._research: OrderedDict[str, FollowedResearch] = OrderedDict()
        self._overviews: OrderedDict[str, _Listed] = OrderedDict()

    def run(self, place: RunPlace) -> FollowedRun:
        """Return a run that goes on being read where it was left."""
        with self._lock:
            new = FollowedRun(RunFolder(place.folder), self._most_pieces)
            run = self._runs.setdefault(place.id, new)
            self._runs.move_to_end(place.id)
            while len(self._runs) > MOST_FOLLOWED:
                self._runs.popitem(last=False)
        return run

    def research(self, place: RunPlace) -> FollowedResearch:
        """Return a research run that goes on being read where it was left."""
        with self._lock:
            new = FollowedResearch(place.folder, self._most_pieces)
            run = self._research.setdefault(place.id, new)
            self._research.move_to_end(place.id)
            while len(self._research) > MOST_FOLLOWED:
                self._research.popitem(last=False)
        return run

    def overview(self, place: RunPlace) -> RunOverview:
        """Return a run at a glance; one that is over is read again where its files changed."""
        try:
            require_no_links(place.folder)
        except (RunDamaged, OSError) as error:
            return RunOverview(state="damaged", why=printable(why_unreadable(error), 400))
        stamp = stamp_of(place.folder)
        with self._lock:
            listed = self._overviews.get(place.id)
        if listed is not None and listed.stamp == stamp and listed.is_over:
            return listed.overview
        reader = self._reader(place) if listed is None else listed.reader
        overview = reader.read()
        is_over = overview.state in ("finished", "published", "damaged")
        if is_over:  # nothing of it is read on
            reader = self._reader(place)
        with self._lock:
            self._overviews[place.id] = _Listed(stamp, overview, reader, is_over)
            while len(self._overviews) > MOST_LISTED:
                self._overviews.popitem(last=False)
        return overview

    def _reader(self, place: RunPlace) -> OverviewReader:
        return OverviewReader(place.folder, self._most_pieces)
