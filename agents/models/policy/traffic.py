"""The limiter and circuit breaker that all agents of one provider share in a process."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Final

from agents.models.base import ProviderDown, RateLimited, Transient
from agents.models.policy.breaker import Admission, Breaker
from agents.models.policy.clock import CLOCK, Clock
from agents.models.policy.limiter import FIRST_WINDOW, LARGEST_WINDOW, Limiter

SHARED_BY: Final = "HYPERSPACE_SHARED_BY"
LONGEST_PAUSE_S = 120.0  # however long a provider asks for: it may be mistaken


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
