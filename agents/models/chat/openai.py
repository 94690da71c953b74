"""OpenAI and every OpenAI-compatible endpoint, with the real SDK.

Only `resolve` imports this module, when such a model is asked for: the SDK is slow to load.
"""

from typing import Final

import httpx2
import openai

from agents.models.chat.sdk import ChatClient, ChatCompletions
from agents.models.chat.wire import ChatDialect
from agents.models.connections import CHECK_TIMEOUT_S, CONNECT_TIMEOUT_S, Endpoint, client_options
from agents.models.errors import Sdk

SDK: Final = Sdk(
    status=(openai.APIStatusError,),
    timeout=(openai.APITimeoutError, httpx2.TimeoutException),
    unconnected=(httpx2.ConnectError,),
    broken=(openai.APIConnectionError, httpx2.TransportError),
    other=(openai.APIError,),
)


def openai_chat(
    endpoint: Endpoint, dialect: ChatDialect, http_client: httpx2.AsyncClient | None = None
) -> ChatCompletions:
    """A model that is asked with the SDK of OpenAI; nothing is connected yet.

    Args:
        endpoint: Who is asked, where; the URL holds the version path.
        dialect: How its chat completions differ.
        http_client: Connections to use; None makes our own.
    """
    timeout = httpx2.Timeout(endpoint.options.timeout_s, connect=CONNECT_TIMEOUT_S)
    client = openai.AsyncOpenAI(
        api_key=endpoint.target.key,
        base_url=endpoint.target.url,
        max_retries=0,
        timeout=timeout,
        http_client=http_client or httpx2.AsyncClient(timeout=timeout, **client_options(endpoint)),
    )

    async def list_models() -> None:
        await client.with_options(timeout=CHECK_TIMEOUT_S).models.list()

    return ChatCompletions(endpoint, dialect, ChatClient(client, SDK, list_models))
