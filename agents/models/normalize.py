"""Normalize answers for all adapters: the SDKs do not check what they return."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from agents.messages import ChatRequest, Finish, Usage
from agents.models.base import MalformedReply, ReplyTruncated
from agents.models.errors import ModelTarget

_CHARACTERS_A_TOKEN: Final = 4
_SECRET_CHARACTERS: Final = 16
_Shape = TypeVar("_Shape")


def normalize(answer: Any, target: ModelTarget) -> dict[str, Any]:
    """An SDK's answer as plain data.

    Raises:
        MalformedReply: The endpoint sent no JSON object.
    """
    if not hasattr(answer, "model_dump"):
        raise MalformedReply(f"the endpoint answered with {type(answer).__name__}, not JSON")
    return scrub(answer.model_dump(mode="python", warnings=False), target)


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


def estimated_usage(request: ChatRequest, text: str) -> Usage:
    """Tokens by the length of what was said, for endpoints that do not count."""
    sent = sum(len(message.content) for message in request.messages)
    return Usage(sent // _CHARACTERS_A_TOKEN, len(text) // _CHARACTERS_A_TOKEN)
