"""Evaluation: a staged pass, then the rest of train and validation, item by item in sandboxes.

Where code asks no model, train begins in the sandbox in which it passed its gates; all else has
fresh ones. Validation and test are asked alike.

Labels stay here on the host. Inside, an item has an id drawn for this pass and a place in a
shuffled order, so neither tells anything. The host computes every score.

With `--eval-repeats K` there are several passes over the same items: where answers vary, one pass
is one draw, and the luckiest draw would stay the best generation.
"""

import math
from collections.abc import Iterable
from itertools import count
from statistics import mean

from msgspec import UNSET

from hyperspace.kernel.evaluation.blocks import Pass
from hyperspace.kernel.evaluation.evaluator import CandidateFailed, Evaluator, KeptSandbox
from hyperspace.kernel.evaluation.failures import no_finite_score
from hyperspace.kernel.state.manifest import Repeats, SplitResult
from hyperspace.tasks.base import Split


async def evaluate(evaluator: Evaluator) -> dict[str, SplitResult]:
    """Evaluate on train, staged first, then on validation if the staged pass scored at all.

    Raises:
        CandidateFailed: The code crashed too often or scored no finite number.
        RunPaused: The evaluation model is down.
    """
    return await validate(evaluator, (await evaluate_train(evaluator))["train"])


async def evaluate_train(evaluator: Evaluator) -> dict[str, SplitResult]:
    """Evaluate on train alone, the staged pass first where there is one.

    Raises:
        CandidateFailed: The code crashed too often or scored no finite number.
        RunPaused: The evaluation model is down.
    """
    train = SplitEvaluation(
        evaluator, "train", evaluator.domain.staged_items if evaluator.staged else 0
    )
    if (kept := evaluator.kept) is None:
        return {"train": await train.run()}
    train.go_on_in(kept)
    try:
        return {"train": await train.run()}
    finally:
        await kept.close()


async def validate(evaluator: Evaluator, train: SplitResult) -> dict[str, SplitResult]:
    """Evaluate on validation, unless the staged pass scored 0.

    Raises:
        CandidateFailed: The code crashed too often or scored no finite number.
        RunPaused: The evaluation model is down.

    Returns:
        Both results, by split.
    """
    if train.staged_only:
        return {"train": train}
    return {"train": train, "val": await evaluate_split(evaluator, "val")}


async def evaluate_split(evaluator: Evaluator, split: Split) -> SplitResult:
    """Evaluate on one split, all items at once, in sandboxes of its own.

    Raises:
        CandidateFailed: The code crashed too often in a pass or scored no finite number.
        RunPaused: The evaluation model is down.
    """
    return await SplitEvaluation(evaluator, split).run()


class SplitEvaluation:
    """An evaluation on one split, in as many passes as the evaluator has.

    With several passes each stage is a stage of all of them, and their mean decides.
    """

    def __init__(self, evaluator: Evaluator, split: Split, staged: int = 0) -> None:
        """Prepare it.

        Args:
            evaluator: Where it is evaluated.
            split: On which split.
            staged: Stop after that many items if none was right; 0 for no such stage.
        """
        items, done = evaluator.domain.items(split), count(1)
        total = len(items) * (1 + len(evaluator.repeats))
        stages = [part for part in (items[:staged], items[staged:]) if part]
        self.passes = [
            Pass(each, split, stages, lambda: evaluator.on_item(split, next(done), total))
            for each in (evaluator, *evaluator.repeats)
        ]
        self._domain = evaluator.domain
        self._split: Split = split
        self._stages = len(stages)
        self._staged = staged

    def go_on_in(self, kept: KeptSandbox) -> None:
        """Let the first blocks of the first pass's stages go on in the sandbox of the gates."""
        kept.plan(self.passes[0].keep(kept))

    async def run(self) -> SplitResult:
        """Evaluate; see `evaluate_split`."""
        is_stopped = False
        for number in range(self._stages):
            for each in self.passes:
                await each.run()
            is_stopped = self._staged > 0 and number == 0 and self._is_worth_nothing()
            if is_stopped:
                break
        return self._result(is_stopped)

    def _is_worth_nothing(self) -> bool:
        return self._domain.fitness(mean_score(each.score() for each in self.passes)) <= 0

    def _result(self, is_stopped: bool) -> SplitResult:
        for each in self.passes:
            each.keep_answers()
        scores = tuple(each.score() for each in self.passes)
        for score in scores:
            if not math.isfinite(score):
                raise CandidateFailed(no_finite_score(self._split, score))
        first, *further = (each.answers() for each in self.passes)
        return SplitResult(
            predictions=first.predictions,
            score=mean_score(scores),
            items=len(self._domain.items(self._split)),
            staged_only=is_stopped,
            errors=first.errors,
            repeats=Repeats(scores, tuple(further)) if further else UNSET,
        )


def pass_names(repeats: int) -> tuple[str, ...]:
    """Name passes in streams, traces and folders; the first has no name."""
    return ("", *(f"pass_{number}" for number in range(2, repeats + 1)))


def mean_score(scores: Iterable[float]) -> float:
    """The mean of the passes' scores; exact, so that equal scores have their own as mean."""
    first, *others = scores
    return float(mean((first, *others))) if others else first
