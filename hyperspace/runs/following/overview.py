"""A run at a glance, from its record, its summary and the files of lines: a row in a list of runs.

Runs of ours are not read whole: a list may hold thousands. The space is opened, which takes less
than a millisecond and refuses one that is cut off, overwritten or of another version; of an
unfinished run it says who works on it. Damage within its pages is found where they are read.
"""

import re
import threading
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.state.config import RunConfig, RunRecord, read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.manifest import TEST
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.remote.place import require_space
from hyperspace.runs.files import ReadingNotes, read_json, why_unreadable
from hyperspace.runs.folders import read_run
from hyperspace.runs.following.columns import grid, thinned
from hyperspace.runs.following.money import RunMoney
from hyperspace.runs.following.refusals import RunRefusals
from hyperspace.runs.following.scores import RunScores, ScoreColumns, ScoresRead, columns_of
from hyperspace.runs.generations import generation_folders
from hyperspace.runs.records import Run
from hyperspace.runs.research.kind import is_research
from hyperspace.runs.research.reader import ResearchReader
from hyperspace.runs.research.scored import run_of
from hyperspace.runs.spaces.listing import printable
from hyperspace.runs.spaces.opening import SpaceUsageError, open_space
from hyperspace.runs.spent import Spent, of_total, spent_of
from hyperspace.runs.steering import steering_of
from markspace.errors import LeaseHeld, StoreError

SPARK: Final = 24  # columns of a curve in a row
LONGEST_PAUSE: Final = 1600  # characters of why a run paused; their end says what to do
BY_PRINCIPAL: Final = "by the principal; hyperspace steer RUN resume lets it go on"
_UNREADABLE: Final = (RunUsageError, RunDamaged, StoreError, OSError, ValueError)
RunState = Literal["playing", "waiting", "paused", "stopped", "finished", "published", "damaged"]
"""`waiting`: a process has it, which waits for the principal; `stopped`: nobody works on it, and it
is not finished; `published`: the source does not say."""


class RunOverview(msgspec.Struct, frozen=True, kw_only=True):
    """A run at a glance. None stands for what is not known.

    Attributes:
        state: Whether it is worked on.
        why: Why it waits or paused, who works on it, or what is wrong with it.
        domain: The task.
        models: One for each agent.
        agents: Their names.
        seed: The run seed.
        closed: Closed generations of all agents, those of number 0 not counted.
        planned: How many there are to be.
        best_val: Validation score of the best generation.
        test: Test score of its agent.
        adoptions: How many are on record.
        refused: How often the guard refused something.
        spent: What it took.
        needs: Questions of agents that nobody has answered; counted while it is not finished.
        started_utc: When it was first started; empty if that is not known.
        spark: Best validation score of any agent over generations, some of very many.
    """

    state: RunState
    why: str = ""
    domain: str = ""
    models: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    seed: int | None = None
    closed: int = 0
    planned: int | None = None
    best_val: float | None = None
    test: float | None = None
    adoptions: int | None = None
    refused: int | None = None
    spent: Spent | None = None
    needs: int = 0
    started_utc: str = ""
    spark: tuple[float | None, ...] = ()


class _Summary(msgspec.Struct, frozen=True):
    adoptions: list[msgspec.Raw] | None = None


class _Head(msgspec.Struct, frozen=True):
    configuration: msgspec.Raw | None = None
    format: msgspec.Raw | None = None


class _Launched(msgspec.Struct, frozen=True):
    kind: str


class _Record(msgspec.Struct, frozen=True):
    configuration: _Launched


def is_ours(folder: RunFolder) -> bool:
    """Return whether a run says that this program played it, in whatever version."""
    head = read_json(folder.record, _Head)
    if head is None:  # a damaged record is ours, too: published runs have none, or a readable one
        return folder.record.exists() or folder.space.exists()  # the space is there first
    return head.configuration is not None or head.format is not None


def is_alone(folder: RunFolder) -> bool:
    """Return whether the run is of one agent, which no other one can join."""
    record = read_json(folder.record, _Record)
    if record is not None:
        return record.configuration.kind == "solo"
    with suppress(OSError):
        return bool(generation_folders(folder.root))  # as one agent was published
    return False


class OverviewReader:
    """Reads the overview of one run again and again; remembers what it read of files of lines.

    Attributes:
        scores: Of a run of ours; None before it was read.
        seen: What the last look at them gave; None before it.
        money: Its ledger, as far as it was read.
        research: The ideas of a research run; None before they were read.
        refusals: What the guard refused, as far as that was read.
    """

    def __init__(self, run: Path, most_pieces: int | None = None) -> None:
        """Read a run.

        Args:
            run: Its folder.
            most_pieces: Megabytes of its ledger that one look adds up; None for all.
        """
        self._folder = RunFolder(run)
        self._most_pieces = most_pieces
        self._config: RunConfig | None = None
        self._lock = threading.Lock()
        self.scores: RunScores | None = None
        self.seen: ScoresRead | None = None
        self.money = RunMoney(self._folder)
        self.research: ResearchReader | None = None
        self.refusals = RunRefusals(self._folder)

    def read(self, marks: RunMarks | None = None, record: RunRecord | None = None) -> RunOverview:
        """Return the run as it is now; what cannot be read is told by its state.

        Args:
            marks: Of the run, where its space is open; else it is opened if need be.
            record: Of the run, where it was read just now.
        """
        with self._lock:
            try:
                if record is None and is_research(self._folder.root):
                    return self._research_overview()
                if record is None and not is_ours(self._folder):
                    return _overview_of(read_run(self._folder.root))
                if record is None and (holder := _set_up_by(self._folder)):
                    return RunOverview(state="playing", why=f"is being set up by {holder}")
                return self._ours(record or read_record(self._folder.record), marks)
            except _UNREADABLE as error:
                self.research = None  # another run may stand in its place
                why = self._within(why_unreadable(error))
                overview = RunOverview(state="damaged")
                if record is None:
                    with suppress(*_UNREADABLE):  # what its files tell, as its own page does
                        overview = _overview_of(read_run(self._folder.root))
                return replace(overview, state="damaged", why=printable(why, 400))

    def _within(self, why: str) -> str:
        """Return a sentence with the paths of the run's files as they are within it."""
        root = self._folder.root
        for folder in (root.resolve(), root):
            why = re.sub(rf"(?<![^\s(]){re.escape(str(folder))}/", "", why)
        return why

    def _ours(self, record: RunRecord, marks: RunMarks | None) -> RunOverview:
        config = record.configuration
        require_space(self._folder)
        if self.scores is None or config != self._config:
            self._config, self.scores = config, RunScores(self._folder, config)
        self.seen = self.scores.look(marks)
        columns = self.seen.columns
        self.refusals.look()
        best = max(columns, key=lambda name: columns[name].best_fitness)
        with nullcontext(marks) if marks else reading(self._folder, config) as opened:
            final = opened.closing(best, TEST).manifest if opened.has_final(best) else None
            finished = self._folder.summary.exists() and opened.has_finals
            standing = _Standing("finished") if finished else self._standing(config, opened)
        notes = ReadingNotes(self._folder.root)
        spent = self._spent(notes, finished=finished)
        summary = read_json(self._folder.summary, _Summary) if finished else None
        adoptions = None if summary is None else summary.adoptions
        return RunOverview(
            state=standing.state,
            why=standing.why or printable("; ".join(notes.lines()), 400),
            domain=config.domain,
            models=config.models,
            agents=config.agents,
            seed=config.seed,
            closed=sum(max(len(each) - 1, 0) for each in columns.values()),
            planned=sum(member.generations for member in config.together.members),
            best_val=columns[best].best_val,
            test=None if final is None else final.score(TEST),
            adoptions=None if adoptions is None else len(adoptions),
            refused=self.refusals.total,
            spent=spent,
            needs=standing.needs,
            started_utc=record.started_utc,
            spark=spark(columns),
        )

    def _research_overview(self) -> RunOverview:
        if self.research is None:
            self.research, self.money = ResearchReader(self._folder.root), RunMoney(self._folder)
        reader, config = self.research, self.research.record.configuration
        reader.look_to_the_end()
        self.money.look(self._most_pieces)
        is_known = self.money.read_share == 1 and not self.money.problem
        columns = columns_of(run_of(reader).agents[0])
        state: RunState = "playing" if reader.holder else "stopped"
        return RunOverview(
            state="finished" if reader.is_finished else state,
            why="" if reader.is_finished else reader.holder,
            domain=config.environment,
            models=config.models,
            seed=config.seed,
            closed=sum(number > 0 for number in reader.ideas),
            planned=reader.planned,
            best_val=None if reader.best is None else reader.best.score,
            refused=sum(idea.state == "refused" for idea in reader.ideas.values()),
            spent=of_total(self.money.state.spent) if is_known else None,
            started_utc=reader.record.started_utc,
            spark=spark({"": columns}),
        )

    def _spent(self, notes: ReadingNotes, *, finished: bool) -> Spent | None:
        if finished:
            return spent_of(self._folder.root, notes.object_of(self._folder.summary), notes)
        self.money.look(self._most_pieces)
        is_known = self.money.read_share == 1 and not self.money.problem
        return of_total(self.money.state.spent) if is_known else None

    def _standing(self, config: RunConfig, marks: RunMarks) -> "_Standing":
        held, steering = holder_of(marks.space), steering_of(marks)
        needs = steering.open_needs
        awaiting = [f"{need.agent} waits for an answer" for need in needs if need.blocking]
        if steering.paused:
            awaiting.insert(0, "paused by the principal")
        if held is not None:
            why = printable(", ".join(awaiting), 400) or _where(held)
            return _Standing("waiting" if awaiting else "playing", why, len(needs))
        if self.refusals.pause:
            files = [path for path in map(self._folder.archive, config.agents) if path.exists()]
            closed_s = max((path.stat().st_mtime for path in files), default=0.0)
            if self._folder.audit.stat().st_mtime >= closed_s:  # nothing was closed after it
                return _Standing(
                    "paused", printable(self.refusals.pause, LONGEST_PAUSE), len(needs)
                )
        if steering.paused:
            return _Standing("paused", BY_PRINCIPAL, len(needs))
        return _Standing("stopped", printable(", ".join(awaiting), 400), len(needs))


def _set_up_by(folder: RunFolder) -> str:
    """Return who holds a run that has a space and no record yet; empty if nobody does."""
    if folder.record.exists() or not folder.space.exists():
        return ""
    with suppress(StoreError, SpaceUsageError), open_space(str(folder.space)) as space:
        held = holder_of(space)
        return "" if held is None else _where(held)
    return ""


def _where(held: LeaseHeld) -> str:
    return printable(f"{held.holder} on {held.info.get('host')}", 400)


class _Standing(NamedTuple):
    state: RunState
    why: str = ""
    needs: int = 0


def spark(columns: dict[str, ScoreColumns]) -> tuple[float | None, ...]:
    """Return the best score of the agent that is ranked best, over all its generations."""
    best = max(columns.values(), key=lambda each: each.best_fitness, default=ScoreColumns())
    if not len(best):
        return ()
    on = grid(0, len(best) - 1, SPARK)
    return tuple(thinned(best.best, on, "last"))


def _overview_of(run: Run) -> RunOverview:
    """Return the overview of a run that was read whole."""
    columns = {agent.name: columns_of(agent) for agent in run.agents}
    best = run.best_agent
    curve = spark({} if best is None else {best.name: columns[best.name]})
    plans = [agent.planned for agent in run.agents]
    return RunOverview(
        state="published" if run.agents else "damaged",
        why="" if run.agents else "; ".join(run.notes),
        domain=run.domain,
        models=tuple(agent.model or agent.name for agent in run.agents),
        agents=tuple(agent.name for agent in run.agents),
        seed=run.seed,
        closed=run.played,
        planned=None if None in plans else sum(plan or 0 for plan in plans),
        best_val=run.best_val,
        test=run.test,
        spent=run.spent,
        spark=curve,
    )
