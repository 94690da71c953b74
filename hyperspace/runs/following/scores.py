"""Scores of a run's agents as columns of numbers: what long curves are drawn from.

They are read from archive.jsonl, a line a generation; closings of the space that are not in there
yet are put behind, and from then on the space tells what is new. Ten thousand generations of twenty
agents are five megabytes.
"""

import math
from array import array
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from hyperspace.kernel.state.archive import ArchiveEntry, RescoredEntry
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import TEST, Manifest
from hyperspace.kernel.state.marks import RunMarks, decode_closing
from hyperspace.kernel.state.scopes import GENERATIONS
from hyperspace.runs.following.tail import LineDamaged, LineTail
from hyperspace.runs.records import RunAgent
from hyperspace.runs.spaces.opening import opened
from markspace import Action
from markspace.stores.base import StoredMark

VALID: Final = 1
BEST: Final = 2
MOST_CLOSINGS: Final = 1000  # that one look puts behind the lines of each agent
MOST_MARKS: Final = 200  # that are looked through for new closings; of more, each agent is asked
_DECODER: Final = msgspec.json.Decoder(ArchiveEntry)


class ScoreColumns:
    """The scores of one agent's generations, from 0 on without a gap; NaN where there is none.

    Attributes:
        train: Train scores.
        val: Validation scores.
        best: Of each generation, the validation score of the best one up to it, on the items of
            that moment.
        flags: Of each generation, `VALID` if it may become a parent, and `BEST` if it was the best
            when it was closed.
        best_generation: The best one; None before there is one.
        best_fitness: What it is ranked by; minus infinity before there is one.
        test: Score on the sealed test split; None before the end.
    """

    def __init__(self) -> None:
        self.train, self.val, self.best = array("d"), array("d"), array("d")
        self.flags = bytearray()
        self.best_generation: int | None = None
        self.test: float | None = None
        self.best_fitness = -math.inf

    def __len__(self) -> int:
        return len(self.val)

    @property
    def best_val(self) -> float | None:
        """Validation score of the best generation; None before there is one."""
        return number_at(self.best, len(self) - 1)

    def append(self, train: float | None, val: float | None, best: float, flags: int) -> None:
        """Append the numbers of the next generation."""
        self.train.append(_or_nan(train))
        self.val.append(_or_nan(val))
        self.best.append(best)
        self.flags.append(flags)

    def take(self, entries: Iterable[ArchiveEntry]) -> None:
        """Append the next generations; those that are there already are left as they are."""
        best = self.best[-1] if self.best else math.nan
        new: list[ArchiveEntry] = []
        next_one = len(self)
        for entry in entries:
            if entry.generation != next_one:
                continue
            new.append(entry)
            next_one += 1
            if entry.rescored is not UNSET:
                best, self.best_fitness = _or_nan(entry.rescored.val_score), entry.rescored.fitness
            if entry.is_best:
                best, self.best_fitness = _or_nan(entry.val_score), entry.fitness
                self.best_generation = entry.generation
            self.best.append(best)
        self.train.extend([_or_nan(entry.train_score) for entry in new])
        self.val.extend([_or_nan(entry.val_score) for entry in new])
        self.flags.extend([VALID * entry.valid | BEST * entry.is_best for entry in new])

    def take_closed(self, manifest: Manifest) -> None:
        """Append a generation as its closing has it, or learn of the final evaluation."""
        if not isinstance(manifest.generation, int):
            self.test = manifest.score(TEST)
            return
        again, val = manifest.rescored, manifest.score("val")
        to_beat = self.best_fitness if again is None else again.fitness
        entry = ArchiveEntry(
            generation=manifest.generation,
            parent=manifest.parent,
            valid=manifest.valid,
            fitness=manifest.fitness,
            train_score=manifest.score("train"),
            val_score=val,
            is_best=manifest.valid and val is not None and manifest.fitness > to_beat,
            compiled=manifest.valid,
            rescored=UNSET
            if again is None
            else RescoredEntry(again.generation, again.fitness, again.val_score),
        )
        self.take((entry,))


def columns_of(agent: RunAgent) -> ScoreColumns:
    """Return the scores of an agent that was read whole, as a published one is.

    Generations whose numbers are missing have no scores.
    """
    columns, best = ScoreColumns(), math.nan
    for row, best_so_far in zip(agent.generations, agent.best_so_far(), strict=True):
        while len(columns) < row.generation:
            columns.append(None, None, best, 0)
        flags = VALID * row.valid
        if best_so_far is not None and best_so_far != best:
            best, columns.best_generation, flags = best_so_far, row.generation, flags | BEST
        columns.append(row.train, row.val, best, flags)
    columns.test = agent.test
    return columns


class ScoresRead(NamedTuple):
    """What a look at the scores of a run gave.

    Attributes:
        columns: Of each agent, in turn order; they go on growing.
        sequence: The mark up to which nothing is missing; 0 if that is not known.
        notes: What cannot be read, a sentence each.
        since: The mark up to which the look before had come.
        new: Every mark after that one; None where it was not looked for.
    """

    columns: dict[str, ScoreColumns]
    sequence: int
    notes: tuple[str, ...]
    since: int
    new: list[StoredMark] | None


class RunScores:
    """The scores of a run of ours, read again and again, each time what is new."""

    def __init__(self, folder: RunFolder, config: RunConfig) -> None:
        self._config = config
        self._sequence = 0
        self._tails = {name: LineTail(folder.archive(name)) for name in config.agents}
        self.columns = {name: ScoreColumns() for name in config.agents}
        self._notes: dict[str, str] = {}

    def look(self, marks: RunMarks | None) -> ScoresRead:
        """Read what is new.

        Args:
            marks: The run's open space, from which closings are taken that no line tells of yet;
                None if it cannot be opened.
        """
        sequence, since, new = 0, self._sequence, None
        if marks is not None:  # before the lines are read: what comes later is told by the space
            with marks.space.store.snapshot() as reader:
                sequence = reader.head().sequence
                page = reader.scan(since, MOST_MARKS) if since else []
            new = page if since and len(page) < MOST_MARKS else None
        if marks is not None and new is not None:
            self._take_new(marks, new)
            self._sequence = sequence
        else:
            for agent, tail in self._tails.items():
                self._read_lines(agent, tail)
            if marks is not None:
                is_whole = [self._put_behind(marks, agent) for agent in self._tails]
                self._sequence = sequence if all(is_whole) else 0
        notes = tuple(self._notes.values())
        return ScoresRead(self.columns, sequence, notes, since, new)

    def _take_new(self, marks: RunMarks, page: list[StoredMark]) -> None:
        for kept in opened(marks.space, page, GENERATIONS):
            resource = kept.mark.resource if isinstance(kept.mark, Action) else ""
            is_final = resource.startswith("gen/test")
            if resource and (not is_final or resource == f"gen/{self._config.final_name}"):
                manifest = decode_closing(kept.mark, self._config.agents).manifest
                self.columns[manifest.agent].take_closed(manifest)

    def _read_lines(self, agent: str, tail: LineTail) -> None:
        try:
            for entries in tail.look(_DECODER):
                if tail.was_replaced:
                    self.columns[agent] = ScoreColumns()
                    self._notes.pop(agent, None)
                self.columns[agent].take(entries)
        except (OSError, LineDamaged) as error:
            self._notes[agent] = f"{agent}/archive.jsonl, {error}"

    def _put_behind(self, marks: RunMarks, agent: str) -> bool:
        """Put closings behind the lines; false if there are more."""
        columns = self.columns[agent]
        if columns.test is None and marks.has_final(agent):
            columns.take_closed(marks.closing(agent, TEST).manifest)
        for _ in range(MOST_CLOSINGS):
            if not marks.is_closed(agent, len(columns)):
                return True
            columns.take_closed(marks.closing(agent, len(columns)).manifest)
        return False


def number_at(column: "array[float]", at: int) -> float | None:
    """Return a number of a column; None where there is none."""
    value = column[at] if 0 <= at < len(column) else math.nan
    return None if math.isnan(value) else value


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
