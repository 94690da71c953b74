"""Retries have one owner: this wrapper, around every model that is asked over a network."""

from collections.abc import Awaitable, Callable
from typing import Final

import anyio

from agents.messages import ChatReply, ChatRequest
from agents.models.base import Model, ModelError, ProviderDown, RateLimited, ReplyTruncated

TRANSIENT: Final = (ProviderDown, RateLimited, ReplyTruncated)
DELAYS_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
LONGEST_PAUSE_S: Final = 60.0


class Retrying:
    """Asks a model again after transient errors, then gives up.

    A pause that the provider asks for is kept, up to a minute. After the last delay the error is
    a `ProviderDown`: an outage, which never counts against an agent.
    """

    def __init__(
        self,
        model: Model,
        delays_s: tuple[float, ...] = DELAYS_S,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._model = model
        self._delays_s = delays_s
        self._sleep = sleep

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self._model.name

    @property
    def offline(self) -> bool:
        """Whether the wrapped model needs no network."""
        return self._model.offline

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask until there is a reply.

        Raises:
            ProviderDown: Every try met a transient error.
            ModelError: An error that asking again does not mend.
        """
        for delay_s in self._delays_s:
            try:
                return await self._model.complete(request)
            except TRANSIENT as error:
                await self._sleep(_pause_s(error, delay_s))
        return await self._last_try(request)

    async def check(self) -> None:
        """Check the wrapped model once: a person waits for the answer."""
        await self._model.check()

    async def aclose(self) -> None:
        """Release the wrapped model's connections."""
        await self._model.aclose()

    async def _last_try(self, request: ChatRequest) -> ChatReply:
        try:
            return await self._model.complete(request)
        except TRANSIENT as error:
            tries = len(self._delays_s) + 1
            raise ProviderDown(f"{self.name} failed {tries} times; last: {error}") from error


def _pause_s(error: ModelError, delay_s: float) -> float:
    if isinstance(error, RateLimited) and error.retry_after_s is not None:
        return min(max(error.retry_after_s, delay_s), LONGEST_PAUSE_S)
    return delay_s
