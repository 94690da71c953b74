"""What models behind an endpoint have in common, whichever protocol and SDK they are asked with."""

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

from agents.messages import ChatReply, ChatRequest
from agents.models.base import BadRequest, UnknownModel, WrongAddress
from agents.models.connections import Endpoint
from agents.models.errors import Sdk, translated
from agents.models.optional_fields import OptionalFields


class EndpointModel(ABC):
    """A model behind an endpoint. One attempt a call: retries are the policy's."""

    offline = False

    def __init__(self, endpoint: Endpoint, sdk: Sdk) -> None:
        self.name = endpoint.name
        self._endpoint = endpoint
        self._sdk = sdk
        self._optional = OptionalFields(endpoint.options)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once.

        Raises:
            ModelError: See the tree in `agents.models.base`.
        """
        return await self._optional.ask(self._fields(request), partial(self._ask, request))

    async def check(self) -> None:
        """List the endpoint's models, to see that it answers; one that has no list answers too.

        Raises:
            ProviderDown: Nothing answers there.
            AuthFailed: The key was refused.
            WrongAddress: It sends us somewhere else.
        """
        try:
            with translated(self._endpoint.target, self._sdk):
                await self._list_models()
        except WrongAddress:
            raise
        except (UnknownModel, BadRequest):
            return

    async def _ask(self, request: ChatRequest, fields: dict[str, Any]) -> ChatReply:
        with translated(self._endpoint.target, self._sdk):
            answer = await self._send(fields)
        return self._reply(answer, request)

    @abstractmethod
    async def aclose(self) -> None:
        """Close the connections; safe to call twice."""

    @abstractmethod
    def _fields(self, request: ChatRequest) -> dict[str, Any]:
        """The body of a request, optional fields included."""

    @abstractmethod
    async def _send(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Send a body, streamed or not; returns the answer in the form of an unstreamed one."""

    @abstractmethod
    def _reply(self, answer: dict[str, Any], request: ChatRequest) -> ChatReply:
        """Check an answer and take our reply from it."""

    @abstractmethod
    async def _list_models(self) -> object:
        """Ask for the models that there are."""
