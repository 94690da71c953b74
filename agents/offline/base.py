"""The policy of an offline model: a pure function from request to reply."""

from typing import Protocol

from agents.messages import ChatReply, ChatRequest


class OfflinePolicy(Protocol):
    """A small search policy that answers like a language model.

    Contract: `reply` is pure. It knows only what the request says (messages, tools, seed), keeps
    nothing between calls and draws randomness from the request's seed and text alone, so equal
    requests give equal replies. It raises nothing for odd conversations: a policy that is at a
    loss answers with text. It may be called from several threads.
    """

    def reply(self, request: ChatRequest) -> ChatReply:
        """Answer one request. Usage and cost may be left empty; `OfflineModel` fills them."""
        ...
