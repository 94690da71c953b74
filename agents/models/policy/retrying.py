"""Retries have one owner: this wrapper, around every model that is asked over a network."""

from collections.abc import Callable
from typing import Final

import anyio
import msgspec

from agents.messages import ChatReply, ChatRequest
from agents.models.base import Model, ProviderDown, Transient, Wrapper
from agents.models.policy.downtime import Wait
from agents.models.policy.traffic import LONGEST_PAUSE_S, Traffic

OUTAGE_S: Final = 600.0
TELL_AFTER: Final = 4  # failures of one call


def _nobody(_text: str) -> None:
    pass


class Patience(msgspec.Struct, frozen=True):
    """How long to go on.

    Attributes:
        outage_s: How long a call may fail before it is an outage; 0 raises the first failure.
        first_delay_s: Longest delay after the first failure; it doubles with each one.
        longest_delay_s: Longest delay after any.
        call_s: Longest time for one try, whatever bytes are still dripping in.
        tell: Told, in words for a person, when a call has failed a few times.
    """

    outage_s: float = OUTAGE_S
    first_delay_s: float = 0.5
    longest_delay_s: float = 60.0
    call_s: float = 600.0
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
            ModelError: An error that asking again does not mend.
        """
        with Wait(self._clock.now) as wait:
            while True:
                try:
                    return await self._try(request, wait)
                except Transient as error:
                    wait.failed()
                    await self._pause(error, wait)

    async def _try(self, request: ChatRequest, wait: Wait) -> ChatReply:
        wait.begin_try()
        if self._traffic.breaker.is_open:
            wait.trouble()
        elif self._traffic.limiter.is_full:
            wait.count_downtime()
        admission = await self._traffic.breaker.admits(wait.since + self._patience.outage_s)
        if admission == "no":
            raise ProviderDown(f"{self.name} is not asked for now, it kept failing")
        async with self._traffic.call(admission):
            with anyio.move_on_after(self._patience.call_s):
                return await self._model.complete(request)
            seconds = f"{self._patience.call_s:g} s"
            raise ProviderDown(f"{self.name} sent no whole reply within {seconds}")

    async def _pause(self, error: Transient, wait: Wait) -> None:
        if self._patience.outage_s == 0:
            raise error
        bound_s = self._patience.first_delay_s * 2.0 ** (wait.tries - 1)
        delay_s = min(error.retry_after_s or 0.0, LONGEST_PAUSE_S)
        delay_s += self._clock.uniform(0.0, min(self._patience.longest_delay_s, bound_s))
        if self._clock.now() + delay_s > wait.since + self._patience.outage_s:
            minutes = (self._clock.now() - wait.since) / 60
            raise ProviderDown(
                f"{self.name} failed {wait.tries} times in {minutes:.1f} minutes "
                f"(--outage-minutes says how long to try); last: {error}"
            ) from error
        if wait.tries == TELL_AFTER:
            minutes = self._patience.outage_s / 60
            self._patience.tell(f"{error}; trying for {minutes:g} minutes, then the run pauses")
        await self._clock.sleep(delay_s)
