"""Models over OpenAI's responses, with the real SDK.

Only `resolve` imports this module, when such a model is asked for: the SDK is slow to load.
"""

from typing import Any

from msgspec.structs import replace

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.base import BadRequest, SealRefused
from hyperspace.models.chat.openai import SDK
from hyperspace.models.endpoint_model import Endpoint, EndpointModel
from hyperspace.models.responses.assembly import ResponseAssembly
from hyperspace.models.responses.reply import reply_from
from hyperspace.models.responses.wire import request_fields


class OpenAIResponses(EndpointModel):
    """A model behind an endpoint of responses; its URL holds the version path.

    Each request holds the whole conversation, and nothing is stored: a replayed or resumed run
    finds no other server than the one that it left. Reasoning comes back sealed, as `thoughts`.
    Where the provider cannot read it any more (another account or machine, or code that has
    changed it), the conversation goes on without.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint, SDK, "/responses")

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask as other endpoints are asked, and once without reasoning that cannot be read.

        Raises:
            ModelError: See the tree in `hyperspace.models.base`.
        """
        try:
            return await super().complete(request)
        except SealRefused as error:
            if not any(message.thoughts for message in request.messages):
                raise BadRequest(str(error)) from None
        return await super().complete(_without_thoughts(request))

    def _fields(self, request: ChatRequest) -> dict[str, Any]:
        return request_fields(self._endpoint.target.model, request, self._endpoint.options)

    def _assembly(self) -> ResponseAssembly:
        return ResponseAssembly(self._endpoint.target)

    def _reply(self, answer: dict[str, Any], request: ChatRequest) -> ChatReply:
        return reply_from(answer, request, self._endpoint.target)


def _without_thoughts(request: ChatRequest) -> ChatRequest:
    return replace(
        request, messages=tuple(replace(message, thoughts=()) for message in request.messages)
    )
