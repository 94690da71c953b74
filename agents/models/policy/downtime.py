"""How long a call has been failing, and whose clock must not run meanwhile.

Code in a sandbox has a wall clock; it is not to blame for the time that its provider fails. Who
keeps that clock opens `excused_by(...)` around a call, and reads what adds up there.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self


class ProviderDowntime:
    """Adds up the time during which at least one call was failing."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._active = 0
        self._since = float("-inf")
        self._until = float("-inf")
        self._total_s = 0.0

    def begin(self, ago_s: float) -> None:
        """A call began to fail some seconds ago."""
        if self._active == 0:
            # Time that is counted already is not counted again.
            self._since = max(self._now() - ago_s, self._until)
        self._active += 1

    def end(self) -> None:
        """A failing call came to its end."""
        self._active -= 1
        if self._active == 0:
            self._until = self._now()
            self._total_s += self._until - self._since

    def seconds(self) -> float:
        """Seconds up to now."""
        running_s = self._now() - self._since if self._active else 0.0
        return self._total_s + running_s


_current: ContextVar[ProviderDowntime | None] = ContextVar("downtime", default=None)


@contextmanager
def counting_downtime(downtime: ProviderDowntime) -> Generator[None]:
    """Let calls that are made inside add up their failing time there."""
    token = _current.set(downtime)
    try:
        yield
    finally:
        _current.reset(token)


class Wait:
    """One call's record of its failures; a context, so that its end is told in every case.

    Attributes:
        tries: How often it failed.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.tries = 0
        self._now = now
        self._since: float | None = None
        self._try_began = now()
        self._downtime = _current.get()
        self._is_counting = False

    @property
    def since(self) -> float:
        """When it began to fail; now, as long as it does not."""
        return self._now() if self._since is None else self._since

    def begin_try(self) -> None:
        """The model is asked."""
        self._try_began = self._now()

    def failed(self) -> None:
        """The try failed."""
        self.tries += 1
        self.trouble()

    def trouble(self) -> None:
        """The provider does not do its part, to this call or to others."""
        self._since = self.since
        self.count_downtime()

    def count_downtime(self) -> None:
        """Count the time from the last try on as the provider's, not the caller's."""
        if self._downtime is not None and not self._is_counting:
            self._is_counting = True
            self._downtime.begin(self._now() - self._try_began)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._downtime is not None and self._is_counting:
            self._downtime.end()
