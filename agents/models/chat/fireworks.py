"""Models of Fireworks, with the real SDK.

Only `resolve` imports this module, when such a model is asked for. The SDK's own choice of HTTP
client works on asyncio only, so it gets its other one.
"""

from typing import Final

import fireworks
import httpx

from agents.models.chat.sdk import ChatClient, ChatCompletions
from agents.models.chat.wire import ChatDialect
from agents.models.connections import CHECK_TIMEOUT_S, CONNECT_TIMEOUT_S, Endpoint, client_options
from agents.models.errors import Sdk

_MODELS: Final = "/v1/models"
SDK: Final = Sdk(
    status=(fireworks.APIStatusError,),
    timeout=(fireworks.APITimeoutError, httpx.TimeoutException),
    unconnected=(httpx.ConnectError,),
    broken=(fireworks.APIConnectionError, httpx.TransportError),
    other=(fireworks.APIError,),
)


def fireworks_chat(
    endpoint: Endpoint, dialect: ChatDialect, http_client: httpx.AsyncClient | None = None
) -> ChatCompletions:
    """A model that is asked with the SDK of Fireworks; nothing is connected yet.

    Args:
        endpoint: Who is asked, where; the URL holds no version path.
        dialect: How its chat completions differ.
        http_client: Connections to use; None makes our own.
    """
    timeout = httpx.Timeout(endpoint.options.timeout_s, connect=CONNECT_TIMEOUT_S)
    connections = http_client or fireworks.DefaultAsyncHttpxClient(
        timeout=timeout, **client_options(endpoint)
    )
    client = fireworks.AsyncFireworks(
        api_key=endpoint.target.key,
        base_url=endpoint.target.url,
        max_retries=0,
        timeout=timeout,
        http_client=connections,
    )

    async def list_models() -> None:
        # The SDK's own list is of an account's models and needs the account's name.
        await client.with_options(timeout=CHECK_TIMEOUT_S).get(_MODELS, cast_to=object)

    return ChatCompletions(endpoint, dialect, ChatClient(client, SDK, list_models))
