"""What all agents of one provider share in a process: its limiter and its circuit breaker."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache

from agents.models.base import ProviderDown, RateLimited, Transient
from agents.models.policy.breaker import Admission, Breaker
from agents.models.policy.clock import CLOCK, Clock
from agents.models.policy.limiter import Limiter

LONGEST_PAUSE_S = 120.0  # however long a provider asks for: it may be mistaken


class Traffic:
    """Calls to one provider.

    Attributes:
        clock: Where time and jitter come from.
        limiter: How many at one time.
        breaker: Whether any.
    """

    def __init__(self, clock: Clock = CLOCK) -> None:
        self.clock = clock
        self.limiter = Limiter(clock)
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
    return Traffic()
