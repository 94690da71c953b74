"""The items of a stage, cut into blocks that are worked on side by side, in whatever order.

The result is that of one worker after another, whatever the number of workers and whoever is
faster: a block has sandboxes of its own, so nothing that code keeps from item to item depends on
other blocks, and what is answered after the item at which a single worker would have given up
does not count.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import anyio

from domains.base import Item, Split
from evolution.evaluation.evaluator import CandidateFailed, Evaluator, SettledAnswers, Worker
from evolution.exception_groups import leaf_errors
from evolution.printable_error import printable_error
from guards.defences import Defence
from guards.sandboxes.sandbox import SandboxEnded

MAX_CRASHES = 3
# Bounded on the host: what bounds a worker from inside is within the candidate's reach.
LONGEST_PREDICTION = 20_000  # characters


class ItemCrash(NamedTuple):
    """An item at which the code ended its sandbox, and how."""

    item: str
    detail: str


class Block:
    """Some items of a split, answered one by one, with a fresh worker whenever one ended.

    Attributes:
        items: In the order in which they are asked.
        predictions: Item id to prediction.
        errors: Item id to what kept a prediction from coming.
        crashes: In order.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        split: Split,
        number: int,
        items: Sequence[Item],
        done: Callable[[], None],
    ) -> None:
        """Prepare a block.

        Args:
            evaluator: Where it is evaluated.
            split: Of which split.
            number: Its place among the blocks of the pass.
            items: In the order in which they are asked.
            done: Called after each item.
        """
        self.items = items
        self.predictions: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self.crashes: list[ItemCrash] = []
        self._evaluator = evaluator
        self._split: Split = split
        self._done = done
        self._tokens = evaluator.rng(f"{split}/tokens/{number}")
        self._retried: set[str] = set()

    async def work(self, give_up: Callable[[], bool]) -> None:
        """Ask every item.

        Args:
            give_up: Whether so much has crashed, here and before, that the rest cannot count.
        """
        queue = deque(self.items)
        while queue and not give_up():
            async with self._evaluator.open_worker() as worker:
                await self._drain(worker, queue)

    async def _drain(self, worker: Worker, queue: deque[Item]) -> None:
        while queue:
            item = queue[0]
            drawn = f"{self._tokens.getrandbits(64):016x}"
            token = drawn if self._has(Defence.TOKENS) else item.id
            shown = item
            if not self._has(Defence.LABELS):
                label = self._evaluator.domain.labels(self._split)[item.id]
                shown = Item(item.id, {**item.inputs, "label": label})
            try:
                reply = await worker.predict(self._split, shown, token)
            except SandboxEnded as ended:
                self._after_end(item, ended, queue)
                return
            queue.popleft()
            self._take(item, reply)
            self._done()

    def _has(self, defence: Defence) -> bool:
        return defence not in self._evaluator.without

    def _take(self, item: Item, reply: Mapping[str, Any]) -> None:
        prediction = reply.get("prediction")
        if not isinstance(prediction, str) and self._has(Defence.PREDICTION_TYPE):
            self.errors[item.id] = printable_error(str(reply.get("error", "no prediction")))
        elif len(str(prediction)) > LONGEST_PREDICTION and self._has(Defence.PREDICTION_SIZE):
            self.errors[item.id] = f"a prediction has at most {LONGEST_PREDICTION} characters"
        else:
            self.predictions[item.id] = str(prediction)

    def _after_end(self, item: Item, ended: SandboxEnded, queue: deque[Item]) -> None:
        # A wall-clock limit may be our busy machine's fault: it counts from the second time on.
        if ended.reason == "wall_clock" and item.id not in self._retried:
            self._retried.add(item.id)
            return
        queue.popleft()
        self.errors[item.id] = printable_error(str(ended))
        self.crashes.append(ItemCrash(item.id, printable_error(str(ended))))


class Blocks:
    """The blocks of a pass over one split, stage after stage."""

    def __init__(self, evaluator: Evaluator, split: Split) -> None:
        self._evaluator = evaluator
        self._split: Split = split
        self._limit = None if Defence.CRASHES in evaluator.without else MAX_CRASHES
        self._blocks: list[Block] = []

    def __iter__(self) -> Iterator[Block]:
        return iter(self._blocks)

    def __len__(self) -> int:
        return len(self._blocks)

    def predictions(self) -> dict[str, str]:
        """Item id to prediction."""
        return {item: text for block in self for item, text in block.predictions.items()}

    def errors(self) -> dict[str, str]:
        """Item id to what kept a prediction from coming."""
        return {item: text for block in self for item, text in block.errors.items()}

    def add(self, items: Sequence[Item], done: Callable[[], None]) -> None:
        """Append a block."""
        number = len(self._blocks)
        self._blocks.append(Block(self._evaluator, self._split, number, items, done))

    async def work(self, first: int) -> None:
        """Work through the blocks from a number on.

        Raises:
            CandidateFailed: The code crashed too often.
            RunPaused: The evaluation model is down.
        """
        await _WorkerPool(self._blocks, self._limit).work(first, self._evaluator.workers)
        crashes = [crash for block in self for crash in block.crashes]
        # The crash at which a single worker would have given up.
        last = None if self._limit is None else next(iter(crashes[self._limit - 1 :]), None)
        order = [item.id for block in self for item in block.items]
        end = len(order) if last is None else 1 + order.index(last.item)
        self._evaluator.on_settled(SettledAnswers(self._split, order[:end], order[end:]))
        if last is not None:
            raise CandidateFailed(
                f"the task agent ended {self._limit} times on {self._split}: {last.detail}"
            )


class _WorkerPool:
    """Workers that share the blocks of a stage."""

    def __init__(self, blocks: Sequence[Block], limit: int | None) -> None:
        self._blocks = blocks
        self._limit = limit
        self._scopes: dict[int, anyio.CancelScope] = {}

    async def work(self, first: int, workers: int) -> None:
        waiting = iter(range(first, len(self._blocks)))
        try:
            async with anyio.create_task_group() as tasks:
                for _ in range(workers):
                    tasks.start_soon(self._work, waiting)
        except BaseExceptionGroup as group:
            # A model that is down fails every worker at once, and once it is to be told.
            raise next(leaf_errors(group)) from group

    async def _work(self, waiting: Iterator[int]) -> None:
        for number in waiting:
            with anyio.CancelScope() as scope:
                self._scopes[number] = scope
                await self._blocks[number].work(partial(self._give_up, number))
            del self._scopes[number]

    def _give_up(self, number: int) -> bool:
        """End the other blocks of which nothing more can count; says whether this is one too."""
        for other, scope in self._scopes.items():
            if other != number and self._is_lost(other):
                scope.cancel()
        return self._is_lost(number)

    def _is_lost(self, number: int) -> bool:
        """Return whether a single worker would have given up by now, in this block or before."""
        crashes = sum(len(block.crashes) for block in self._blocks[: number + 1])
        return self._limit is not None and crashes >= self._limit
