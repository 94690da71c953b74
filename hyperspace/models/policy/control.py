"""Whose fault a refusal is: the server is asked something that no code in a sandbox has shaped."""

from typing import Final

from hyperspace.messages import ChatReply, ChatRequest, Message
from hyperspace.models.base import BadRequest, Model, ServerRefuses, Wrapper

QUESTION: Final = "Reply with the single word: ok"
_REPLY_TOKENS: Final = 64
REFUSALS_BEFORE_ANOTHER: Final = 100


class Controlled(Wrapper):
    """Tells a request that is refused from a server that refuses whatever it is asked.

    After a refusal without a cause that we know, the same fields go out with a question of ours. If
    that is refused too, no candidate is to blame. A server that answered it is believed for the
    next refusals.
    """

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._believed = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request.

        Raises:
            ServerRefuses: The server refuses a plain question as well.
            ModelError: See the tree in `hyperspace.models.base`.
        """
        try:
            return await self._model.complete(request)
        except BadRequest as error:
            if type(error) is not BadRequest:
                raise
            await self._ask_control(request, error)
            raise

    async def _ask_control(self, request: ChatRequest, error: BadRequest) -> None:
        if self._believed > 0:
            self._believed -= 1
            return
        control = ChatRequest(
            request.model,
            (Message("user", QUESTION),),
            temperature=request.temperature,
            seed=request.seed,
            max_tokens=_REPLY_TOKENS,
        )
        try:
            await self._model.complete(control)
        except BadRequest:
            text = "a plain question of ours is refused as well, so no candidate is to blame"
            raise ServerRefuses(f"{error}; {text}") from error
        self._believed = REFUSALS_BEFORE_ANOTHER
