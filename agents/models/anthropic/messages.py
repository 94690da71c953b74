"""Claude models over Anthropic's messages, with the real SDK.

Only `resolve` imports this module, when such a model is asked for: the SDK is slow to load.
"""

from collections.abc import Awaitable
from functools import partial
from typing import Any, Final

import anthropic
import httpx2

from agents.messages import ChatReply, ChatRequest
from agents.models.anthropic.reply import MessageAssembly, reply_from
from agents.models.anthropic.wire import request_fields
from agents.models.endpoint_model import Endpoint, EndpointModel
from agents.models.errors import Sdk
from agents.models.normalize import events, normalize


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
_NOT_IN_SIGNATURE: Final = ("temperature", "top_p")  # the SDK sends them, but has no names for them


class AnthropicMessages(EndpointModel):
    """A Claude model, or another one behind the same protocol; its URL holds no version path.

    Thinking blocks come back as `thoughts`, and go out again where the conversation holds them.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint, SDK)

    def _fields(self, request: ChatRequest) -> dict[str, Any]:
        return request_fields(self._endpoint.target.model, request, self._endpoint.options)

    async def _send(self, fields: dict[str, Any]) -> dict[str, Any]:
        extra = {name: fields[name] for name in _NOT_IN_SIGNATURE if name in fields}
        arguments = {name: fields[name] for name in fields if name not in (*extra, "stream")}
        # Without a timeout in the call the SDK has a mind of its own.
        arguments |= {"extra_body": extra, "timeout": self._client.timeout}
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
