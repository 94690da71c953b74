"""Requests and answers in the one form that all wires share."""

from typing import Literal, NamedTuple

from hyperspace.messages import ChatReply, ChatRequest, Finish, Usage

Thinking = Literal["hidden", "own", "always"]
Caching = Literal["none", "automatic", "written"]


class ParsedRequest(NamedTuple):
    """A request, read from its wire.

    Attributes:
        chat: What decides the answer.
        stream: Whether the answer is wanted piece by piece.
        stream_usage: Whether a stream ends with its usage.
        thinking: `hidden` shows no reasoning, `own` what the policy has, `always` a sentence where
            the policy has none.
        caching: `automatic` reports reads of the prompt cache, `written` also writes.
        one_call: Whether at most one tool may be called.
    """

    chat: ChatRequest
    stream: bool = False
    stream_usage: bool = False
    thinking: Thinking = "own"
    caching: Caching = "automatic"
    one_call: bool = False


class Answer(NamedTuple):
    """A reply, ready to be put on a wire.

    Attributes:
        request: The request that it answers.
        reply: The policy's reply.
        usage: The tokens that it took.
        digest: Hex that names the request; ids are made from it.
        finish: Why the policy stopped; None leaves the reason, and the end of a stream, out.
        null_ids: Whether ids are null.
        empty: Whether the reply is left out.
    """

    request: ParsedRequest
    reply: ChatReply
    usage: Usage
    digest: str
    finish: Finish | None
    null_ids: bool = False
    empty: bool = False
