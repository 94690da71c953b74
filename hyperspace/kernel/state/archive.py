"""An agent's generations in memory: enough to choose parents and what to show, bounded in use.

Everything here can be rebuilt from the closing marks; archive.jsonl is a view of it.
"""

import bisect
import copy
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from hyperspace.kernel.state.manifest import Manifest, Rescoring, beats
from hyperspace.options.launch import Fallback

BEST_SHOWN = 5
LAST_SHOWN = 20
_GROWING = ("entries", "valid", "children", "compiled_children", "_top", "_bests", "_given_up")


class RescoredEntry(msgspec.Struct, frozen=True):
    """The best generation before, on new validation items (`manifest.Rescoring`).

    Attributes:
        generation: Its number.
        fitness: What counts from here on.
        val_score: None if its code failed.
    """

    generation: int
    fitness: float
    val_score: float | None


class ArchiveEntry(
    msgspec.Struct, frozen=True, rename={"generation": "current_genid", "is_best": "best"}
):
    """One generation as selection needs it; a line of archive.jsonl.

    Attributes:
        generation: Its number.
        parent: What it was forked from; None for generation 0.
        valid: Whether it may become a parent.
        fitness: In [0, 1].
        train_score: None if it was not evaluated.
        val_score: None if it was not evaluated.
        is_best: True when it was the best when it was closed, and so was published.
        compiled: Whether its code compiled.
        tournament: Whether it won a tournament.
        rescored: What the best one before is worth on new validation items; not set (and absent
            from the line) where they are those of the generation before.
        code_chars: Length of its task agent; not set (and absent from the line) where the earliest
            of equals stays the best, whatever its length.
        given_up: True where it was given up because its model did not answer, which says nothing
            of the code it was forked from; else not set (and absent from the line).
    """

    generation: int
    parent: int | None
    valid: bool
    fitness: float
    train_score: float | None
    val_score: float | None
    is_best: bool
    compiled: bool
    tournament: bool = False
    rescored: RescoredEntry | UnsetType = UNSET
    code_chars: int | UnsetType = UNSET
    given_up: bool | UnsetType = UNSET


InSight = Callable[["Archive", ArchiveEntry], ArchiveEntry]
"""Given the archive in sight so far, makes of an entry what its agent may know of it."""


class Archive:
    """The generations of one agent, in order; append-only.

    Attributes:
        agent: Whose.
        in_sight: The same generations as the agent may know them, which decides all that it can
            notice: parents, what it is shown, what is published. This archive itself where
            nothing is hidden.
        entries: All of them, failed ones included; a generation's number is its place.
        valid: Those that may become parents, in order.
        children: How many children each generation has, by number; failed ones count, those that
            were given up do not.
        compiled_children: How many of them compiled.
        best: The best of those with a validation score; None while there is none.
        tournaments: How many of them were tournaments.
    """

    def __init__(self, agent: str, known: InSight | None = None) -> None:
        self.agent = agent
        self.in_sight = self if known is None else Archive(agent)
        self._known = known
        self.entries: list[ArchiveEntry] = []
        self.valid: list[ArchiveEntry] = []
        self.children: list[int] = []
        self.compiled_children: list[int] = []
        self.best: ArchiveEntry | None = None
        self.tournaments = 0
        self._top: list[tuple[float, int]] = []
        self._bests: list[ArchiveEntry] = []
        self._given_up: list[int] = []

    def add(self, manifest: Manifest) -> ArchiveEntry:
        """Append the next generation.

        Returns:
            Its entry; `is_best` says whether it beat every earlier one.
        """
        entry = self._entry(manifest)
        self.take(entry)
        return entry

    def take(self, entry: ArchiveEntry) -> None:
        """Append the entry of the next generation, as it was made when that was closed."""
        if entry.rescored is not UNSET:
            self._renew(entry.rescored)
        self.entries.append(entry)
        self.children.append(0)
        self.compiled_children.append(0)
        self.tournaments += entry.tournament
        if entry.given_up is True:
            self._given_up.append(entry.generation)
        elif entry.parent is not None:
            self.children[entry.parent] += 1
            self.compiled_children[entry.parent] += entry.compiled
        if entry.valid:
            self.valid.append(entry)
            bisect.insort(self._top, (-entry.fitness, entry.generation))
            del self._top[BEST_SHOWN:]
        if entry.is_best:
            self.best = entry
            self._bests.append(entry)
        if self._known is not None:
            self.in_sight.take(self._known(self.in_sight, entry))

    def _renew(self, again: RescoredEntry) -> None:
        """Begin an epoch: of all that was scored on other items, the best one alone still counts.

        The others keep the fitness that they had, for the choice of parents.
        """
        now = msgspec.structs.replace(
            self.entries[again.generation], fitness=again.fitness, val_score=again.val_score
        )
        self.entries[again.generation] = self.best = now
        at = bisect.bisect_left(self.valid, now.generation, key=lambda entry: entry.generation)
        self.valid[at] = self._bests[-1] = now
        self._top = [(-now.fitness, now.generation)]

    def is_new_best(self, manifest: Manifest) -> bool:
        """Return whether a generation beats every one so far, as far as its agent may know."""
        return self.preview(manifest).is_best

    def preview(self, manifest: Manifest) -> ArchiveEntry:
        """Return the entry that a generation would have, as far as its agent may know it."""
        entry = self._entry(manifest)
        return entry if self._known is None else self._known(self.in_sight, entry)

    def _entry(self, manifest: Manifest) -> ArchiveEntry:
        if not isinstance(manifest.generation, int):
            raise TypeError("the final evaluation is no generation")
        again = manifest.rescored or self.best
        chars = UNSET if self.best is None else self.best.code_chars
        is_better = again is None or beats(
            manifest.fitness, again.fitness, manifest.code_chars, chars
        )
        return ArchiveEntry(
            generation=manifest.generation,
            parent=manifest.parent,
            valid=manifest.valid,
            fitness=manifest.fitness,
            train_score=manifest.score("train"),
            val_score=manifest.score("val"),
            is_best=manifest.valid and manifest.score("val") is not None and is_better,
            compiled=manifest.valid or manifest.gates.get("compile") == "passed",
            tournament=manifest.tournament is not None,
            rescored=UNSET if manifest.rescored is None else _entry_of(manifest.rescored),
            code_chars=manifest.code_chars or UNSET,
            given_up=manifest.error_class == "infrastructure" or UNSET,
        )

    def summary(self) -> dict[str, Any]:
        """Return what the agent's summary.json says of its generations."""
        best = self.best
        return {
            "model": self.agent,
            "archive_size": len(self.entries),
            "best_val": None if best is None else best.val_score,
            "best_train": None if best is None else best.train_score,
            "best_generation": None if best is None else best.generation,
        }

    def as_of(self, count: int) -> "Archive":
        """Return the archive as it was with so many generations; later ones do not change it.

        What is there now is copied list by list, which is fast; a moment of the past is made anew.
        """
        if count < len(self.entries):
            past = Archive(self.agent, self._known)
            for entry in self.entries[:count]:
                past.take(entry)
            return past
        now = copy.copy(self)
        for name in _GROWING:
            setattr(now, name, [*getattr(self, name)])
        now.in_sight = now if self.in_sight is self else self.in_sight.as_of(count)
        return now

    def next_generation(self) -> int:
        """Number of the generation that comes next."""
        return len(self.entries)

    @property
    def since_best(self) -> int:
        """How many generations after generation 0 were made since there was a new best."""
        best = 0 if self.best is None else self.best.generation
        given_up = len(self._given_up) - bisect.bisect_right(self._given_up, best)
        return max(len(self.entries) - 1 - best - given_up, 0)

    @property
    def last_made(self) -> ArchiveEntry | None:
        """The latest generation that was not given up; None if there is none."""
        return next((each for each in reversed(self.entries) if each.given_up is UNSET), None)

    def parent(self, fallback: Fallback) -> ArchiveEntry | None:
        """The parent of the next generation: the latest valid one.

        A generation that was given up changes nothing: it is no failure of what it was forked from.

        Args:
            fallback: `best` goes back to the best one after a failure or a fall to 0; `previous`
                goes back no further than to the latest valid one; `none` goes on with the latest
                one, whatever became of it.
        """
        last = self.last_made
        if fallback == "none":
            return last
        failed = last is None or not last.valid or last.fitness == 0
        if failed and fallback == "best" and self.best is not None:
            return self.best
        return self.valid[-1] if self.valid else None

    @property
    def fittest(self) -> ArchiveEntry | None:
        """The valid one with the best fitness, the earliest of equals; None if none is valid."""
        return self.entries[self._top[0][1]] if self._top else None

    def mean_of_best(self, count: int) -> float:
        """Mean fitness of the best valid ones; 0 if none is valid.

        Args:
            count: Of how many, at most 5; of all where there are fewer.
        """
        best = [-fitness for fitness, _ in self._top[:count]]
        return sum(best) / len(best) if best else 0.0

    def published_before(self, generation: int) -> list[ArchiveEntry]:
        """Return the published generations below a number, oldest first, the best last."""
        end = bisect.bisect_left(self._bests, generation, key=lambda entry: entry.generation)
        return self._bests[:end]

    def shown(self, *, best: bool = True) -> list[int]:
        """Generations that the agent sees in `evals/`: its best 5 and its last 20, ascending.

        Args:
            best: Whether it may know which were its best; else it sees the last 20 alone.
        """
        last = {entry.generation for entry in self.entries[-LAST_SHOWN:] if entry.given_up is UNSET}
        top = {generation for _, generation in self._top} if best else set[int]()
        return sorted(top | last)


def _entry_of(again: Rescoring) -> RescoredEntry:
    return RescoredEntry(again.generation, again.fitness, again.val_score)
