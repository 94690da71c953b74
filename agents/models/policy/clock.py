"""Time and chance as the policy sees them, so that tests need not wait for either."""

import time
from collections.abc import Awaitable, Callable
from random import SystemRandom
from typing import NamedTuple

import anyio


class Clock(NamedTuple):
    """Where time and jitter come from.

    Attributes:
        now: Seconds on a clock that never goes back.
        sleep: Waits for some seconds; can be cancelled.
        uniform: A random number between two bounds.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    uniform: Callable[[float, float], float] = SystemRandom().uniform


CLOCK = Clock()
