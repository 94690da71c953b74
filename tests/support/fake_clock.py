"""A clock that goes on as soon as somebody sleeps: tests do not wait."""

import anyio

from hyperspace.models.policy.traffic import Clock


class FakeClock:
    """Time for code under test.

    Attributes:
        time: Seconds.
        slept: How long each sleep was, in order.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    @property
    def clock(self) -> Clock:
        """The clock for the code under test; its jitter is always the upper bound."""
        return Clock(lambda: self.time, self.sleep, _upper)

    async def sleep(self, seconds: float) -> None:
        """Wait, in this clock's time."""
        self.slept.append(seconds)
        wake_at = self.time + seconds
        await anyio.lowlevel.checkpoint()
        self.time = max(self.time, wake_at)


def _upper(_low: float, high: float) -> float:
    return high
