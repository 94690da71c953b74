"""Normalize answers for all adapters: the SDKs do not check what they return."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar, cast

import msgspec

from agents.messages import ChatRequest, Finish, Usage
from agents.models.base import MalformedReply, ReplyTruncated
from agents.models.errors import ErrorInReply, ModelTarget

CHARACTERS_A_TOKEN: Final = 4
_SECRET_CHARACTERS: Final = 16
_MOST_TOKENS: Final = 10**8  # more than any context window holds
_Shape = TypeVar("_Shape")
_QUOTED_BYTES: Final = 60
_BEGINNINGS: Final = (b"{", b"[")


def reply_object(content: bytes, target: ModelTarget) -> dict[str, Any]:
    """The body of an answer as plain data.

    Raises:
        MalformedReply: The endpoint sent no JSON object.
    """
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError):
        if not content.lstrip().startswith(_BEGINNINGS) and content.strip():
            raise ErrorInReply(content) from None
        said = target.quoted(repr(content[:_QUOTED_BYTES]))
        raise MalformedReply(f"{target} sent no answer: {said} is not JSON") from None
    if not isinstance(fields, dict):
        raise MalformedReply(f"{target} answered with a {type(fields).__name__}, not an object")
    return scrub(cast("dict[str, Any]", fields), target)


def scrub(fields: dict[str, Any], target: ModelTarget) -> dict[str, Any]:
    """Fields that a trace may hold.

    What UTF-8 cannot carry (lone surrogates) is replaced, and so is our key, which an endpoint
    may repeat to us. A short key is a placeholder (`ollama`), and replies may well hold the word.
    """
    text = json.dumps(fields, ensure_ascii=False, default=str).encode("utf-8", "replace")
    if len(target.key) >= _SECRET_CHARACTERS:
        text = text.replace(target.key.encode(), b"[key]")
    return msgspec.json.decode(text)


def shaped(fields: dict[str, Any], shape: type[_Shape], complaint: str) -> _Shape:
    """An answer, or a piece of one, in the shape that a protocol gives it.

    Raises:
        MalformedReply: It has another one; the message begins with the complaint.
    """
    try:
        return msgspec.convert(fields, shape)
    except msgspec.ValidationError as error:
        raise MalformedReply(f"{complaint}: {error}") from None


def finish_of(
    reason: str | None, kind: str, finishes: Mapping[str, Finish], target: ModelTarget
) -> Finish:
    """Why a reply ended, in our words.

    Raises:
        ReplyTruncated: It does not say why, or in no word that we know.
    """
    finish = finishes.get(reason or "")
    if finish is None:
        raise ReplyTruncated(
            f"the reply of {target} ended with {kind} {target.quoted(repr(reason))}; "
            f"a whole one ends with {', '.join(finishes)}"
        )
    return finish


def object_or_text(arguments: str, name: str) -> dict[str, Any]:
    """Arguments as an object; those that are none stand in one field, under a name."""
    try:
        return msgspec.json.decode(arguments, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return {name: arguments}


def made_up_ids(ids: Sequence[str | None], request: ChatRequest) -> list[str]:
    """Ids of a reply's tool calls; a missing or repeated one is named after its place."""
    turn = len(request.messages)
    seen: set[str] = set()
    made: list[str] = []
    for position, given in enumerate(ids):
        name = given if given and given not in seen else f"call_{turn}_{position}"
        seen.add(name)
        made.append(name)
    return made


def possible(tokens: int | None) -> int | None:
    """A number of tokens that was told; None where none was, or one that cannot be."""
    return tokens if tokens is not None and 0 <= tokens <= _MOST_TOKENS else None


def estimated_usage(request: ChatRequest, text: str) -> Usage:
    """Tokens by the length of what was said, where an endpoint counts none that can be."""
    sent = sum(len(message.content) for message in request.messages)
    return Usage(sent // CHARACTERS_A_TOKEN, len(text) // CHARACTERS_A_TOKEN)


def usage_of_bytes(request: ChatRequest, size: int) -> Usage:
    """Tokens by the length of what was sent and of what came, where nobody can read it."""
    return estimated_usage(request, " " * size)
