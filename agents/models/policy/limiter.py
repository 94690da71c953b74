"""How many calls a provider gets at one time: a window that grows slowly and shrinks fast."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import anyio

from agents.models.policy.clock import Clock

FIRST_WINDOW: Final = 8.0
LARGEST_WINDOW: Final = 64.0


class Limiter:
    """Additive increase, multiplicative decrease, shared by all who ask one provider.

    A round of answers widens the window by one; a 429 halves it, once for all calls that were in
    flight when it came, and stops new calls for as long as the provider asks.

    Attributes:
        window: How many calls may be in flight; the whole part counts.
        busy: How many are.
    """

    def __init__(
        self, clock: Clock, window: float = FIRST_WINDOW, largest: float = LARGEST_WINDOW
    ) -> None:
        """Begin with a window.

        Args:
            clock: Where time comes from.
            window: How many calls may be in flight at first.
            largest: How wide the window may become.
        """
        self.window = window
        self.busy = 0
        self._clock = clock
        self._largest = largest
        self._round = 0
        self._paused_until = float("-inf")
        self._freed: anyio.Event | None = None

    @property
    def is_full(self) -> bool:
        """True when a call has to wait."""
        return self.busy >= int(self.window) or self._paused_until > self._clock.now()

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[int]:
        """Wait for a place and hold it; yields the round it belongs to."""
        await self._place()
        self.busy += 1
        try:
            yield self._round
        finally:
            self.busy -= 1
            self._wake()

    def answered(self) -> None:
        """Widen the window: a call was answered."""
        self.window = min(self._largest, self.window + 1 / self.window)
        self._wake()

    def limited(self, round_: int, pause_s: float) -> None:
        """Narrow the window, unless an earlier call of the same round has done so."""
        self._paused_until = max(self._paused_until, self._clock.now() + pause_s)
        if round_ == self._round:
            self._round += 1
            self.window = max(1.0, self.window / 2)

    async def _place(self) -> None:
        while True:
            pause_s = self._paused_until - self._clock.now()
            if pause_s > 0:
                await self._clock.sleep(pause_s)
            elif self.busy >= int(self.window):
                # All of them wake up: one that is cancelled then would not pass its turn on.
                self._freed = self._freed or anyio.Event()
                await self._freed.wait()
            else:
                return

    def _wake(self) -> None:
        freed, self._freed = self._freed, None
        if freed is not None:
            freed.set()
