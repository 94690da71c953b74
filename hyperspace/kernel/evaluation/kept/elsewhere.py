"""Sandboxes of an executor that stand for one that has gone through the gates and goes on.

A job is told before what it is asked, and what is asked next hangs on what came of it. So each
stage is a job that is asked all that came before once more: what code keeps from item to item is as
in one sandbox of this machine.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from anyio.abc import TaskGroup

from guards.sandboxes.sandbox import SandboxEnded
from hyperspace.kernel.evaluation.evaluator import EvaluationSandbox, ItemQuestion
from hyperspace.kernel.evaluation.kept.held import HeldContext
from hyperspace.tasks.base import Item

OpenStage = Callable[[Sequence[ItemQuestion], int], AbstractAsyncContextManager[EvaluationSandbox]]
"""Opens a worker by all that it is asked, and how many of these questions were answered before."""


class KeptElsewhere:
    """Implements `evaluator.KeptSandbox` for items.

    Args:
        open_stage: Opens the job of a stage.
        tasks: Where jobs are held; ends before what they need.
    """

    def __init__(self, open_stage: OpenStage, tasks: TaskGroup) -> None:
        self.is_over = False
        self._open_stage = open_stage
        self._tasks = tasks
        self._stages: Sequence[Sequence[ItemQuestion]] = ()
        self._asked = 0
        self._known = 0  # how many questions the present job was told
        self._worker: EvaluationSandbox | None = None
        self._held: HeldContext[EvaluationSandbox] | None = None

    def plan(self, stages: Sequence[Sequence[ItemQuestion]]) -> None:
        """Take in what will be asked; see `evaluator.KeptSandbox`."""
        self._stages = stages

    def tell_refusals(self) -> None:
        """Put on record what was refused; see `evaluator.KeptSandbox`."""
        if self._worker is not None:
            self._worker.tell_refusals()

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        """Ask for one prediction; see `evaluator.Worker`."""
        if self._worker is None or self._asked == self._known:
            self._worker = await self._next_stage()
        self._asked += 1
        try:
            return await self._worker.predict(purpose, item, token)
        except SandboxEnded:
            await self.close()
            raise

    async def play(
        self, purpose: str, work: str, observations: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Episodes are played on this machine."""
        raise NotImplementedError("episodes are played on this machine")

    async def close(self) -> None:
        """Give up the present job; see `evaluator.KeptSandbox`."""
        self.is_over = True
        await self._leave()

    async def _leave(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            with anyio.CancelScope(shield=True):
                await held.leave()

    async def _next_stage(self) -> EvaluationSandbox:
        await self._leave()
        questions: list[ItemQuestion] = []
        for stage in self._stages:
            questions += stage
            if len(questions) > self._asked:
                break
        self._known = len(questions)
        self._held = HeldContext(self._open_stage(questions, self._asked))
        return await self._held.enter(self._tasks)
