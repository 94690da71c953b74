"""All extensions that come along, in the order in which the loop asks them."""

from typing import Final

from hyperspace.extensions.arena.extension import ArenaTurns
from hyperspace.extensions.arena.rounds import ArenaRounds
from hyperspace.extensions.diagnosis.diagnosis import FixedDiagnosis
from hyperspace.extensions.ensemble.ensemble import AnsweringTogether
from hyperspace.extensions.levels.extension import WorkerAndReviewer
from hyperspace.extensions.rescoring.rescoring import RescoredBest
from hyperspace.extensions.tournament.tournament import Annealing
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.generation.rounds import Rounds
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.tasks.base import Domain

EXTENSIONS: Final[tuple[Extension, ...]] = (
    Annealing(),
    FixedDiagnosis(),
    WorkerAndReviewer(),
    ArenaTurns(),
    RescoredBest(),
    AnsweringTogether(),
)


def extensions_of(config: RunConfig) -> tuple[Extension, ...]:
    """Return the extensions that a run has, by its terms."""
    return tuple(each for each in EXTENSIONS if each.is_part_of(config))


def rounds_of(config: RunConfig, marks: RunMarks, domain: Domain) -> Rounds:
    """Return the rounds of a run, which are those of an arena if it is one."""
    return Rounds(config, domain) if config.arena is None else ArenaRounds(config, marks, domain)
