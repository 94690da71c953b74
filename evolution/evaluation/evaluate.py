"""Evaluation: a staged pass, then train and validation, item by item in fresh sandboxes.

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

from domains.base import Split
from evolution.evaluation.blocks import Pass
from evolution.evaluation.evaluator import CandidateFailed, Evaluator
from evolution.evaluation.failures import no_finite_score
from evolution.state.manifest import Repeats, SplitResult


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
    staged = evaluator.domain.staged_items if evaluator.staged else 0
    return {"train": await evaluate_split(evaluator, "train", staged)}


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


async def evaluate_split(evaluator: Evaluator, split: Split, staged: int = 0) -> SplitResult:
    """Evaluate on one split; with `staged`, stop after that many items if none was right.

    With several passes each stage is a stage of all of them, and their mean decides.

    Raises:
        CandidateFailed: The code crashed too often in a pass or scored no finite number.
        RunPaused: The evaluation model is down.
    """
    items, done = evaluator.domain.items(split), count(1)
    total = len(items) * (1 + len(evaluator.repeats))
    passes = [
        Pass(each, split, lambda: evaluator.on_item(split, next(done), total))
        for each in (evaluator, *evaluator.repeats)
    ]
    for each in passes:
        await each.run(items[: staged or len(items)])
    # Remembered, not told from what is missing: the staged pass may have been all there is.
    stopped = bool(staged) and evaluator.domain.fitness(mean_score(p.score() for p in passes)) <= 0
    for each in passes if staged and not stopped else ():
        await each.run(items[staged:])
    for each in passes:
        each.keep_answers()
    scores = tuple(each.score() for each in passes)
    for score in scores:
        if not math.isfinite(score):
            raise CandidateFailed(no_finite_score(split, score))
    first, *further = (each.answers() for each in passes)
    return SplitResult(
        predictions=first.predictions,
        score=mean_score(scores),
        items=len(items),
        staged_only=stopped,
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
