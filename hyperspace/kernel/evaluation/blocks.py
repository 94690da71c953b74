"""A pass over a split: items cut into blocks that are worked on side by side, in whatever order.

The result is that of one worker after another, whatever the number of workers and whoever is
faster: a block has sandboxes of its own, or goes on in that of the stage before, so nothing that
code keeps from item to item depends on blocks beside it, and what is answered after the item at
which a single worker would have given up does not count.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from itertools import count
from math import inf
from random import Random
from typing import Any

import anyio

from guards.defences import Defence
from guards.sandboxes.sandbox import SandboxEnded
from hyperspace.kernel.evaluation.assess import has_outcomes
from hyperspace.kernel.evaluation.block import (
    Crash,
    ItemBlock,
    answer_cpu_s,
    answer_limits,
    by_shape,
)
from hyperspace.kernel.evaluation.episodes import EpisodeBlock
from hyperspace.kernel.evaluation.evaluator import (
    CandidateFailed,
    Evaluator,
    ItemQuestion,
    KeptSandbox,
    Worker,
)
from hyperspace.kernel.evaluation.failures import ended_too_often
from hyperspace.kernel.exception_groups import leaf_errors
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.manifest import PassAnswers
from hyperspace.models.base import ReplayMismatch
from hyperspace.tasks.base import Domain, Item, Split, leaf_of
from hyperspace.tasks.shapes.interactive import Interactive

MAX_CRASHES = 3
# How many items share a sandbox. A start costs tens of milliseconds: nothing beside an answer of a
# model, where 100 items so keep 20 workers busy, and as much as many answers of code alone, which
# have bounds that grow with the block. An answer whose CPU seconds a task bounds has its own.
BLOCK_ITEMS = 5
BLOCK_ITEMS_OF_CODE = 60
MOST_ITEMS_BEFORE = 20  # of the stage before, where a block goes on in its sandbox


class Block(ItemBlock):
    """Items that are answered one by one, with a fresh worker whenever one ended."""

    def __init__(
        self,
        evaluator: Evaluator,
        split: Split,
        number: int,
        items: Sequence[Item],
        done: Callable[[], None],
    ) -> None:
        """Prepare a block; see `ItemBlock`."""
        super().__init__(evaluator, split, number, items, done)
        self.works = [item.id for item in items]
        self._retried: set[str] = set()
        self._drawn: deque[str] = deque()  # tokens that a worker elsewhere was told before

    async def work(self, give_up: Callable[[], bool]) -> None:
        """Ask every item; see `ItemBlock`."""
        queue = deque(self.items)
        while queue and not give_up():
            async with self._open(queue) as worker:
                await self._drain(worker, queue)

    def _open(self, queue: Sequence[Item]) -> AbstractAsyncContextManager[Worker]:
        """Open a worker, here or elsewhere, unless one is kept."""
        if (kept := self._lasting()) is not None:
            return nullcontext(kept)
        if (open_ahead := self._evaluator.open_ahead) is None:
            return self._evaluator.open_worker(self._cpu_s)
        return open_ahead(self._cpu_s, self._questions(queue))

    def questions(self) -> list[ItemQuestion]:
        """Return what will be asked; see `ItemBlock`."""
        return self._questions(self.items)

    def _questions(self, items: Sequence[Item]) -> list[ItemQuestion]:
        while len(self._drawn) < len(items):
            self._drawn.append(self._draw())
        return list(map(ItemQuestion, items, self._drawn))

    def _draw(self) -> str:
        return f"{self._tokens.getrandbits(64):016x}"

    async def _drain(self, worker: Worker, queue: deque[Item]) -> None:
        while queue:
            item = queue[0]
            drawn = self._drawn.popleft() if self._drawn else self._draw()
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
            await self._take(item, reply)
            self._done()

    def _has(self, defence: Defence) -> bool:
        return defence not in self._evaluator.without

    async def _take(self, item: Item, reply: Mapping[str, Any]) -> None:
        answer, domain = reply.get("prediction"), leaf_of(self._evaluator.domain, item).domain
        # Bounded on the host: what bounds a worker from inside is within the candidate's reach.
        longest = answer_limits(domain).characters
        if not isinstance(answer, str) and self._has(Defence.PREDICTION_TYPE):
            self.errors[item.id] = printable_error(str(reply.get("error", "no prediction")))
        elif len(str(answer)) > longest and self._has(Defence.PREDICTION_SIZE):
            self.errors[item.id] = f"a prediction has at most {longest} characters"
        else:
            assessed = await self._evaluator.assess(self._split, item, str(answer))
            self.predictions[item.id] = assessed
            if has_outcomes(domain):
                self.answers[item.id] = str(answer)

    def _after_end(self, item: Item, ended: SandboxEnded, queue: deque[Item]) -> None:
        # A wall-clock limit may be our busy machine's fault: it counts from the second time on.
        if ended.reason == "wall_clock" and item.id not in self._retried:
            self._retried.add(item.id)
            return
        queue.popleft()
        self.errors[item.id] = printable_error(str(ended))
        if self._cpu_s is None:
            self.crashes.append(Crash(item.id, item.id))


class Pass:
    """One pass over the items of a split, stage after stage.

    Attributes:
        blocks: Those that were worked through so far.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        split: Split,
        stages: Sequence[Sequence[Item]],
        done: Callable[[], None],
    ) -> None:
        """Prepare a pass.

        Args:
            evaluator: Where it is evaluated.
            split: Over which split.
            stages: Items of each stage; they are asked in shuffled order.
            done: Called after each item.
        """
        self.blocks: list[ItemBlock] = []
        self._evaluator = evaluator
        self._split: Split = split
        self._done = done
        self._limit = inf if Defence.CRASHES in evaluator.without else MAX_CRASHES
        self._scopes: dict[int, anyio.CancelScope] = {}
        self._unrecorded: dict[int, ReplayMismatch] = {}  # blocks where a replay left its record
        self._last_kept: ItemBlock | None = None
        order, numbers = evaluator.rng(split), count()
        self._stages = deque(self._stage(items, order, numbers) for items in stages)

    def _stage(
        self, items: Sequence[Item], order: Random, numbers: Iterator[int]
    ) -> list[ItemBlock]:
        queue = list(items)
        if Defence.ORDER not in self._evaluator.without:
            order.shuffle(queue)
        blocks: list[ItemBlock] = []
        for domain, items_of_shape in by_shape(self._evaluator.domain, queue):
            size = _block_items(domain)
            for start in range(0, len(items_of_shape), size):
                part = items_of_shape[start : start + size]
                blocks.append(self._block(domain, next(numbers), part))
        return blocks

    def keep(self, kept: KeptSandbox) -> list[list[ItemQuestion]]:
        """Let first blocks of stages go on in a sandbox; returns what they will ask.

        It is never idle: a stage of several blocks, or of more than has room beside a whole block,
        is the last one.
        """
        going_on: list[ItemBlock] = []
        for blocks in self._stages:
            going_on.append(blocks[0])
            if len(blocks) > 1 or len(blocks[0].items) > MOST_ITEMS_BEFORE:
                break
        for block in going_on:
            block.kept = kept
        self._last_kept = going_on[-1]
        return [block.questions() for block in going_on]

    async def run(self) -> None:
        """Ask for the predictions of the next stage.

        Raises:
            CandidateFailed: The code crashed too often.
            RunPaused: The evaluation model is down.
            ReplayMismatch: This is a replay, and the record has no answer that counts.
        """
        first = len(self.blocks)
        self.blocks += self._stages.popleft()
        waiting = iter(range(first, len(self.blocks)))
        try:
            async with anyio.create_task_group() as tasks:
                for _ in range(self._evaluator.workers):
                    tasks.start_soon(self._work, waiting)
        except BaseExceptionGroup as group:
            # A model that is down fails every worker at once, and once it is to be told.
            raise next(leaf_errors(group)) from group
        self._settle()

    def _block(self, domain: Domain, number: int, items: Sequence[Item]) -> ItemBlock:
        if isinstance(domain, Interactive):
            name = f"episodes_{number}"
            return EpisodeBlock(self._evaluator, self._split, name, items, self._done)
        return Block(self._evaluator, self._split, number, items, self._done)

    def predictions(self) -> dict[str, str]:
        """Item id to prediction, so far."""
        return {item: text for block in self.blocks for item, text in block.predictions.items()}

    def errors(self) -> dict[str, str]:
        """Item id to what kept a prediction from coming, so far."""
        return {item: text for block in self.blocks for item, text in block.errors.items()}

    def keep_answers(self) -> None:
        """Hand over the answers that the record does not hold, in the order of ids."""
        pairs = (pair for block in self.blocks for pair in block.answers.items())
        self._evaluator.keep_answers(self._split, dict(sorted(pairs)))

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
            if self._unrecorded:  # whether that counts is known by the blocks before
                return
            with anyio.CancelScope() as scope:
                self._scopes[number] = scope
                try:
                    await self._work_through(number)
                except ReplayMismatch as mismatch:
                    self._unrecorded[number] = mismatch
            del self._scopes[number]

    async def _work_through(self, number: int) -> None:
        block = self.blocks[number]
        await block.work(partial(self._give_up, number))
        if block is self._last_kept and block.kept is not None:
            await block.kept.close()

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
            ReplayMismatch: This is a replay, and what is not on record would count.
        """
        for number, mismatch in sorted(self._unrecorded.items()):
            if not self._is_lost(number):
                raise mismatch
        order = [work for block in self.blocks for work in block.works]
        crashes = [crash for block in self.blocks for crash in block.crashes]
        is_lost = len(crashes) >= self._limit
        last = crashes[MAX_CRASHES - 1] if is_lost else None
        end = len(order) if last is None else 1 + order.index(last.work)
        if (kept := self._evaluator.kept) is not None:
            kept.tell_refusals()
        self._evaluator.on_settled(self._split, order[:end], order[end:])
        if last is not None:
            why = self.errors()[last.item]
            raise CandidateFailed(ended_too_often(self._split, MAX_CRASHES, why))


def _block_items(domain: Domain) -> int:
    """Return how many items share a sandbox."""
    if isinstance(domain, Interactive):
        # Where a model is asked at each step, a sandbox more is nothing, and to play again is
        # dear: each episode has its own.
        return 1 if domain.calls_model else BLOCK_ITEMS_OF_CODE
    if answer_cpu_s(domain) is not None:
        return 1
    return BLOCK_ITEMS if domain.calls_model else BLOCK_ITEMS_OF_CODE
