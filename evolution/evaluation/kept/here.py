"""A sandbox of this machine that has gone through the gates and is asked further."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from domains.base import Item
from evolution.evaluation.evaluator import EvaluationSandbox, ItemQuestion
from guards.sandboxes.sandbox import SandboxEnded


class KeptHere:
    """Implements `evaluator.KeptSandbox`.

    Args:
        worker: The sandbox.
    """

    def __init__(self, worker: EvaluationSandbox) -> None:
        self.is_over = False
        self._worker = worker

    def plan(self, stages: Sequence[Sequence[ItemQuestion]]) -> None:
        """Nothing has to be known before."""

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        """Ask for one prediction; see `evaluator.Worker`."""
        with self._until_it_ends():
            return await self._worker.predict(purpose, item, token)

    async def play(
        self, purpose: str, work: str, observations: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Ask for the next action of every episode; see `evaluator.EpisodePlayer`."""
        with self._until_it_ends():
            return await self._worker.play(purpose, work, observations)

    @contextmanager
    def _until_it_ends(self) -> Generator[None]:
        try:
            yield
        except SandboxEnded:
            self.is_over = True
            raise
