"""Validation items that are drawn anew, and what the best generation so far is worth on them.

With `--rotate-val K` generations K, 2K, ... begin an epoch. Before its own code is judged there,
the best one so far is scored again; from then on only scores on the new items are compared.
"""

from evolution.evaluation.evaluate import evaluate_split
from evolution.evaluation.evaluator import CandidateFailed
from evolution.generation.attempt import Attempt
from evolution.generation.candidate import Candidate
from evolution.generation.run_context import epoch_of
from evolution.state.manifest import INCUMBENT, Rescoring


async def rescore(attempt: Attempt) -> Rescoring | None:
    """Score the best generation so far again, if this one begins an epoch.

    Raises:
        RunPaused: The evaluation model is down.
    """
    context, generation = attempt.context, attempt.generation
    best, epoch = context.archives[attempt.who.name].best, epoch_of(context.config, generation)
    begins = generation > 0 and epoch > epoch_of(context.config, generation - 1)
    if best is None or not begins:
        return None
    code = context.marks.code(attempt.who.name, best.generation)
    incumbent = Candidate(attempt.who.name, best.generation, None, code, (), INCUMBENT)
    try:
        val = await evaluate_split(attempt.evaluation(incumbent).evaluator(), "val")
    except CandidateFailed:
        return Rescoring(best.generation, epoch, 0.0, None)
    return Rescoring(best.generation, epoch, context.domain.fitness(val.score), val)
