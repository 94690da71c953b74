"""Models of Fireworks, with the real SDK.

Only `resolve` imports this module, when such a model is asked for. The SDK's own choice of HTTP
client works on asyncio only, so it gets its other one.
"""

from collections.abc import Awaitable
from typing import Final

import fireworks
import httpx

from hyperspace.models.chat.completions import ChatCompletions
from hyperspace.models.chat.wire import ChatDialect
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import Sdk


def _list_models(client: fireworks.AsyncFireworks) -> Awaitable[object]:
    # The SDK's own list is of an account's models and needs the account's name.
    return client.get("/v1/models", cast_to=object)


SDK: Final = Sdk(
    package=fireworks,
    transport=httpx,
    client=fireworks.AsyncFireworks,
    connections=fireworks.DefaultAsyncHttpxClient,
    list_models=_list_models,
    other=fireworks.APIError,
)


def fireworks_chat(endpoint: Endpoint, dialect: ChatDialect) -> ChatCompletions:
    """A model that is asked with the SDK of Fireworks; nothing is connected yet.

    Args:
        endpoint: Who is asked, where; the URL holds no version path.
        dialect: How its chat completions differ.
    """
    return ChatCompletions(endpoint, dialect, SDK, "/v1/chat/completions")
