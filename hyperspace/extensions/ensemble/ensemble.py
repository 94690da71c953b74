"""An ensemble: what a generation and the best earlier ones answer together, by majority.

Members are chosen by their train scores and the ensemble is scored on validation, so what chooses
is not what is measured. Nothing is run for it: the host has all predictions.
"""

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence

from hyperspace.kernel.evaluation.evaluate import mean_score
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.manifest import Ensemble, Manifest
from hyperspace.options.solo import SoloTerms
from hyperspace.tasks.base import Combining, Domain
from hyperspace.tasks.table import normalise


class AnsweringTogether(Extension):
    """The ensemble of each generation, for runs that are judged by it."""

    def metadata(self, manifest: Manifest) -> dict[str, object]:
        """Return the ensemble, if there is one."""
        return {} if manifest.ensemble is None else {"ensemble": manifest.ensemble}

    async def before_close(self, attempt: Attempt, candidate: Candidate, own: Archive) -> None:
        """Form the ensemble of a generation, which is judged by it."""
        domain, terms = attempt.context.domain, attempt.solo
        ensemble = form_ensemble(attempt.context, candidate, terms)
        if ensemble is None or terms is None:
            return
        candidate.fields["ensemble"] = ensemble
        together = domain.fitness(ensemble.val_score)
        mean = (candidate.own_fitness(attempt.context) + together) / 2
        candidate.fitness = together if terms.optimise == "ensemble" else mean


def form_ensemble(
    context: RunContext, candidate: Candidate, terms: SoloTerms | None
) -> Ensemble | None:
    """Form the ensemble of a generation that was just evaluated.

    Returns:
        None where the run's terms ask for none, or the generation has no validation score.
    """
    val = candidate.splits.get("val")
    if terms is None or terms.optimise == "agent" or not candidate.valid or val is None:
        return None
    earlier = _best_on_train(context, candidate.agent, terms.ensemble_size - 1)
    closings = (context.marks.closing(candidate.agent, number) for number in earlier)
    members = [val.passes, *(closing.manifest.splits["val"].passes for closing in closings)]
    together = (
        combined(context.domain, [answers.predictions for answers in in_pass])
        for in_pass in zip(*members, strict=True)
    )
    scores = (context.domain.score("val", answers) for answers in together)
    return Ensemble(members=(candidate.generation, *earlier), val_score=mean_score(scores))


def combined(domain: Domain, answers: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Combine the answers of several members, item by item.

    A domain whose answers are numbers says how (`Combining`); else the answer that most members
    give counts, of equals the one that comes first in the order of members.
    """
    combine = domain.combine if isinstance(domain, Combining) else majority
    ids = dict.fromkeys(item for answer in answers for item in answer)
    return {item: combine([answer[item] for answer in answers if item in answer]) for item in ids}


def majority(answers: Sequence[str]) -> str:
    """The answer that was given most often, as it was first written; the first of equals."""
    counts = Counter(map(normalise, answers))
    return max(answers, key=lambda answer: counts[normalise(answer)])


def _best_on_train(context: RunContext, agent: str, count: int) -> list[int]:
    """Generations that were scored on validation, the best on train first, then the earliest."""
    ranks = (
        (-context.domain.fitness(entry.train_score), entry.generation)
        for entry in context.archives[agent].valid
        if entry.train_score is not None and entry.val_score is not None
    )
    return [generation for _, generation in heapq.nsmallest(count, ranks)]
