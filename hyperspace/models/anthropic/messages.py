"""Claude models over Anthropic's messages, with the real SDK.

Only `resolve` imports this module, when such a model is asked for: the SDK is slow to load.
"""

from collections.abc import Awaitable
from functools import partial
from typing import Any, Final

import anthropic
import httpx2

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.anthropic.reply import MessageAssembly, reply_from
from hyperspace.models.anthropic.wire import request_fields
from hyperspace.models.endpoint_model import Endpoint, EndpointModel
from hyperspace.models.errors import Sdk


def _list_models(client: anthropic.AsyncAnthropic) -> Awaitable[object]:
    return client.models.list(limit=1)


SDK: Final = Sdk(
    package=anthropic,
    transport=httpx2,
    client=partial(anthropic.AsyncAnthropic, open_telemetry=False),
    connections=httpx2.AsyncClient,
    list_models=_list_models,
    other=anthropic.AnthropicError,
)


class AnthropicMessages(EndpointModel):
    """A Claude model, or another one behind the same protocol; its URL holds no version path.

    Thinking blocks come back as `thoughts`, and go out again where the conversation holds them.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint, SDK, "/v1/messages")

    def _fields(self, request: ChatRequest) -> dict[str, Any]:
        return request_fields(self._endpoint.target.model, request, self._endpoint.options)

    def _assembly(self) -> MessageAssembly:
        return MessageAssembly(self._endpoint.target)

    def _reply(self, answer: dict[str, Any], request: ChatRequest) -> ChatReply:
        return reply_from(answer, request, self._endpoint.target)
