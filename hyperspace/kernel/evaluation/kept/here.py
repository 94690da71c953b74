"""A sandbox of this machine that has gone through the gates and is asked further."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio

from guards.sandboxes.sandbox import SandboxEnded
from hyperspace.kernel.evaluation.evaluator import EvaluationSandbox, ItemQuestion
from hyperspace.kernel.evaluation.kept.held import HeldContext
from hyperspace.tasks.base import Item


class KeptHere:
    """Implements `evaluator.KeptSandbox`.

    Args:
        worker: The sandbox.
        held: Holds it.
    """

    def __init__(self, worker: EvaluationSandbox, held: HeldContext[Any]) -> None:
        self.is_over = False
        self._worker = worker
        self._held = held

    def plan(self, stages: Sequence[Sequence[ItemQuestion]]) -> None:
        """Nothing has to be known before."""

    def tell_refusals(self) -> None:
        """Put on record what was refused; see `evaluator.KeptSandbox`."""
        self._worker.tell_refusals()

    async def close(self) -> None:
        """Take it down; see `evaluator.KeptSandbox`."""
        self.is_over = True
        with anyio.CancelScope(shield=True):
            await self._held.leave()

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        """Ask for one prediction; see `evaluator.Worker`."""
        async with self._until_it_ends():
            return await self._worker.predict(purpose, item, token)

    async def play(
        self, purpose: str, work: str, observations: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Ask for the next action of every episode; see `evaluator.EpisodePlayer`."""
        async with self._until_it_ends():
            return await self._worker.play(purpose, work, observations)

    @asynccontextmanager
    async def _until_it_ends(self) -> AsyncGenerator[None]:
        """Take it down as soon as its code ended it, before the same item is asked again."""
        try:
            yield
        except SandboxEnded:
            await self.close()
            raise
