"""OpenAI and every OpenAI-compatible endpoint, over chat completions with the real SDK.

Only `resolve` imports this module, when such a model is asked for: the SDK is slow to load.
"""

import json
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import msgspec
import openai
from openai.types.chat import ChatCompletion

from agents.messages import ChatReply, ChatRequest
from agents.models.base import ProviderDown
from agents.models.openai_errors import translated
from agents.models.openai_wire import reply_from, request_fields

TIMEOUT_S: Final = 600.0
CHECK_TIMEOUT_S: Final = 10.0


class OpenAIChat:
    """A model behind a chat-completions endpoint.

    One attempt a call: retries are `Retrying`'s. The key is sent to the endpoint and goes nowhere
    else; it is cut out of what the endpoint says.
    """

    offline = False

    def __init__(
        self,
        name: str,
        model: str,
        url: str,
        key: str,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        """Prepare a client; nothing is connected yet.

        Args:
            name: The model as the person wrote it.
            model: What the endpoint knows it by.
            url: Base URL, with the version path.
            key: API key; endpoints without keys take any text.
            http_client: Connections to use; None makes our own.
        """
        self.name = name
        self._model = model
        self._url = url
        self._key = key
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=url,
            max_retries=0,
            timeout=TIMEOUT_S,
            http_client=http_client or _http_client(url),
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once.

        Raises:
            ModelError: See the tree in `agents.models.base`.
        """
        with translated(self._model, self._url, self._key):
            completion = await self._client.chat.completions.create(
                **request_fields(self._model, request), stream=False
            )
        return reply_from(_plain(completion), request)

    async def check(self) -> None:
        """List the endpoint's models, to see that it answers.

        Raises:
            ProviderDown: Nothing answers there.
            AuthFailed: The key was refused.
        """
        with translated(self._model, self._url, self._key):
            try:
                await self._client.with_options(timeout=CHECK_TIMEOUT_S).models.list()
            except (openai.NotFoundError, openai.BadRequestError):
                return  # it answers, it only has no such list

    async def aclose(self) -> None:
        """Close the connections; safe to call twice."""
        await self._client.close()


def _http_client(url: str) -> httpx2.AsyncClient:
    """Connections that use the environment's proxies, but never to reach this machine."""
    local = urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
    return httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=not local, follow_redirects=True)


def _plain(completion: ChatCompletion) -> dict[str, Any]:
    """The answer as plain data: the SDK does not check it, so we do."""
    if not isinstance(completion, ChatCompletion):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ProviderDown(f"the endpoint answered with {type(completion).__name__}, not JSON")
    fields = completion.model_dump(mode="python", warnings=False)
    # What UTF-8 cannot carry (lone surrogates) is replaced: traces and sandboxes cannot hold it.
    text = json.dumps(fields, ensure_ascii=False, default=str).encode("utf-8", "replace")
    return msgspec.json.decode(text)
