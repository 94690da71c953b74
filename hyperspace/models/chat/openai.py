"""OpenAI and every OpenAI-compatible endpoint, with the real SDK.

Only `resolve` imports this module, when such a model is asked for: the SDK is slow to load.
"""

from collections.abc import Awaitable
from typing import Final

import httpx2
import openai

from hyperspace.models.chat.completions import ChatCompletions
from hyperspace.models.chat.wire import ChatDialect
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import Sdk


def _list_models(client: openai.AsyncOpenAI) -> Awaitable[object]:
    return client.models.list()


SDK: Final = Sdk(
    package=openai,
    transport=httpx2,
    client=openai.AsyncOpenAI,
    connections=httpx2.AsyncClient,
    list_models=_list_models,
    other=openai.APIError,
    version_path="/v1",
)


def openai_chat(endpoint: Endpoint, dialect: ChatDialect) -> ChatCompletions:
    """A model that is asked with the SDK of OpenAI; nothing is connected yet.

    Args:
        endpoint: Who is asked, where; the URL holds the version path.
        dialect: How its chat completions differ.
    """
    return ChatCompletions(endpoint, dialect, SDK, "/chat/completions")
