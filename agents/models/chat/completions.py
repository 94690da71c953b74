"""Chat completions with the client of a real SDK, whichever it is."""

from typing import Any, Final

from agents.messages import ChatReply, ChatRequest
from agents.models.chat.reply import CompletionAssembly, reply_from
from agents.models.chat.wire import ChatDialect, request_fields
from agents.models.endpoint_model import Endpoint, EndpointModel
from agents.models.errors import Sdk
from agents.models.normalize import events, reply_object

_AS_THEY_STAND: Final = ("messages", "tools", "stream_options")


class ChatCompletions(EndpointModel):
    """A model behind a chat-completions endpoint."""

    def __init__(self, endpoint: Endpoint, dialect: ChatDialect, sdk: Sdk, path: str) -> None:
        """Prepare a client.

        Args:
            endpoint: Who is asked, where.
            dialect: How its chat completions differ.
            sdk: Whose client asks.
            path: Of chat completions below the endpoint's URL.
        """
        super().__init__(endpoint, sdk)
        self._dialect = dialect
        self._path = path

    def _fields(self, request: ChatRequest) -> dict[str, Any]:
        target, options = self._endpoint.target, self._endpoint.options
        return request_fields(target.model, request, options, self._dialect)

    async def _send(self, fields: dict[str, Any]) -> dict[str, Any]:
        target = self._endpoint.target
        if not fields["stream"]:
            # Without the SDK's own form of requests and replies: it copies conversation and tools
            # value by value, and makes records of a reply that are plain data again here.
            response = self._sdk.transport.Response
            answer = await self._client.post(self._path, cast_to=response, body=fields)
            return reply_object(answer.content, target)
        # The SDK of Fireworks knows no stream_options. Both send what they are told.
        extra = {name: fields[name] for name in _AS_THEY_STAND if name in fields}
        arguments = {name: fields[name] for name in fields if name not in extra}
        arguments |= {"messages": [], "extra_body": extra}
        assembly = CompletionAssembly(target)
        create = self._client.chat.completions.with_streaming_response.create
        for chunk in await events(create(**arguments), target):
            assembly.take(chunk)
        return assembly.completion()

    def _reply(self, answer: dict[str, Any], request: ChatRequest) -> ChatReply:
        return reply_from(answer, request, self._endpoint.target)
