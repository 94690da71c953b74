"""Retries have one owner: this wrapper, around every model that is asked over a network.

Code in a sandbox has a wall clock; it is not to blame for the time that its provider fails. Who
keeps that clock opens `counting_downtime(...)` around a call, and reads what adds up there.
"""

import math
import re
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Self

import anyio
import msgspec

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.base import (
    MalformedReply,
    Model,
    ProviderDown,
    RepeatedlyMalformed,
    Transient,
    Wrapper,
)
from hyperspace.models.policy.traffic import LONGEST_PAUSE_S, Traffic

OUTAGE_S: Final = 600.0
TELL_AFTER: Final = 4  # failures of one call
MOST_MALFORMED: Final = 3  # replies to one call in a row that are unreadable in the same way
_VARYING: Final = re.compile(r"b?(['\"]).*?\1|\d+")


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
        complaint: Why it failed last; None if it never was asked in vain.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.tries = 0
        self.complaint: Transient | None = None
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


def _nobody(_text: str) -> None:
    pass


class Patience(msgspec.Struct, frozen=True):
    """How long to go on.

    Attributes:
        outage_s: How long a call may fail before it is an outage; 0 raises the first failure.
        first_delay_s: Longest delay after the first failure; it doubles with each one.
        longest_delay_s: Longest delay after any.
        call_s: Longest time for one try, however much has come; silence has limits of its own.
        tell: Told, in words for a person, when a call has failed a few times.
    """

    outage_s: float = OUTAGE_S
    first_delay_s: float = 0.5
    longest_delay_s: float = 60.0
    call_s: float = math.inf
    tell: Callable[[str], None] = _nobody


PATIENCE: Final = Patience()


class Retrying(Wrapper):
    """Asks a model again after transient errors, with full jitter, until it is an outage.

    Errors that asking again does not mend are raised at once. A pause that the provider asks for
    is kept, up to two minutes, by all who ask it. An outage is a `ProviderDown`: the run pauses.
    """

    def __init__(
        self,
        model: Model,
        traffic: Traffic,
        patience: Patience = PATIENCE,
    ) -> None:
        super().__init__(model)
        self._traffic = traffic
        self._clock = traffic.clock
        self._patience = patience

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask until there is a reply.

        Raises:
            ProviderDown: Every try met a transient error, for `outage_s`.
            RepeatedlyMalformed: The replies are unreadable, and in the same way each time.
            ModelError: An error that asking again does not mend.
        """
        complaints = list[str]()
        with Wait(self._clock.now) as wait:
            while True:
                try:
                    return await self._try(request, wait)
                except Transient as error:
                    wait.failed()
                    self._complain(error, complaints)
                    await self._pause(error, wait)

    def _complain(self, error: Transient, complaints: list[str]) -> None:
        """Give up where replies came and were unreadable in the same way several times in a row."""
        if not isinstance(error, MalformedReply) and error.usage is None:  # nothing came
            complaints.clear()
            return
        complaints.append(_VARYING.sub("", str(error)))
        if complaints[-MOST_MALFORMED:] == [complaints[-1]] * MOST_MALFORMED:
            raise RepeatedlyMalformed(
                f"{self.name} answered {MOST_MALFORMED} times in a way that cannot be read, each "
                f"time for the same reason: {error}"
            ) from error

    async def _try(self, request: ChatRequest, wait: Wait) -> ChatReply:
        wait.begin_try()
        if self._traffic.breaker.is_open:
            wait.trouble()
        elif self._traffic.limiter.is_full:
            wait.count_downtime()
        admission = await self._traffic.breaker.admits(wait.since + self._patience.outage_s)
        if admission == "no":
            complaint = wait.complaint or self._traffic.breaker.complaint
            reason = f": {complaint}" if complaint else ""
            raise ProviderDown(
                f"{self.name} is not asked for now, it kept failing{reason}"
            ) from complaint
        async with self._traffic.call(admission):
            with anyio.move_on_after(self._patience.call_s):
                try:
                    return await self._model.complete(request)
                except Transient as error:
                    wait.complaint = self._traffic.breaker.complaint = error
                    raise
            seconds = f"{self._patience.call_s:g} s"
            raise ProviderDown(f"{self.name} sent no whole reply within {seconds}")

    async def _pause(self, error: Transient, wait: Wait) -> None:
        if self._patience.outage_s == 0:
            raise error
        bound_s = self._patience.first_delay_s * 2.0 ** (wait.tries - 1)
        delay_s = min(error.retry_after_s or 0.0, LONGEST_PAUSE_S)
        delay_s += self._clock.uniform(0.0, min(self._patience.longest_delay_s, bound_s))
        if self._clock.now() + delay_s > wait.since + self._patience.outage_s:
            tried_s = self._clock.now() - wait.since
            lasted = f"{tried_s / 60:.1f} minutes" if tried_s >= 60 else f"{tried_s:.1f} s"
            times = "once" if wait.tries == 1 else f"{wait.tries} times in {lasted}"
            raise ProviderDown(
                f"{self.name} failed {times} (--outage-minutes says how long to try); last: {error}"
            ) from error
        if wait.tries == TELL_AFTER:
            minutes = self._patience.outage_s / 60
            self._patience.tell(f"{error}; trying for {minutes:g} minutes, then the run pauses")
        await self._clock.sleep(delay_s)
