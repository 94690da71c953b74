"""What an agent may know of its generations' validation, and all that follows from it.

Where validation is not shown exactly, nothing that an agent can notice may depend on the exact
score: not its parent, not which of its generations are shown, not what is published to peers. So
all of that is decided by an archive whose entries hold what may be known. The best generation,
which is evaluated on test at the end, is found by exact scores; no agent sees it.

A share of n items has a standard error of at most 1 / (2 sqrt(n)), the step. `rounded` shows the
nearest multiple of the step. `ladder` shows that when the fitness is above the best one shown by
more than a step, and repeats the best one shown otherwise (Blum and Hardt, The Ladder, ICML 2015,
arXiv 1502.04585, algorithm 1). With `none` the fitness that counts is that of train, if it is
shown; without it all valid generations are alike, and the newest counts as the best.
"""

from math import sqrt

import msgspec

from hyperspace.kernel.state.archive import Archive, ArchiveEntry, InSight
from hyperspace.kernel.state.manifest import beats
from hyperspace.tasks.base import Domain
from hyperspace.workspace.visibility import Visibility

DIGITS = 4  # of a shown score


class FitnessInSight(msgspec.Struct, frozen=True):
    """Makes of an entry what its agent may know; see `InSight`.

    Attributes:
        visible: What agents see.
        domain: The task.
    """

    visible: Visibility
    domain: Domain

    def __call__(self, known: Archive, entry: ArchiveEntry) -> ArchiveEntry:
        """Return the entry with the fitness and score that may be known."""
        if self.visible.val == "none":
            return self._without_validation(known, entry)
        if entry.val_score is None:
            return entry
        step, best = step_of(self.domain), known.best
        if self.visible.val == "rounded" or best is None or entry.fitness > best.fitness + step:
            fitness = min(1.0, round(round(entry.fitness / step) * step, DIGITS))
        else:
            fitness = best.fitness
        is_best = entry.valid and (
            best is None or beats(fitness, best.fitness, entry.code_chars, best.code_chars)
        )
        return msgspec.structs.replace(entry, fitness=fitness, val_score=fitness, is_best=is_best)

    def _without_validation(self, known: Archive, entry: ArchiveEntry) -> ArchiveEntry:
        is_blind = self.visible.train == "none"
        fitness = 0.0
        if entry.valid and entry.train_score is not None and not is_blind:
            fitness = self.domain.fitness(entry.train_score)
        best = known.best
        is_better = (
            is_blind
            or best is None
            or beats(fitness, best.fitness, entry.code_chars, best.code_chars)
        )
        return msgspec.structs.replace(
            entry, fitness=fitness, val_score=None, is_best=entry.valid and is_better
        )


def in_sight(visible: Visibility, domain: Domain) -> InSight | None:
    """Return what makes entries that may be known; None where they are known exactly."""
    return None if visible.val == "scores" else FitnessInSight(visible, domain)


def step_of(domain: Domain) -> float:
    """Return the largest standard error that a share of the items of validation can have."""
    return 1 / (2 * sqrt(len(domain.items("val"))))


def values_in_sight(domain: Domain) -> int:
    """Return how many different values a score that is rounded to the step can have."""
    return round(1 / step_of(domain)) + 1
