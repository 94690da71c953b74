"""Claude models over Anthropic's messages, with the real SDK.

Only `resolve` imports this module, when such a model is asked for: the SDK is slow to load.
"""

from functools import partial
from typing import Any, Final

import anthropic
import httpx2

from agents.messages import ChatReply, ChatRequest
from agents.models.anthropic.reply import reply_from
from agents.models.anthropic.stream import MessageAssembly
from agents.models.anthropic.wire import request_fields
from agents.models.chat.sdk import reachable
from agents.models.connections import CHECK_TIMEOUT_S, CONNECT_TIMEOUT_S, Endpoint, client_options
from agents.models.errors import Sdk, translated
from agents.models.normalize import normalize
from agents.models.optional_fields import OptionalFields
from agents.models.server_events import events

SDK: Final = Sdk(
    status=(anthropic.APIStatusError,),
    timeout=(anthropic.APITimeoutError, httpx2.TimeoutException),
    unconnected=(httpx2.ConnectError,),
    broken=(anthropic.APIConnectionError, httpx2.TransportError),
    other=(anthropic.AnthropicError,),
)
_NOT_IN_SIGNATURE: Final = ("temperature", "top_p")  # the SDK sends them, but has no names for them


class AnthropicMessages:
    """A Claude model, or another one behind the same protocol.

    One attempt a call: retries are the policy's. Thinking blocks come back as `thoughts`, and go
    out again where the conversation holds them.
    """

    offline = False

    def __init__(self, endpoint: Endpoint, http_client: httpx2.AsyncClient | None = None) -> None:
        """Prepare a client; nothing is connected yet.

        Args:
            endpoint: Who is asked, where; the URL holds no version path.
            http_client: Connections to use; None makes our own.
        """
        self.name = endpoint.name
        self._endpoint = endpoint
        self._optional = OptionalFields(endpoint.options)
        timeout = httpx2.Timeout(endpoint.options.timeout_s, connect=CONNECT_TIMEOUT_S)
        self._timeout = timeout  # given with each call: without it the SDK has a mind of its own
        self._client = anthropic.AsyncAnthropic(
            api_key=endpoint.target.key,
            base_url=endpoint.target.url,
            max_retries=0,
            timeout=timeout,
            http_client=http_client
            or httpx2.AsyncClient(timeout=timeout, **client_options(endpoint)),
            open_telemetry=False,
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once.

        Raises:
            ModelError: See the tree in `agents.models.base`.
        """
        options = self._endpoint.options
        fields = request_fields(self._endpoint.target.model, request, options)
        return await self._optional.ask(fields, partial(self._ask, request))

    async def check(self) -> None:
        """List the endpoint's models, to see that it answers.

        Raises:
            ProviderDown: Nothing answers there.
            AuthFailed: The key was refused.
        """
        client = self._client.with_options(timeout=CHECK_TIMEOUT_S)
        await reachable(self._endpoint, SDK, partial(_first_models, client))

    async def aclose(self) -> None:
        """Close the connections; safe to call twice."""
        await self._client.close()

    async def _ask(self, request: ChatRequest, fields: dict[str, Any]) -> ChatReply:
        extra = {name: fields[name] for name in _NOT_IN_SIGNATURE if name in fields}
        known = {name: fields[name] for name in fields if name not in (*extra, "stream")}
        with translated(self._endpoint.target, SDK):
            ask = self._streamed if fields["stream"] else self._whole
            answer = await ask({**known, "extra_body": extra, "timeout": self._timeout})
        return reply_from(answer, request, self._endpoint.target)

    async def _whole(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return normalize(await self._client.messages.create(**arguments), self._endpoint.target)

    async def _streamed(self, arguments: dict[str, Any]) -> dict[str, Any]:
        assembly = MessageAssembly(self._endpoint.target)
        create = self._client.messages.with_streaming_response.create
        for event in await events(create(**arguments, stream=True), self._endpoint.target):
            assembly.take(event)
        return assembly.message()


async def _first_models(client: anthropic.AsyncAnthropic) -> None:
    await client.models.list(limit=1)
