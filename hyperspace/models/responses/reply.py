"""OpenAI's responses on the wire: a checked reply back. `assembly` puts a streamed one together."""

import re
from typing import Any, Final

import msgspec

from hyperspace.messages import ChatReply, ChatRequest, Finish, ReasoningBlock, ToolCall, Usage
from hyperspace.models.base import MalformedReply, ReplyTruncated
from hyperspace.models.error_body import read_error, tells_of_error
from hyperspace.models.errors import ErrorInReply, ModelTarget
from hyperspace.models.normalize import (
    counts,
    estimated_usage,
    finish_of,
    made_up_ids,
    possible,
    shaped,
)
from hyperspace.models.responses.wire import Seal

_UNDER_WAY: Final = re.compile(r"in[_ -]?progress|queue|pending|running|incomplete", re.IGNORECASE)
_READ: Final = ("message", "function_call", "reasoning")
_CHAT: Final = "; that is a chat completion: take openai-responses: out of the model's name"


class _Part(msgspec.Struct):
    text: str | None = None
    refusal: str | None = None


class _Item(msgspec.Struct):
    type: str = "message"
    id: Any = None
    status: Any = None
    content: list[_Part] | str | None = None
    phase: Any = None
    summary: list[_Part] | str | None = None
    encrypted_content: Any = None
    call_id: str | int | float | None = None
    name: str | None = None
    arguments: str | dict[str, Any] | None = None

    @property
    def is_cut(self) -> bool:
        """True if the item says that it has not come to its end."""
        return isinstance(self.status, str) and bool(_UNDER_WAY.search(self.status))


class _Response(msgspec.Struct):
    output: list[dict[str, Any]] | None = None
    status: Any = None
    incomplete_details: Any = None
    error: Any = None
    model: Any = None
    usage: Any = None


class _Call(msgspec.Struct, frozen=True):
    """A call, and where its item stands in the output."""

    call: ToolCall
    place: int


def reply_from(answer: dict[str, Any], request: ChatRequest, target: ModelTarget) -> ChatReply:
    """Check an answer and take our reply from it.

    Raises:
        ReplyTruncated: It does not say that it has come to its end.
        MalformedReply: The answer has another shape than responses have.
        ModelError: The answer is an error in the shape of a success.
    """
    response = shaped(answer, _Response, f"{target} answered with no response")
    if tells_of_error(response.error):
        raise ErrorInReply({"error": response.error})
    if response.output is None and "choices" not in answer and read_error(answer).said:
        raise ErrorInReply(answer)
    if response.output is None:
        advice = _CHAT if "choices" in answer else ""
        raise MalformedReply(f"{target} answered with no response: it has no output{advice}")
    items = _items(response.output, target)
    finish = _finish(response, target)
    calls = _tool_calls(items, finish, request, target)
    text, refusal = _text(items), _refusal(items)
    return ChatReply(
        text=text or refusal,
        tool_calls=tuple(each.call for each in calls),
        finish=_finish_with(finish, is_refused=bool(refusal), has_calls=bool(calls)),
        thinking="\n".join(filter(None, map(_reasoning, items))),
        usage=_usage(response.usage, request, text),
        model=response.model if isinstance(response.model, str) else "",
        thoughts=_thoughts(items, calls) if calls else (),
    )


def _items(output: list[dict[str, Any]], target: ModelTarget) -> list[_Item]:
    """The items that are read here; calls of tools that a provider runs by itself are not."""
    complaint = f"{target} answered with an output item that is none"
    for item in output:
        if not isinstance(item.get("type"), str) and "role" not in item:
            raise MalformedReply(f"{complaint}: it has no type")
    return [
        shaped(item, _Item, complaint) for item in output if item.get("type", "message") in _READ
    ]


def _finish(response: _Response, target: ModelTarget) -> Finish:
    """Why a response ended.

    Raises:
        ReplyTruncated: It has not, or does not say so.
    """
    status = response.status
    word = status.strip().lower() if isinstance(status, str) else status
    if word == "incomplete":
        reason = counts(response.incomplete_details).get("reason")
        finish = finish_of(reason, "an incomplete reply, reason", target)
        return "length" if finish == "stop" else finish
    if isinstance(word, str) and _UNDER_WAY.search(word):
        raise ReplyTruncated(f"{target} sent a reply that goes on (status {word!r})")
    return finish_of(status, "status", target)


def _finish_with(finish: Finish, *, is_refused: bool, has_calls: bool) -> Finish:
    if is_refused:
        return "refusal"
    return "tool_calls" if finish == "stop" and has_calls else finish


def _parts(content: list[_Part] | str | None) -> list[_Part]:
    if isinstance(content, str):
        return [_Part(content)]
    return content or []


def _text(items: list[_Item]) -> str:
    messages = (item for item in items if item.type == "message")
    return "".join(part.text or "" for item in messages for part in _parts(item.content))


def _refusal(items: list[_Item]) -> str:
    messages = (item for item in items if item.type == "message")
    return "".join(part.refusal or "" for item in messages for part in _parts(item.content))


def _reasoning(item: _Item) -> str:
    """The readable text of a reasoning item: its summary, else what is not encrypted."""
    if item.type != "reasoning":
        return ""
    parts = _texts(item.summary) or _texts(item.content)
    return "\n".join(parts)


def _texts(content: list[_Part] | str | None) -> tuple[str, ...]:
    return tuple(part.text for part in _parts(content) if part.text)


def _tool_calls(
    items: list[_Item], finish: Finish, request: ChatRequest, target: ModelTarget
) -> list[_Call]:
    places = [place for place, item in enumerate(items) if item.type == "function_call"]
    if not all(items[place].name for place in places):
        raise MalformedReply(f"{target} calls a tool without a name")
    ids = made_up_ids([items[place].call_id or items[place].id for place in places], request)
    last = len(items) - 1 if finish in ("length", "refusal") else None
    return [
        _Call(
            ToolCall(
                name,
                items[place].name or "",
                _arguments(items[place], may_be_cut=place == last),
            ),
            place,
        )
        for name, place in zip(ids, places, strict=True)
    ]


def _arguments(item: _Item, *, may_be_cut: bool) -> str:
    """Arguments as JSON text; of a call that was cut off, text that is no whole JSON.

    Nobody must run half of a call, so one without arguments at the end is none without arguments.
    """
    made = item.arguments
    text = made if isinstance(made, str) else msgspec.json.encode(made or {}).decode()
    is_whole = text.rstrip().endswith("}")
    if item.is_cut and is_whole:
        return text.rstrip()[:-1]
    if (item.is_cut or may_be_cut) and not made:
        return "{"
    return text or "{}"


def _thoughts(items: list[_Item], calls: list[_Call]) -> tuple[ReasoningBlock, ...]:
    """Reasoning that the provider wants back; only conversations with tool calls go on."""
    return tuple(
        block
        for place, item in enumerate(items)
        if (block := _block(item, _call_after(place, items, calls))) is not None
    )


def _call_after(place: int, items: list[_Item], calls: list[_Call]) -> str:
    """The id of the call that comes next; empty where a message does, or nothing."""
    said = [at for at, item in enumerate(items) if item.type == "message"]
    if any(at > place for at in said):
        return ""
    return next((each.call.id for each in calls if each.place > place), "")


def _block(item: _Item, call_id: str) -> ReasoningBlock | None:
    if item.type == "message" and isinstance(item.phase, str):
        return ReasoningBlock("reasoning", signature=Seal(phase=item.phase).signature())
    if item.type != "reasoning":
        return None
    sealed = item.encrypted_content
    seal = Seal(
        id=item.id if isinstance(item.id, str) else "",
        encrypted_content=sealed if isinstance(sealed, str) else "",
        summary=_texts(item.summary),
        content=_texts(item.content),
    )
    signature = seal.signature() if seal.is_whole else ""
    text = _reasoning(item)
    if not (signature or text):
        return None
    return ReasoningBlock("reasoning", text, signature, call_id)


def _usage(usage: object, request: ChatRequest, text: str) -> Usage:
    """Tokens as counted by the endpoint; estimated from the text if it counts none that can be."""
    counted = counts(usage)
    prompt = possible(counted.get("input_tokens", counted.get("prompt_tokens")))
    completion = possible(counted.get("output_tokens", counted.get("completion_tokens")))
    if not prompt or completion is None:  # no prompt is empty
        return estimated_usage(request, text)
    sent = counts(counted.get("input_tokens_details"))
    received = counts(counted.get("output_tokens_details"))
    cached = min(possible(sent.get("cached_tokens")) or 0, prompt)
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=cached,
        cache_write_tokens=min(possible(sent.get("cache_write_tokens")) or 0, prompt - cached),
        reasoning_tokens=possible(received.get("reasoning_tokens")) or 0,
    )
