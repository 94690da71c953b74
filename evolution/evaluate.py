"""Evaluation: a staged pass, then train and validation, item by item in fresh sandboxes.

Labels stay here on the host. Inside, an item has an id drawn for this pass and a place in a
shuffled order, so neither tells anything. The host computes every score.
"""

import math
from collections.abc import Mapping, Sequence

from domains.base import Domain, Item, Split
from evolution.bench import Bench, CandidateFailed, Worker
from evolution.blocks import LONGEST_PREDICTION, MAX_CRASHES, Blocks
from evolution.manifest import SplitResult
from guards.defences import Defence

__all__ = [
    "BLOCK_ITEMS",
    "BLOCK_ITEMS_OF_CODE",
    "LONGEST_PREDICTION",
    "MAX_CRASHES",
    "Bench",
    "CandidateFailed",
    "Worker",
    "evaluate",
    "evaluate_split",
]

# How many items share a sandbox. A start costs tens of milliseconds: nothing beside an answer of a
# model, where 100 items so keep 20 workers busy, and a lot beside an answer of code alone.
BLOCK_ITEMS = 5
BLOCK_ITEMS_OF_CODE = 20


async def evaluate(bench: Bench) -> dict[str, SplitResult]:
    """Evaluate on train, staged first, then on validation if the staged pass scored at all.

    Raises:
        CandidateFailed: The code crashed too often or scored no finite number.
        RunPaused: The evaluation model is down.
    """
    return await validate(bench, await evaluate_train(bench))


async def evaluate_train(bench: Bench) -> SplitResult:
    """Evaluate on train, the staged pass first where there is one.

    Raises:
        CandidateFailed: The code crashed too often or scored no finite number.
        RunPaused: The evaluation model is down.
    """
    staged = bench.domain.staged_items if bench.staged else 0
    return await evaluate_split(bench, "train", staged)


async def validate(bench: Bench, train: SplitResult) -> dict[str, SplitResult]:
    """Evaluate on validation, unless the staged pass scored 0.

    Raises:
        CandidateFailed: The code crashed too often or scored no finite number.
        RunPaused: The evaluation model is down.

    Returns:
        Both results, by split.
    """
    if train.staged_only:
        return {"train": train}
    return {"train": train, "val": await evaluate_split(bench, "val")}


async def evaluate_split(bench: Bench, split: Split, staged: int = 0) -> SplitResult:
    """Evaluate on one split; with `staged`, stop after that many items if none was right.

    Raises:
        CandidateFailed: The code crashed too often or scored no finite number.
        RunPaused: The evaluation model is down.
    """
    items = bench.domain.items(split)
    pass_ = _Pass(bench, split, len(items))
    await pass_.run(items[: staged or len(items)])
    # Remembered, not told from what is missing: the staged pass may have been all there is.
    stopped = bool(staged) and _is_zero(bench.domain, split, pass_.blocks.predictions())
    if staged and not stopped:
        await pass_.run(items[staged:])
    return _result(bench.domain, split, pass_.blocks, len(items), staged_only=stopped)


class _Pass:
    """One pass over a split: the blocks that were worked through so far."""

    def __init__(self, bench: Bench, split: Split, total: int) -> None:
        self.blocks = Blocks(bench, split)
        self._bench = bench
        self._split: Split = split
        self._total = total
        self._order = bench.rng(split)
        self._done = 0

    async def run(self, items: Sequence[Item]) -> None:
        """Predict these items, in shuffled order."""
        queue = list(items)
        if Defence.ORDER not in self._bench.without:
            self._order.shuffle(queue)
        first = len(self.blocks)
        size = BLOCK_ITEMS if self._bench.domain.calls_model else BLOCK_ITEMS_OF_CODE
        for start in range(0, len(queue), size):
            self.blocks.add(queue[start : start + size], self._count)
        await self.blocks.work(first)

    def _count(self) -> None:
        self._done += 1
        self._bench.on_item(self._split, self._done, self._total)


def _is_zero(domain: Domain, split: Split, predictions: Mapping[str, str]) -> bool:
    return domain.fitness(domain.score(split, predictions)) <= 0


def _result(
    domain: Domain, split: Split, done: Blocks, total: int, *, staged_only: bool
) -> SplitResult:
    predictions, errors = done.predictions(), done.errors()
    score = domain.score(split, predictions)
    if not math.isfinite(score):
        raise CandidateFailed(f"the score on {split} is {score}, which is no finite number")
    return SplitResult(
        predictions=dict(sorted(predictions.items())),
        score=score,
        items=total,
        staged_only=staged_only,
        errors=dict(sorted(errors.items())),
    )
