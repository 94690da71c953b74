"""Annealing: a blind candidate against a directed one, the better on train is kept.

The blind one is forked from generation 0 and sees the results of generation 0 alone; the directed
one is forked from the chosen parent, as in a generation without a tournament. Source: arm D of the
published replication.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

from hyperspace.kernel.evaluation.evaluate import evaluate_train, validate
from hyperspace.kernel.files import text_hashes
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate, Chosen
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.generation.generation import change, judge, score
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.manifest import JudgedCandidate, Side, Tournament
from hyperspace.kernel.state.rng import stream
from hyperspace.tasks.base import Domain

ROLES: Final[tuple[Side, Side]] = ("blind", "directed")


class Annealing(Extension):
    """Tournaments, drawn by the run's seed."""

    async def make(
        self, attempt: Attempt, visible: VisibleStrategies, chosen: Chosen
    ) -> list[Candidate] | None:
        """Make and judge two candidates, one after the other; the winner comes first."""
        context, judged = attempt.context, dict[Side, Candidate]()
        if not is_tournament(context.config, visible.own, attempt.generation):
            return None
        for role in ROLES:
            candidate = judged[role] = Candidate.fork(
                context,
                attempt.who,
                attempt.generation,
                visible,
                chosen,
                role,
                from_first=role == "blind",
            )
            await change(attempt, candidate, visible)
            await judge(attempt, candidate, evaluate_train)
        tournament = played(
            {role: judged_candidate(side, context.domain) for role, side in judged.items()}
        )
        winner = judged.pop(tournament.winner)
        winner.fields["tournament"] = tournament
        if winner.valid:
            evaluator = attempt.evaluation(winner).evaluator()
            rest = partial(validate, train=winner.splits["train"])
            await score(attempt, winner, evaluator, rest)
        return [winner, *judged.values()]


def is_tournament(config: RunConfig, archive: Archive, generation: int) -> bool:
    """Return whether a generation is a tournament, by the run seed and what was closed.

    Args:
        config: The run's.
        archive: What is closed; generations before this one may still be under way.
        generation: Its number.
    """
    held = archive.tournaments
    for under_way in range(archive.next_generation(), generation):
        held += _is_drawn(config, archive.agent, under_way, held)
    return _is_drawn(config, archive.agent, generation, held)


def tournaments(config: RunConfig, agent: str) -> int:
    """How many tournaments an agent's run holds in all its generations.

    Nothing that becomes of a candidate changes a draw, so the number is known before the run.
    """
    held = 0
    for generation in range(1, config.member(agent).generations + 1):
        held += _is_drawn(config, agent, generation, held)
    return held


def decide(blind: float | None, directed: float | None) -> Side:
    """Who is kept: the better one on train; the directed one wins ties.

    Args:
        blind: Fitness of its train score; None if it failed.
        directed: The same of the directed one.
    """
    if blind is None:
        return "directed"
    return "blind" if directed is None or blind > directed else "directed"


def judged_candidate(candidate: Candidate, domain: Domain) -> JudgedCandidate:
    """Return the record of a candidate that was judged on train."""
    train = candidate.splits.get("train")
    return JudgedCandidate(
        forked_from=candidate.forked_from or 0,
        code=text_hashes(candidate.code),
        valid=candidate.valid,
        error=candidate.error,
        error_class=candidate.error_class,
        gates=candidate.gates,
        train=train,
        fitness=domain.fitness(train.score) if candidate.valid and train else None,
    )


def played(candidates: Mapping[Side, JudgedCandidate]) -> Tournament:
    """The record of a tournament whose candidates were judged on train."""
    blind, directed = (candidates[role] for role in ROLES)
    return Tournament(decide(blind.fitness, directed.fitness), blind, directed)


def _is_drawn(config: RunConfig, agent: str, generation: int, held: int) -> bool:
    annealing = None if config.solo is None else config.solo.annealing
    if annealing is None or generation == 0:
        return False
    drawn = stream(config.root_seed, "annealing", agent, generation).random()
    return drawn < annealing.probability(held)
