"""The graphics cards of this machine, each held by one job at a time."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import cached_property

import anyio

from hyperspace.executor.errors import ExecutorUsageError


class CardPool:
    """Hands cards to jobs; those that find none wait for one.

    Args:
        find: Returns their numbers; asked when a job first needs one.
    """

    def __init__(self, find: Callable[[], tuple[int, ...]]) -> None:
        self._find = find
        self._one_more = anyio.Condition()

    def check(self, gpus: float) -> None:
        """Check that a job can have its cards here.

        Raises:
            ExecutorUsageError: There are not as many, or it asks for a part of one.
        """
        if gpus != int(gpus):
            raise ExecutorUsageError(
                f"a job asks for {gpus:g} GPUs, and one of this machine is not shared; ask for 1"
            )
        if gpus and gpus > (count := len(self._cards)):
            raise ExecutorUsageError(
                f"a job asks for {gpus:g} GPUs, and this machine has {count} that can be used"
            )

    @asynccontextmanager
    async def held(self, gpus: float) -> AsyncGenerator[tuple[int, ...]]:
        """Hold so many cards; yields their numbers."""
        count = int(gpus)
        if not count:
            yield ()
            return
        async with self._one_more:
            while len(self._free) < count:
                await self._one_more.wait()
            held, self._free = self._free[:count], self._free[count:]
        try:
            yield tuple(held)
        finally:
            with anyio.CancelScope(shield=True):
                async with self._one_more:
                    self._free = sorted([*self._free, *held])
                    self._one_more.notify_all()

    @cached_property
    def _cards(self) -> tuple[int, ...]:
        return self._find()

    @cached_property
    def _free(self) -> list[int]:
        return list(self._cards)
