"""Evaluation: a staged pass, then train and validation, item by item in a fresh sandbox.

Labels stay here on the host. Inside, an item has an id drawn for this pass and a place in a
shuffled order, so neither tells anything. The host computes every score.
"""

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from random import Random
from typing import Any, Protocol

import msgspec

from domains.base import Domain, Item, Split
from evolution.manifest import SplitResult
from evolution.said import said
from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandbox import SandboxEnded

MAX_CRASHES = 3
# Bounded on the host: what bounds a worker from inside is within the candidate's reach.
LONGEST_PREDICTION = 20_000  # characters


class CandidateFailed(Exception):
    """The candidate's own code makes this generation invalid."""


class Worker(Protocol):
    """A sandbox that answers for one task agent, with its line to the evaluation model."""

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        """Ask for one prediction; the reply holds `prediction` or `error`.

        Raises:
            SandboxEnded: The code inside ended, or was ended, before it answered.
            RunPaused: The evaluation model is down.
        """
        ...


class Bench(msgspec.Struct, frozen=True):
    """Where evaluation happens.

    Attributes:
        domain: The task.
        open_worker: Starts a fresh worker.
        rng: Opens the random stream of a name.
        on_item: Told (split, done, total) after each item.
        without: Defences that a test has taken away.
    """

    domain: Domain
    open_worker: Callable[[], AbstractAsyncContextManager[Worker]]
    rng: Callable[[str], Random]
    on_item: Callable[[str, int, int], None]
    without: Without = ALL_IN_FORCE


async def evaluate(bench: Bench) -> dict[str, SplitResult]:
    """Evaluate on train, staged first, then on validation if the staged pass scored at all.

    Raises:
        CandidateFailed: The code crashed too often or scored no finite number.
        RunPaused: The evaluation model is down.
    """
    return await validate(bench, await evaluate_train(bench))


async def evaluate_train(bench: Bench) -> SplitResult:
    """Evaluate on train, the staged pass first.

    Raises:
        CandidateFailed: The code crashed too often or scored no finite number.
        RunPaused: The evaluation model is down.
    """
    return await evaluate_split(bench, "train", staged=bench.domain.staged_items)


async def validate(bench: Bench, train: SplitResult) -> dict[str, SplitResult]:
    """Evaluate on validation, if there was more to train than the staged pass.

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
    stages = [items[:staged], items[staged:]] if staged else [items]
    for stage in stages:
        await pass_.run(stage)
        if _is_zero(bench.domain, split, pass_.predictions):
            break
    return _result(bench.domain, split, pass_, len(items))


class _Pass:
    """One pass over a split: predictions so far, and the items that failed."""

    def __init__(self, bench: Bench, split: Split, total: int) -> None:
        self.predictions: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self._bench = bench
        self._split: Split = split
        self._total = total
        self._order = bench.rng(split)
        self._tokens = bench.rng(f"{split}/tokens")
        self._crashes = 0
        self._retried: set[str] = set()

    async def run(self, items: Sequence[Item]) -> None:
        """Predict these items, in shuffled order, with a fresh worker whenever one ended."""
        queue = deque(items)
        if self._has(Defence.ORDER):
            self._order.shuffle(queue)
        while queue:
            async with self._bench.open_worker() as worker:
                await self._drain(worker, queue)

    async def _drain(self, worker: Worker, queue: deque[Item]) -> None:
        while queue:
            item = queue[0]
            try:
                reply = await worker.predict(self._split, self._shown(item), self._token(item))
            except SandboxEnded as ended:
                self._after_end(item, ended, queue)
                return
            queue.popleft()
            self._take(item, reply)

    def _has(self, defence: Defence) -> bool:
        return defence not in self._bench.without

    def _token(self, item: Item) -> str:
        return f"{self._tokens.getrandbits(64):016x}" if self._has(Defence.TOKENS) else item.id

    def _shown(self, item: Item) -> Item:
        if self._has(Defence.LABELS):
            return item
        label = self._bench.domain.labels(self._split)[item.id]
        return msgspec.structs.replace(item, inputs={**item.inputs, "label": label})

    def _take(self, item: Item, reply: Mapping[str, Any]) -> None:
        prediction = reply.get("prediction")
        if not isinstance(prediction, str) and self._has(Defence.PREDICTION_TYPE):
            self.errors[item.id] = said(str(reply.get("error", "no prediction")))
        elif len(str(prediction)) > LONGEST_PREDICTION and self._has(Defence.PREDICTION_SIZE):
            self.errors[item.id] = f"a prediction has at most {LONGEST_PREDICTION} characters"
        else:
            self.predictions[item.id] = str(prediction)
        done = len(self.predictions) + len(self.errors)
        self._bench.on_item(self._split, done, self._total)

    def _after_end(self, item: Item, ended: SandboxEnded, queue: deque[Item]) -> None:
        # A wall-clock limit may be our busy machine's fault: it counts from the second time on.
        if ended.reason == "wall_clock" and item.id not in self._retried:
            self._retried.add(item.id)
            return
        queue.popleft()
        self.errors[item.id] = said(str(ended))
        self._crashes += 1
        if self._crashes >= MAX_CRASHES and self._has(Defence.CRASHES):
            raise CandidateFailed(
                f"the task agent ended {MAX_CRASHES} times on {self._split}: {said(str(ended))}"
            )


def _is_zero(domain: Domain, split: Split, predictions: Mapping[str, str]) -> bool:
    return domain.fitness(domain.score(split, predictions)) <= 0


def _result(domain: Domain, split: Split, done: _Pass, total: int) -> SplitResult:
    score = domain.score(split, done.predictions)
    if not math.isfinite(score):
        raise CandidateFailed(f"the score on {split} is {score}, which is no finite number")
    return SplitResult(
        predictions=dict(sorted(done.predictions.items())),
        score=score,
        items=total,
        staged_only=len(done.predictions) + len(done.errors) < total,
        errors=dict(sorted(done.errors.items())),
    )
