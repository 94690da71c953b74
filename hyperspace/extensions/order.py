"""All extensions that come along, in the order in which the loop asks them."""

from importlib import import_module

from hyperspace.kernel.feature import Feature
from hyperspace.kernel.generation.rounds import Rounds
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.tasks.base import Domain


def known(config: RunConfig) -> dict[str, bool]:
    """Return whether a run has each extension, by its module below this package and its class."""
    solo = config.solo
    return {
        "tournament.tournament:Annealing": solo is not None and solo.annealing is not None,
        "diagnosis.diagnosis:FixedDiagnosis": solo is not None and solo.diagnosis != "",
        "levels.extension:WorkerAndReviewer": solo is not None and solo.has_worker,
        "arena.extension:ArenaTurns": config.arena is not None,
        "rescoring.rescoring:RescoredBest": bool(config.rotate_val) or config.arena is not None,
        "ensemble.ensemble:AnsweringTogether": solo is not None and solo.optimise != "agent",
    }


def extensions_of(config: RunConfig) -> tuple[Feature, ...]:
    """Return the extensions that a run has, by its terms; no other's code is loaded."""
    return tuple(_load(place) for place, is_part in known(config).items() if is_part)


def _load(place: str) -> Feature:
    module, _, name = place.partition(":")
    return getattr(import_module(f"hyperspace.extensions.{module}"), name)()


def rounds_of(config: RunConfig, marks: RunMarks, domain: Domain) -> Rounds:
    """Return the rounds of a run, which are those of an arena if it is one."""
    if config.arena is None:
        return Rounds(config, domain)
    from hyperspace.extensions.arena.rounds import ArenaRounds

    return ArenaRounds(config, marks, domain)
