"""Traffic to one provider, the same for all agents of a process: whether calls go, how many."""

import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from random import SystemRandom
from typing import Final, Literal, NamedTuple

import anyio

from hyperspace.models.base import ProviderDown, RateLimited, Transient

FAILURES: Final = 5
FIRST_REST_S: Final = 5.0
LONGEST_REST_S: Final = 60.0
LOOK_AGAIN_S: Final = 1.0
Admission = Literal["no", "yes", "probe"]
FIRST_WINDOW: Final = 8.0
LARGEST_WINDOW: Final = 64.0
SHARED_BY: Final = "HYPERSPACE_SHARED_BY"
LONGEST_PAUSE_S = 120.0  # however long a provider asks for: it may be mistaken


class Clock(NamedTuple):
    """Where time and jitter come from, so that tests need not wait for either.

    Attributes:
        now: Seconds on a clock that never goes back.
        sleep: Waits for some seconds; can be cancelled.
        uniform: A random number between two bounds.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    uniform: Callable[[float, float], float] = SystemRandom().uniform


CLOCK = Clock()


class Breaker:
    """Opens after failures in a row; then one call at a time finds out whether it may close.

    Each failed attempt doubles the rest, up to a minute.

    Attributes:
        complaint: What was said of the latest failure; None if there was none.
    """

    def __init__(self, clock: Clock) -> None:
        self.complaint: Exception | None = None
        self._clock = clock
        self._failures = 0
        self._rest_s = 0.0
        self._try_at = float("-inf")
        self._trying = False

    @property
    def is_open(self) -> bool:
        """True while calls have to wait."""
        return self._rest_s > 0

    async def admits(self, deadline: float) -> Admission:
        """Wait until a call may be made; `no` if that is not before the deadline."""
        while self.is_open:
            wait_s = self._try_at - self._clock.now()
            if wait_s <= 0 and not self._trying:
                self._trying = True
                return "probe"
            pause_s = max(wait_s, LOOK_AGAIN_S)
            if self._clock.now() + pause_s > deadline:
                return "no"
            await self._clock.sleep(pause_s)
        return "yes"

    def answered(self) -> None:
        """Close: the provider has answered, if only to refuse."""
        self._failures, self._rest_s = 0, 0.0

    def failed(self, admission: Admission = "yes") -> None:
        """Count a failure; open, or stay open for longer, when there were enough."""
        self._failures += 1
        self.left(admission)
        if admission == "probe" or (not self.is_open and self._failures >= FAILURES):
            self._rest_s = min(LONGEST_REST_S, 2 * self._rest_s or FIRST_REST_S)
            self._try_at = self._clock.now() + self._rest_s

    def left(self, admission: Admission) -> None:
        """A call ended: after one that was to find out, another one may."""
        if admission == "probe":
            self._trying = False


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


class Traffic:
    """Calls to one provider.

    Attributes:
        clock: Where time and jitter come from.
        limiter: How many at one time.
        breaker: Whether any.
    """

    def __init__(self, clock: Clock = CLOCK, shared_by: int = 1) -> None:
        """Begin to count.

        Args:
            clock: Where time and jitter come from.
            shared_by: How many processes ask this provider together: each takes its part of the
                window, and at least one call.
        """
        first, largest = (max(1.0, w / shared_by) for w in (FIRST_WINDOW, LARGEST_WINDOW))
        self.clock = clock
        self.limiter = Limiter(clock, first, largest)
        self.breaker = Breaker(clock)

    @asynccontextmanager
    async def call(self, admission: Admission) -> AsyncGenerator[None]:
        """Make one call inside; its outcome is told to limiter and breaker and raised as it is.

        Args:
            admission: What the breaker said to it.
        """
        try:
            async with self.limiter.slot() as round_:
                try:
                    yield
                except Transient as error:
                    self._failed(error, round_, admission)
                    raise
                except Exception:  # any: it is an answer, and what it says is the caller's matter
                    self.breaker.answered()
                    raise
                self.breaker.answered()
                self.limiter.answered()
        finally:
            self.breaker.left(admission)

    def _failed(self, error: Transient, round_: int, admission: Admission) -> None:
        if isinstance(error, ProviderDown):
            self.breaker.failed(admission)
        else:
            self.breaker.answered()
        if isinstance(error, RateLimited):
            self.limiter.limited(round_, min(error.retry_after_s or 0.0, LONGEST_PAUSE_S))


@cache
def traffic_to(protocol: str, url: str) -> Traffic:
    """The traffic to one provider in this process, the same for all who ask it.

    Args:
        protocol: With the address it says which provider that is.
        url: Its address.
    """
    return Traffic(shared_by=shared_by(os.environ))


def shared_by(environment: Mapping[str, str]) -> int:
    """How many processes share a provider's window; 1 where nothing sensible is said.

    Args:
        environment: Where a set of runs tells each of them (`SHARED_BY`).
    """
    told = environment.get(SHARED_BY, "")
    return max(1, int(told)) if told.isascii() and told.isdigit() else 1
