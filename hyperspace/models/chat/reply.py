"""Chat completions on the wire: a checked reply back, whole or put together of its pieces."""

from typing import Any

import msgspec

from guards.parsing import decode_json
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


class _Function(msgspec.Struct):
    name: str
    arguments: str | dict[str, Any] | None = None


class _Call(msgspec.Struct):
    function: _Function
    id: str | int | float | None = None
    extra_content: dict[str, Any] | None = None


class _Part(msgspec.Struct):
    text: str | None = None
    thinking: str | list[dict[str, Any]] | None = None


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: Any = None
    tool_calls: list[_Call] | None = None
    function_call: _Function | None = None
    reasoning_content: Any = None
    reasoning: Any = None

    @property
    def calls(self) -> list[_Call]:
        """Its calls, the one of the form before them included."""
        legacy = [] if self.function_call is None else [_Call(self.function_call)]
        return self.tool_calls or legacy

    @property
    def refused(self) -> str:
        """The words of a refusal; empty where there are none."""
        return self.refusal if isinstance(self.refusal, str) else ""


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: Any = None


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    model: Any = None
    usage: Any = None
    error: Any = None


def reply_from(completion: dict[str, Any], request: ChatRequest, target: ModelTarget) -> ChatReply:
    """Check an answer and take our reply from it.

    Raises:
        ReplyTruncated: There is no choice, or it does not say why it ended.
        MalformedReply: The answer has another shape than chat completions have.
        ModelError: The answer is an error in the shape of a success.
    """
    answer = shaped(completion, _Completion, f"{target} answered with no chat completion")
    if tells_of_error(answer.error) or (answer.choices is None and read_error(completion).said):
        raise ErrorInReply(completion)
    if answer.choices is None:
        raise MalformedReply(f"{target} answered with no chat completion: it has no choices")
    if not answer.choices:
        raise ReplyTruncated(f"the answer of {target} holds no choice")
    choice = answer.choices[0]
    calls = _tool_calls(choice.message, request)
    thinking = _thinking(choice.message)
    return ChatReply(
        text=_text(choice.message) or choice.message.refused,
        tool_calls=calls,
        finish=_finish(choice, target),
        thinking=thinking,
        usage=_usage(answer.usage, request, choice.message),
        model=answer.model if isinstance(answer.model, str) else "",
        thoughts=_thoughts(choice.message, calls, thinking),
    )


def _text(message: _Message) -> str:
    if isinstance(message.content, list):
        return "".join(part.text or "" for part in message.content)
    return message.content or ""


def _thinking(message: _Message) -> str:
    told = (message.reasoning_content, message.reasoning)
    text = next((text for text in told if isinstance(text, str) and text), "")
    for part in message.content if not text and isinstance(message.content, list) else []:
        pieces = part.thinking
        if isinstance(pieces, list):  # Mistral
            pieces = "".join(str(piece.get("text", "")) for piece in pieces)
        text += pieces or ""
    return text


def _finish(choice: _Choice, target: ModelTarget) -> Finish:
    finish = finish_of(choice.finish_reason, "finish reason", target)
    if choice.message.refused:
        return "refusal"
    return "tool_calls" if finish == "stop" and choice.message.calls else finish


def _tool_calls(message: _Message, request: ChatRequest) -> tuple[ToolCall, ...]:
    calls = message.calls
    ids = made_up_ids([call.id for call in calls], request)
    return tuple(
        ToolCall(name, call.function.name, _arguments(call.function.arguments))
        for name, call in zip(ids, calls, strict=True)
    )


def _arguments(arguments: str | dict[str, Any] | None) -> str:
    if isinstance(arguments, str):
        return arguments or "{}"
    return msgspec.json.encode(arguments or {}).decode()


def _thoughts(
    message: _Message, calls: tuple[ToolCall, ...], thinking: str
) -> tuple[ReasoningBlock, ...]:
    """Reasoning that the provider may want back; only conversations with tool calls go on."""
    signatures = [
        ReasoningBlock(
            "call", signature=msgspec.json.encode(raw.extra_content).decode(), call_id=call.id
        )
        for raw, call in zip(message.calls, calls, strict=True)
        if raw.extra_content
    ]
    reasoning = [ReasoningBlock("reasoning", thinking)] if thinking and calls else []
    return (*reasoning, *signatures)


def _usage(usage: object, request: ChatRequest, message: _Message) -> Usage:
    """Tokens as counted by the endpoint; estimated from the text if it counts none that can be."""
    counted = counts(usage)
    prompt = possible(counted.get("prompt_tokens"))
    completion = possible(counted.get("completion_tokens"))
    if not prompt or completion is None:  # no prompt is empty
        return estimated_usage(request, _text(message))
    hits = possible(counts(counted.get("prompt_tokens_details")).get("cached_tokens"))
    cached = hits or possible(counted.get("prompt_cache_hit_tokens")) or 0  # DeepSeek
    received = counts(counted.get("completion_tokens_details"))
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=min(cached, prompt),
        reasoning_tokens=possible(received.get("reasoning_tokens")) or 0,
    )


class _FunctionPiece(msgspec.Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _CallPiece(msgspec.Struct):
    index: int | None = None
    id: str | int | float | None = None
    function: _FunctionPiece | None = None
    extra_content: dict[str, Any] | None = None


class _Delta(msgspec.Struct):
    content: str | None = None
    refusal: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: list[_CallPiece] | None = None


class _ChoicePiece(msgspec.Struct):
    delta: _Delta | None = None
    index: int | None = 0
    finish_reason: Any = None


class _Chunk(msgspec.Struct):
    choices: list[_ChoicePiece] | None = None
    usage: Any = None
    model: Any = None


class _AssembledCall:
    """A tool call of which there are pieces."""

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id: str | int | float | None = None
        self.name = ""
        self.arguments: list[str] = []
        self.extra_content: dict[str, Any] | None = None

    def take(self, piece: _CallPiece) -> None:
        self.id = self.id or piece.id
        self.extra_content = self.extra_content or piece.extra_content
        function = piece.function or _FunctionPiece()
        # Some servers repeat the name with each piece; none cuts it.
        self.name = self.name or function.name or ""
        if function.arguments:
            self.arguments.append(_arguments(function.arguments))

    def is_whole(self) -> bool:
        """True if the arguments are a whole object: a name that follows begins another call."""
        try:
            decode_json("".join(self.arguments), dict[str, Any])
        except msgspec.DecodeError:
            return False
        return True

    def fields(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {"id": self.id, "function": function, "extra_content": self.extra_content}


class CompletionAssembly:
    """Takes chunks in order; `answer` is the completion in the form of an unstreamed one."""

    def __init__(self, target: ModelTarget) -> None:
        self._target = target
        self._texts: dict[str, list[str]] = {}
        self._calls: list[_AssembledCall] = []
        self._finish: Any = None
        self._usage: Any = None
        self._model: Any = ""

    def take(self, event: dict[str, Any]) -> None:
        """Take one chunk.

        Raises:
            MalformedReply: It is none.
            ModelError: It tells of an error, which not every SDK notices.
        """
        if tells_of_error(event.get("error")):
            raise ErrorInReply(event)
        piece = shaped(event, _Chunk, f"{self._target} sent a chunk that is none")
        if piece.choices is None and piece.usage is None:
            raise MalformedReply(f"{self._target} sent a chunk with neither choices nor usage")
        self._usage = piece.usage or self._usage
        self._model = piece.model or self._model
        for choice in piece.choices or ():
            self._take_choice(choice)

    def answer(self) -> dict[str, Any]:
        """The answer so far; without a finish reason if none has come."""
        message: dict[str, Any] = {name: "".join(parts) for name, parts in self._texts.items()}
        if self._calls:
            self._calls.sort(key=lambda call: call.index or 0)  # stable: one index may be many's
            message["tool_calls"] = [call.fields() for call in self._calls]
        choice = {"message": message, "finish_reason": self._finish}
        return {"choices": [choice], "model": self._model, "usage": self._usage}

    def characters(self) -> int:
        """Length of all texts and arguments so far."""
        texts = [*self._texts.values(), *(call.arguments for call in self._calls)]
        return sum(len(part) for parts in texts for part in parts)

    def is_thinking(self) -> bool:
        """False: what is thought comes piece by piece, or before the first event."""
        return False

    def _take_choice(self, choice: _ChoicePiece) -> None:
        if choice.index:
            return
        self._finish = choice.finish_reason or self._finish
        delta = choice.delta or _Delta()
        for name in ("content", "refusal", "reasoning_content", "reasoning"):
            if isinstance(text := getattr(delta, name), str) and text:
                self._texts.setdefault(name, []).append(text)
        for position, piece in enumerate(delta.tool_calls or ()):
            call = self._call_of(piece, is_first=position == 0)
            call.take(piece)

    def _call_of(self, piece: _CallPiece, *, is_first: bool) -> _AssembledCall:
        """The call that a piece belongs to, a new one where it begins another.

        Servers do not agree: ids come with the first piece, with each, or never; the index may be
        left out, or be the same for all calls.
        """
        current: _AssembledCall | None = None
        for call in reversed(self._calls):
            if piece.index is None or call.index in (piece.index, None):
                current = current or call
                if piece.id and call.id == piece.id:
                    return call
        name = piece.function.name if piece.function else None
        if current is not None and not (piece.id and current.id):
            is_beside = piece.index is None and not is_first and bool(name)
            if not is_beside and not (name and current.is_whole()):
                return current
        self._calls.append(_AssembledCall(piece.index))
        return self._calls[-1]
