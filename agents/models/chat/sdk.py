"""Chat completions with the client of a real SDK, whichever it is."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

from agents.messages import ChatReply, ChatRequest
from agents.models.base import BadRequest, UnknownModel, WrongAddress
from agents.models.chat.reply import reply_from
from agents.models.chat.stream import CompletionAssembly
from agents.models.chat.wire import Dialect, request_fields
from agents.models.connections import Endpoint
from agents.models.errors import Sdk, translated
from agents.models.normalize import normalize
from agents.models.optional_fields import OptionalFields
from agents.models.server_events import events


class ChatClient(NamedTuple):
    """A client of one of the SDKs that speak chat completions.

    Attributes:
        client: `AsyncOpenAI` or `AsyncFireworks`; they have no common type.
        sdk: Its errors.
        list_models: Asks for the models that there are.
    """

    client: Any
    sdk: Sdk
    list_models: Callable[[], Awaitable[object]]


class ChatCompletions:
    """A model behind a chat-completions endpoint.

    One attempt a call: retries are the policy's.
    """

    offline = False

    def __init__(self, endpoint: Endpoint, dialect: Dialect, client: ChatClient) -> None:
        self.name = endpoint.name
        self._endpoint = endpoint
        self._dialect = dialect
        self._client = client
        self._optional = OptionalFields(endpoint.options)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once.

        Raises:
            ModelError: See the tree in `agents.models.base`.
        """
        options = self._endpoint.options
        fields = request_fields(self._endpoint.target.model, request, options, self._dialect)
        return await self._optional.ask(fields, partial(self._ask, request))

    async def check(self) -> None:
        """List the endpoint's models, to see that it answers.

        Raises:
            ProviderDown: Nothing answers there.
            AuthFailed: The key was refused.
        """
        await reachable(self._endpoint, self._client.sdk, self._client.list_models)

    async def aclose(self) -> None:
        """Close the connections; safe to call twice."""
        await self._client.client.close()

    async def _ask(self, request: ChatRequest, fields: dict[str, Any]) -> ChatReply:
        asked = self._endpoint.target
        # The SDK of Fireworks knows no stream_options, and sends what it is told to send.
        extra = {name: fields[name] for name in fields if name == "stream_options"}
        known = {name: fields[name] for name in fields if name not in extra}
        with translated(asked, self._client.sdk):
            ask = self._streamed if fields["stream"] else self._whole
            answer = await ask({**known, "extra_body": extra})
        return reply_from(answer, request, asked)

    async def _whole(self, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await self._client.client.chat.completions.create(**arguments)
        return normalize(answer, self._endpoint.target)

    async def _streamed(self, arguments: dict[str, Any]) -> dict[str, Any]:
        assembly = CompletionAssembly(self._endpoint.target)
        create = self._client.client.chat.completions.with_streaming_response.create
        for chunk in await events(create(**arguments), self._endpoint.target):
            assembly.take(chunk)
        return assembly.completion()


async def reachable(
    endpoint: Endpoint, sdk: Sdk, list_models: Callable[[], Awaitable[object]]
) -> None:
    """Ask for the list of models; an endpoint that has none answers too.

    Raises:
        ProviderDown: Nothing answers there.
        AuthFailed: The key was refused.
        WrongAddress: It sends us somewhere else.
    """
    try:
        with translated(endpoint.target, sdk):
            await list_models()
    except WrongAddress:
        raise
    except (UnknownModel, BadRequest):
        return
