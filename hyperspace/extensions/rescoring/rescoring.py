"""The best generation is scored again where an epoch begins.

With `--rotate-val K` generations K, 2K, ... begin an epoch with validation items of its own, and in
an arena each round has another suite. From there on only scores on the new items are compared.
"""

from hyperspace.kernel.evaluation.evaluate import evaluate_split
from hyperspace.kernel.evaluation.evaluator import CandidateFailed
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.manifest import INCUMBENT, Rescoring


class RescoredBest(Extension):
    """Scores of the best generation on new validation items."""

    async def before_close(self, attempt: Attempt, candidate: Candidate, own: Archive) -> None:
        """Score the best generation so far again, if this one begins an epoch."""
        candidate.fields["rescored"] = await _rescored(attempt)


async def _rescored(attempt: Attempt) -> Rescoring | None:
    context, generation = attempt.context, attempt.generation
    best, epoch = context.archives[attempt.who.name].best, context.rounds.epoch(generation)
    begins = generation > 0 and epoch > context.rounds.epoch(generation - 1)
    if best is None or not begins:
        return None
    code = context.marks.code(attempt.who.name, best.generation)
    incumbent = Candidate(attempt.who.name, best.generation, None, code, (), INCUMBENT)
    try:
        val = await evaluate_split(attempt.evaluation(incumbent).evaluator(), "val")
    except CandidateFailed:
        return Rescoring(best.generation, epoch, 0.0, None)
    return Rescoring(best.generation, epoch, context.domain.fitness(val.score), val)
