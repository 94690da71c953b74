"""The base of models that stand around another one: a meter, retries, tools as text."""

from abc import ABC, abstractmethod

from agents.messages import ChatReply, ChatRequest
from agents.models.base import Model, address_of


class Wrapper(ABC):
    """A model that answers through another one and is named, placed and released as that one."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self._model.name

    @property
    def offline(self) -> bool:
        """True when the wrapped model needs no network."""
        return self._model.offline

    @property
    def address(self) -> str:
        """Where the wrapped model is asked."""
        return address_of(self._model)

    @abstractmethod
    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request; see `Model`."""

    async def check(self) -> None:
        """Check the wrapped model, once: a person waits for the answer."""
        await self._model.check()

    async def aclose(self) -> None:
        """Release the wrapped model's connections."""
        await self._model.aclose()
