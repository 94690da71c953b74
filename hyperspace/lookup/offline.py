"""Offline models: policies behind the seam of language models, free and without a network."""

import msgspec

from hyperspace.messages import ChatReply, ChatRequest, Message, Usage
from hyperspace.models.base import BadRequest
from hyperspace.offline.planned import OfflinePolicy

_CHARACTERS_A_TOKEN = 4


class OfflineModel:
    """Answers with a policy. Usage is counted as characters through four; the price is zero."""

    offline = True

    def __init__(self, name: str, policy: OfflinePolicy) -> None:
        self.name = name
        self._policy = policy

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Let the policy answer.

        Raises:
            BadRequest: The policy cannot make sense of the conversation.
        """
        return offline_reply(self._policy, request)

    async def check(self) -> None:
        """Always within reach."""

    async def aclose(self) -> None:
        """Nothing to release."""


def offline_reply(policy: OfflinePolicy, request: ChatRequest) -> ChatReply:
    """A policy's answer with usage, model and price filled in.

    Raises:
        BadRequest: The policy cannot make sense of the conversation.
    """
    try:
        reply = policy.reply(request)
    except Exception as error:  # untrusted code wrote the conversation: it must not end the run
        raise BadRequest(f"{request.model} cannot answer this conversation: {error!r}") from error
    usage = Usage(
        tokens_of(*request.messages), tokens_of(Message("assistant", reply.text, reply.tool_calls))
    )
    return msgspec.structs.replace(reply, usage=usage, model=request.model, cost_usd=0.0)


def tokens_of(*messages: Message) -> int:
    """Tokens of some messages, at least 1."""
    calls = [call for message in messages for call in message.tool_calls]
    characters = sum(len(message.content) for message in messages)
    characters += sum(len(call.name) + len(call.arguments) for call in calls)
    return max(1, characters // _CHARACTERS_A_TOKEN)
