"""Small models for tests: real implementations of the seam with a known behaviour."""

from collections.abc import Sequence

import anyio

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.base import ModelError


class ListModel:
    """Answers, or raises, one outcome after the other; the last one again and again.

    Attributes:
        name: Its name.
        requests: What it was asked.
    """

    offline = True

    def __init__(self, name: str, outcomes: Sequence[ChatReply | Exception]) -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        self._outcomes = list(outcomes)

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        outcome = self._outcomes.pop(0) if len(self._outcomes) > 1 else self._outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def check(self) -> None:
        await anyio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await anyio.lowlevel.checkpoint()


class RaisingModel(ListModel):
    """Never answers: raises the same error each time."""

    def __init__(self, name: str, error: ModelError) -> None:
        super().__init__(name, [error])


class GatedModel(ListModel):
    """Answers once its gate is open, so that a test can hold calls in flight.

    Attributes:
        asked: Set as soon as a call is in flight.
        gate: Lets the calls finish.
    """

    def __init__(self, name: str, outcomes: Sequence[ChatReply | Exception]) -> None:
        super().__init__(name, outcomes)
        self.asked = anyio.Event()
        self.gate = anyio.Event()

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.set()
        await self.gate.wait()
        return await super().complete(request)
