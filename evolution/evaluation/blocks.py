"""A pass over a split: items cut into blocks that are worked on side by side, in whatever order.

The result is that of one worker after another, whatever the number of workers and whoever is
faster: a block has sandboxes of its own, so nothing that code keeps from item to item depends on
other blocks, and what is answered after the item at which a single worker would have given up
does not count.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

import anyio

from domains.base import Item, Split
from evolution.evaluation.evaluator import CandidateFailed, Evaluator, Worker
from evolution.evaluation.failures import ended_too_often
from evolution.exception_groups import leaf_errors
from evolution.printable_error import printable_error
from evolution.state.manifest import PassAnswers
from guards.defences import Defence
from guards.sandboxes.sandbox import SandboxEnded

MAX_CRASHES = 3
# How many items share a sandbox. A start costs tens of milliseconds: nothing beside an answer of a
# model, where 100 items so keep 20 workers busy, and a lot beside an answer of code alone.
BLOCK_ITEMS = 5
BLOCK_ITEMS_OF_CODE = 20
# Bounded on the host: what bounds a worker from inside is within the candidate's reach.
LONGEST_PREDICTION = 20_000  # characters


class Block:
    """Some items of a split, answered one by one, with a fresh worker whenever one ended.

    Attributes:
        items: In the order in which they are asked.
        predictions: Item id to prediction.
        errors: Item id to what kept a prediction from coming.
        crashes: Items at which the code ended its sandbox, in order.
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
        self.crashes: list[str] = []
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
        self.crashes.append(item.id)


class Pass:
    """One pass over the items of a split, stage after stage.

    Attributes:
        blocks: Those that were worked through so far.
    """

    def __init__(self, evaluator: Evaluator, split: Split, done: Callable[[], None]) -> None:
        """Prepare a pass.

        Args:
            evaluator: Where it is evaluated.
            split: Over which split.
            done: Called after each item.
        """
        self.blocks: list[Block] = []
        self._evaluator = evaluator
        self._split: Split = split
        self._done = done
        self._order = evaluator.rng(split)
        self._limit = inf if Defence.CRASHES in evaluator.without else MAX_CRASHES
        self._scopes: dict[int, anyio.CancelScope] = {}

    async def run(self, items: Sequence[Item]) -> None:
        """Ask for the predictions of a stage, in shuffled order.

        Raises:
            CandidateFailed: The code crashed too often.
            RunPaused: The evaluation model is down.
        """
        queue = list(items)
        if Defence.ORDER not in self._evaluator.without:
            self._order.shuffle(queue)
        size = BLOCK_ITEMS if self._evaluator.domain.calls_model else BLOCK_ITEMS_OF_CODE
        first = len(self.blocks)
        for number, start in enumerate(range(0, len(queue), size), first):
            block = queue[start : start + size]
            self.blocks.append(Block(self._evaluator, self._split, number, block, self._done))
        waiting = iter(range(first, len(self.blocks)))
        try:
            async with anyio.create_task_group() as tasks:
                for _ in range(self._evaluator.workers):
                    tasks.start_soon(self._work, waiting)
        except BaseExceptionGroup as group:
            # A model that is down fails every worker at once, and once it is to be told.
            raise next(leaf_errors(group)) from group
        self._settle()

    def predictions(self) -> dict[str, str]:
        """Item id to prediction, so far."""
        return {item: text for block in self.blocks for item, text in block.predictions.items()}

    def errors(self) -> dict[str, str]:
        """Item id to what kept a prediction from coming, so far."""
        return {item: text for block in self.blocks for item, text in block.errors.items()}

    def answers(self) -> PassAnswers:
        """Return the answers so far, in the order of ids."""
        return PassAnswers(
            dict(sorted(self.predictions().items())), dict(sorted(self.errors().items()))
        )

    def score(self) -> float:
        """The domain's score of what was answered so far."""
        return self._evaluator.domain.score(self._split, self.predictions())

    async def _work(self, waiting: Iterator[int]) -> None:
        """Be one of the workers, which share the blocks of a stage."""
        for number in waiting:
            with anyio.CancelScope() as scope:
                self._scopes[number] = scope
                await self.blocks[number].work(partial(self._give_up, number))
            del self._scopes[number]

    def _give_up(self, number: int) -> bool:
        """End the other blocks of which nothing more can count; says whether this is one too."""
        for other, scope in self._scopes.items():
            if other != number and self._is_lost(other):
                scope.cancel()
        return self._is_lost(number)

    def _is_lost(self, number: int) -> bool:
        """Return whether a single worker would have given up by now, in this block or before."""
        return sum(len(block.crashes) for block in self.blocks[: number + 1]) >= self._limit

    def _settle(self) -> None:
        """Tell which answers count; those after the crash at which a single worker gives up do not.

        Raises:
            CandidateFailed: There was such a crash.
        """
        order = [item.id for block in self.blocks for item in block.items]
        crashes = [item for block in self.blocks for item in block.crashes]
        is_lost = len(crashes) >= self._limit
        last = crashes[MAX_CRASHES - 1] if is_lost else None
        end = len(order) if last is None else 1 + order.index(last)
        self._evaluator.on_settled(self._split, order[:end], order[end:])
        if last is not None:
            raise CandidateFailed(ended_too_often(self._split, MAX_CRASHES, self.errors()[last]))
