"""Chat completions that come piece by piece, put together to the answer that they are."""

from typing import Any

import msgspec

from agents.models.base import MalformedReply
from agents.models.errors import ModelTarget, error_fields, of_body
from agents.models.normalize import shaped


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _Call(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None
    extra_content: dict[str, Any] | None = None


class _Delta(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    index: int = 0
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: dict[str, Any] | None = None
    model: str | None = None


class CompletionAssembly:
    """Takes chunks in order; `completion` is the answer in the form of an unstreamed one."""

    def __init__(self, target: ModelTarget) -> None:
        self._target = target
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish: str | None = None
        self._usage: dict[str, Any] | None = None
        self._model = ""

    def take(self, chunk: dict[str, Any]) -> None:
        """Take one chunk.

        Raises:
            MalformedReply: It is none.
            ModelError: It tells of an error, which not every SDK notices.
        """
        if chunk.get("error"):
            raise of_body(error_fields(chunk), self._target)
        piece = shaped(chunk, _Chunk, f"{self._target} sent a chunk that is none")
        if piece.choices is None and piece.usage is None:
            raise MalformedReply(f"{self._target} sent a chunk with neither choices nor usage")
        self._usage = piece.usage or self._usage
        self._model = piece.model or self._model
        for choice in piece.choices or ():
            self._take_choice(choice)

    def completion(self) -> dict[str, Any]:
        """The answer so far; without a finish reason if none has come."""
        message: dict[str, Any] = {name: "".join(parts) for name, parts in self._texts.items()}
        if self._calls:
            message["tool_calls"] = [call for _, call in sorted(self._calls.items())]
        choice = {"message": message, "finish_reason": self._finish}
        return {"choices": [choice], "model": self._model, "usage": self._usage}

    def _take_choice(self, choice: _Choice) -> None:
        if choice.index != 0:
            return
        self._finish = choice.finish_reason or self._finish
        delta = choice.delta or _Delta()
        for name in ("content", "refusal", "reasoning_content", "reasoning"):
            if text := getattr(delta, name):
                self._texts.setdefault(name, []).append(text)
        for position, call in enumerate(delta.tool_calls or ()):
            self._take_call(position if call.index is None else call.index, call)

    def _take_call(self, index: int, call: _Call) -> None:
        empty: dict[str, Any] = {"id": None, "function": {"name": "", "arguments": ""}}
        assembled = self._calls.setdefault(index, empty)
        assembled["id"] = assembled["id"] or call.id
        assembled["extra_content"] = assembled.get("extra_content") or call.extra_content
        piece = call.function or _Function()
        # Some servers repeat the name with each piece; none cuts it.
        assembled["function"]["name"] = assembled["function"]["name"] or piece.name or ""
        assembled["function"]["arguments"] += piece.arguments or ""
