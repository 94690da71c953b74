"""Claude models over Anthropic's messages, with the real SDK.

Only `resolve` imports this module, when such a model is asked for: the SDK is slow to load.
"""

from typing import Any, Final

import anthropic
import httpx2

from agents.messages import ChatReply, ChatRequest
from agents.models.anthropic.reply import reply_from
from agents.models.anthropic.stream import MessageAssembly
from agents.models.anthropic.wire import request_fields
from agents.models.connections import CHECK_TIMEOUT_S, CONNECT_TIMEOUT_S, Endpoint, client_options
from agents.models.endpoint_model import EndpointModel
from agents.models.errors import Sdk
from agents.models.normalize import normalize
from agents.models.server_events import events

SDK: Final = Sdk(
    status=(anthropic.APIStatusError,),
    timeout=(anthropic.APITimeoutError, httpx2.TimeoutException),
    unconnected=(httpx2.ConnectError,),
    broken=(anthropic.APIConnectionError, httpx2.TransportError),
    other=(anthropic.AnthropicError,),
)
_NOT_IN_SIGNATURE: Final = ("temperature", "top_p")  # the SDK sends them, but has no names for them


class AnthropicMessages(EndpointModel):
    """A Claude model, or another one behind the same protocol.

    Thinking blocks come back as `thoughts`, and go out again where the conversation holds them.
    """

    def __init__(self, endpoint: Endpoint, http_client: httpx2.AsyncClient | None = None) -> None:
        """Prepare a client; nothing is connected yet.

        Args:
            endpoint: Who is asked, where; the URL holds no version path.
            http_client: Connections to use; None makes our own.
        """
        super().__init__(endpoint, SDK)
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

    async def aclose(self) -> None:
        """Close the connections; safe to call twice."""
        await self._client.close()

    def _fields(self, request: ChatRequest) -> dict[str, Any]:
        return request_fields(self._endpoint.target.model, request, self._endpoint.options)

    async def _send(self, fields: dict[str, Any]) -> dict[str, Any]:
        extra = {name: fields[name] for name in _NOT_IN_SIGNATURE if name in fields}
        arguments = {name: fields[name] for name in fields if name not in (*extra, "stream")}
        arguments |= {"extra_body": extra, "timeout": self._timeout}
        messages, target = self._client.messages, self._endpoint.target
        if not fields["stream"]:
            return normalize(await messages.create(**arguments), target)
        assembly = MessageAssembly(target)
        create = messages.with_streaming_response.create
        for event in await events(create(**arguments, stream=True), target):
            assembly.take(event)
        return assembly.message()

    def _reply(self, answer: dict[str, Any], request: ChatRequest) -> ChatReply:
        return reply_from(answer, request, self._endpoint.target)

    async def _list_models(self) -> object:
        return await self._client.with_options(timeout=CHECK_TIMEOUT_S).models.list(limit=1)
