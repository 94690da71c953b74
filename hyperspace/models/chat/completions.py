"""Chat completions with the client of a real SDK, whichever it is."""

from typing import Any

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.chat.reply import CompletionAssembly, reply_from
from hyperspace.models.chat.wire import ChatDialect, request_fields
from hyperspace.models.endpoint_model import Endpoint, EndpointModel
from hyperspace.models.errors import Sdk


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
        super().__init__(endpoint, sdk, path)
        self._dialect = dialect

    def _fields(self, request: ChatRequest) -> dict[str, Any]:
        target, options = self._endpoint.target, self._endpoint.options
        return request_fields(target.model, request, options, self._dialect)

    def _assembly(self) -> CompletionAssembly:
        return CompletionAssembly(self._endpoint.target)

    def _reply(self, answer: dict[str, Any], request: ChatRequest) -> ChatReply:
        return reply_from(answer, request, self._endpoint.target)
