"""Evaluation: a staged pass, then train and validation, item by item in fresh sandboxes.

Labels stay here on the host. Inside, an item has an id drawn for this pass and a place in a
shuffled order, so neither tells anything. The host computes every score.
"""

import math
from collections.abc import Callable, Sequence

from msgspec import UNSET

from domains.base import Item, Split
from evolution.evaluation.blocks import LONGEST_PREDICTION, MAX_CRASHES, Blocks
from evolution.evaluation.evaluator import CandidateFailed, Evaluator, Worker
from evolution.evaluation.repeats import mean_score
from evolution.state.manifest import PassAnswers, Repeats, SplitResult
from guards.defences import Defence

__all__ = [
    "BLOCK_ITEMS",
    "BLOCK_ITEMS_OF_CODE",
    "LONGEST_PREDICTION",
    "MAX_CRASHES",
    "CandidateFailed",
    "Evaluator",
    "Worker",
    "evaluate",
    "evaluate_split",
]

# How many items share a sandbox. A start costs tens of milliseconds: nothing beside an answer of a
# model, where 100 items so keep 20 workers busy, and a lot beside an answer of code alone.
BLOCK_ITEMS = 5
BLOCK_ITEMS_OF_CODE = 20


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
    items = evaluator.domain.items(split)
    progress = _Progress(evaluator, split, len(items))
    passes = [_Pass(each, split, progress.count) for each in (evaluator, *evaluator.repeats)]
    await _run_all(passes, items[: staged or len(items)])
    # Remembered, not told from what is missing: the staged pass may have been all there is.
    stopped = bool(staged) and evaluator.domain.fitness(mean_score(p.score() for p in passes)) <= 0
    if staged and not stopped:
        await _run_all(passes, items[staged:])
    return _result(split, passes, len(items), staged_only=stopped)


class _Progress:
    """Counts the items of all passes."""

    def __init__(self, evaluator: Evaluator, split: Split, items: int) -> None:
        self._evaluator = evaluator
        self._split: Split = split
        self._total = items * (1 + len(evaluator.repeats))
        self._done = 0

    def count(self) -> None:
        self._done += 1
        self._evaluator.on_item(self._split, self._done, self._total)


class _Pass:
    """One pass over a split: the blocks that were worked through so far."""

    def __init__(self, evaluator: Evaluator, split: Split, count: Callable[[], None]) -> None:
        self._blocks = Blocks(evaluator, split)
        self._evaluator = evaluator
        self._split: Split = split
        self._count = count
        self._order = evaluator.rng(split)

    async def run(self, items: Sequence[Item]) -> None:
        """Predict these items, in shuffled order."""
        queue = list(items)
        if Defence.ORDER not in self._evaluator.without:
            self._order.shuffle(queue)
        first = len(self._blocks)
        size = BLOCK_ITEMS if self._evaluator.domain.calls_model else BLOCK_ITEMS_OF_CODE
        for start in range(0, len(queue), size):
            self._blocks.add(queue[start : start + size], self._count)
        await self._blocks.work(first)

    def score(self) -> float:
        """The domain's score of what was answered so far."""
        return self._evaluator.domain.score(self._split, self._blocks.predictions())

    def answers(self) -> PassAnswers:
        """Return the answers so far, in the order of ids."""
        predictions, errors = self._blocks.predictions(), self._blocks.errors()
        return PassAnswers(dict(sorted(predictions.items())), dict(sorted(errors.items())))


async def _run_all(passes: Sequence[_Pass], items: Sequence[Item]) -> None:
    for pass_ in passes:
        await pass_.run(items)


def _result(split: Split, passes: Sequence[_Pass], total: int, *, staged_only: bool) -> SplitResult:
    scores = tuple(pass_.score() for pass_ in passes)
    for score in scores:
        if not math.isfinite(score):
            raise CandidateFailed(f"the score on {split} is {score}, which is no finite number")
    first, *further = (pass_.answers() for pass_ in passes)
    return SplitResult(
        predictions=first.predictions,
        score=mean_score(scores),
        items=total,
        staged_only=staged_only,
        errors=first.errors,
        repeats=Repeats(scores, tuple(further)) if further else UNSET,
    )
