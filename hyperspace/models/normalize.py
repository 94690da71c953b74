"""Normalize answers for all adapters: the SDKs do not check what they return."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar, cast

import msgspec

from guards.parsing import decode_json
from hyperspace.messages import ChatRequest, Finish, Usage
from hyperspace.models.base import MalformedReply, ReplyTruncated
from hyperspace.models.errors import ErrorInReply, ModelTarget
from hyperspace.models.target import masked

CHARACTERS_A_TOKEN: Final = 4
_SECRET_CHARACTERS: Final = 16
_MOST_TOKENS: Final = 10**8  # more than any context window holds
_Shape = TypeVar("_Shape")
_QUOTED_BYTES: Final = 60
_LONGEST_NUMBER: Final = 18  # digits
_BEGINNINGS: Final = (b"{", b"[", b"\xef\xbb\xbf{")
_COMMENTS: Final = re.compile(rb"\A\s*(?:(?://[^\n]*\n|#[^\n]*\n|/\*.{0,2000}?\*/)\s*)+", re.DOTALL)
_LENGTH: Final = (
    "length max_tokens max_token max_length max_output_tokens max_new_tokens max_completion_tokens "
    "model_length token_limit limit context_length model_context_window_exceeded length_limit"
)
_TOOLS: Final = "tool_calls tool_call tool_use function_call function_calls tool tools"
_REFUSAL: Final = (
    "content_filter content_filtered refusal refused safety recitation blocklist spii sensitive "
    "prohibited_content moderation guardrail guardrail_intervened blocked"
)
_FINISHES: Final[dict[str, Finish]] = {
    **dict.fromkeys(_LENGTH.split(), "length"),
    **dict.fromkeys(_TOOLS.split(), "tool_calls"),
    **dict.fromkeys(_REFUSAL.split(), "refusal"),
}
"""Why a reply ended, where it is not just over."""
_BROKEN: Final = re.compile(
    r"error|abort|cancel|fail|time_?d?_?out|interrupt|incomplete|half|partial|cut|truncat|unfinished"
    r"|insufficient|malformed|network|pause|disconnect|crash|overload"
)


def reply_object(content: bytes, target: ModelTarget) -> dict[str, Any]:
    """The body of an answer as plain data.

    Raises:
        MalformedReply: The endpoint sent no JSON object.
    """
    try:
        fields = lenient_json(_COMMENTS.sub(b"", content))
        if isinstance(fields, dict):
            return scrub(cast("dict[str, Any]", fields), target)
    except (ValueError, RecursionError):
        if not content.lstrip().startswith(_BEGINNINGS) and content.strip():
            raise ErrorInReply(content) from None
        said = target.quoted(repr(content[:_QUOTED_BYTES]))
        raise MalformedReply(f"{target} sent no answer: {said} is not JSON") from None
    raise MalformedReply(f"{target} answered with a {type(fields).__name__}, not an object")


def lenient_json(content: bytes) -> object:
    """JSON as servers write it: with a byte order mark, NaN, numbers of any size.

    Numbers that are none, or that nobody counts to, are None.

    Raises:
        ValueError: It is no JSON.
        RecursionError: It is nested beyond sense.
    """
    return json.loads(content, parse_constant=_nothing, parse_int=_number, parse_float=_number)


def _nothing(_constant: str) -> None:
    return None


def _number(text: str) -> float | None:
    is_whole = not set(text) & set(".eE")
    if is_whole:
        return int(text) if len(text) <= _LONGEST_NUMBER else None
    number = float(text)
    return number if math.isfinite(number) else None


def scrub(fields: dict[str, Any], target: ModelTarget) -> dict[str, Any]:
    """Fields that a trace may hold.

    What UTF-8 cannot carry (lone surrogates) is replaced, and so is our key, which an endpoint
    may repeat to us. A short key is a placeholder (`ollama`), and replies may well hold the word.
    """
    text = json.dumps(fields, ensure_ascii=False, default=str)
    if len(target.key) >= _SECRET_CHARACTERS:
        text = masked(text, target.key)
    return msgspec.json.decode(text.encode("utf-8", "replace"))


def shaped(fields: dict[str, Any], shape: type[_Shape], complaint: str) -> _Shape:
    """An answer, or a piece of one, in the shape that a protocol gives it.

    Raises:
        MalformedReply: It has another one; the message begins with the complaint.
    """
    try:
        return msgspec.convert(fields, shape)
    except msgspec.ValidationError as error:
        raise MalformedReply(f"{complaint}: {error}") from None


def finish_of(reason: object, kind: str, target: ModelTarget) -> Finish:
    """Why a reply ended, in our words.

    A server that gives a reason says that the reply has ended; which word it uses decides nothing.

    Raises:
        ReplyTruncated: It does not say why, or with a word for what went wrong.
    """
    word = re.sub(r"[^a-z]+", "_", str(reason or "").lower()).strip("_")
    word = re.sub(r"^(finish_?reason|stop_?reason)_", "", word)
    if (isinstance(reason, str) and not word) or reason is None or _BROKEN.search(word):
        raise ReplyTruncated(
            f"the reply of {target} ended with {kind} {target.quoted(repr(reason))}; "
            "a whole one ends with stop, length or tool_calls"
        )
    return _FINISHES.get(word, "stop")


def object_or_text(arguments: str, name: str) -> dict[str, Any]:
    """Arguments as an object; those that are none stand in one field, under a name."""
    try:
        return decode_json(arguments, dict[str, Any])
    except msgspec.DecodeError:
        return {name: arguments}


def made_up_ids(ids: Sequence[str | float | None], request: ChatRequest) -> list[str]:
    """Ids of a reply's tool calls; a missing or repeated one is named after its place.

    Some servers begin to count anew with each reply, so ids of the conversation count as well.
    """
    turn = len(request.messages)
    seen = {call.id for message in request.messages for call in message.tool_calls}
    made: list[str] = []
    for position, given in enumerate(ids):
        name = "" if given is None else str(given)
        name = name if name and name not in seen else f"call_{turn}_{position}"
        seen.add(name)
        made.append(name)
    return made


def counts(value: object) -> Mapping[str, object]:
    """A mapping of counts; empty for what is none."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def possible(tokens: object) -> int | None:
    """A number of tokens that was told; None where none was, or one that cannot be."""
    if isinstance(tokens, str) and tokens.strip().isascii() and tokens.strip().isdigit():
        tokens = int(tokens.strip()[:_LONGEST_NUMBER])
    if isinstance(tokens, float) and tokens.is_integer():
        tokens = int(tokens)
    if not isinstance(tokens, int) or isinstance(tokens, bool):
        return None
    return tokens if 0 <= tokens <= _MOST_TOKENS else None


def estimated_usage(request: ChatRequest, text: str) -> Usage:
    """Tokens by the length of what was said, where an endpoint counts none that can be."""
    sent = sum(len(message.content) for message in request.messages)
    return Usage(sent // CHARACTERS_A_TOKEN, len(text) // CHARACTERS_A_TOKEN)


def usage_of_bytes(request: ChatRequest, size: int) -> Usage:
    """Tokens by the length of what was sent and of what came, where nobody can read it."""
    return estimated_usage(request, " " * size)
