"""Tokens: counted by the function that counts for offline models, so equal requests cost the same.

The prompt cache is a function of the request alone, or else two clients would disturb each
other's counts: what the previous turn of a conversation sent counts as cached.
"""

from collections.abc import Sequence

import msgspec

from hyperspace.lookup.offline import tokens_of
from hyperspace.messages import ChatReply, Message, Usage
from hyperspace.serve.exchange import ParsedRequest

_THOUGHT = "I have read the conversation and answer its last message."


def prompt_tokens(messages: Sequence[Message]) -> int:
    """Count what sending these messages takes; at least 1, and 0 for none."""
    return tokens_of(*messages) if messages else 0


def count(request: ParsedRequest, reply: ChatReply) -> Usage:
    """Count what a shaped reply takes."""
    messages = request.chat.messages
    prompt = prompt_tokens(messages)
    cached = 0 if request.caching == "none" else prompt_tokens(_sent_before(messages))
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=_completion_tokens(reply),
        cached_tokens=cached,
        cache_write_tokens=prompt - cached if request.caching == "written" else 0,
        reasoning_tokens=_text_tokens(reply.thinking),
    )


def shaped(request: ParsedRequest, reply: ChatReply) -> ChatReply:
    """Fit a policy's reply to the request: its reasoning shown or not, its length bounded."""
    calls = reply.tool_calls[:1] if request.one_call else reply.tool_calls
    thinking = "" if request.thinking == "hidden" else reply.thinking
    if request.thinking == "always":
        thinking = thinking or _THOUGHT
    seen = msgspec.structs.replace(reply, thinking=thinking, tool_calls=calls)
    return _bounded(seen, request.chat.max_tokens)


def _bounded(reply: ChatReply, limit_tokens: int | None) -> ChatReply:
    """Leave out what passes the limit: whole tool calls first, then the end of the text."""
    if limit_tokens is None or _completion_tokens(reply) <= limit_tokens:
        return reply
    reply = msgspec.structs.replace(reply, finish="length")
    while reply.tool_calls and _completion_tokens(reply) > limit_tokens:
        reply = msgspec.structs.replace(reply, tool_calls=reply.tool_calls[:-1])
    thinking = _cut(reply.thinking, limit_tokens - 1)  # even an empty text counts as one token
    room = limit_tokens - _text_tokens(thinking)
    return msgspec.structs.replace(reply, thinking=thinking, text=_cut(reply.text, room))


def _cut(text: str, limit_tokens: int) -> str:
    tokens = _text_tokens(text)
    return text if tokens <= limit_tokens else text[: len(text) * limit_tokens // tokens]


def _text_tokens(text: str) -> int:
    return prompt_tokens([Message("assistant", text)]) if text else 0


def _completion_tokens(reply: ChatReply) -> int:
    said = prompt_tokens([Message("assistant", reply.text, reply.tool_calls)])
    return said + _text_tokens(reply.thinking)


def _sent_before(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages that the previous turn sent: everything before the last answer."""
    for end in range(len(messages) - 1, -1, -1):
        if messages[end].role == "assistant":
            return messages[:end]
    return ()
