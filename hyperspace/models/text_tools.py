"""Tools for models that cannot call any: calls are written in the text, see `text_frames`."""

from typing import Final, Literal

import msgspec

from hyperspace.messages import ChatReply, ChatRequest, Message, Usage, request_sha256
from hyperspace.models.base import FieldRefused, Model, ToolsUnsupported, Wrapper
from hyperspace.models.request_fields import Adaptation, notice
from hyperspace.models.text_frames import (
    Parsed,
    parse,
    write_call,
    write_instructions,
    write_result,
)

_MARK_CHARACTERS: Final = 8


class TextTools(Wrapper):
    """Asks a model that calls no tools by itself, and makes calls of what it writes.

    With `native` it asks as usual. With `auto` it first asks as usual and changes over, for good,
    once the provider has said that the model cannot call tools. A call that cannot be read is told
    to the model once; what is still no call then stays text. The usage is that of both answers.
    """

    def __init__(self, model: Model, mode: Literal["auto", "native", "text"] = "auto") -> None:
        super().__init__(model)
        self._in_text = mode == "text"
        self._is_native = mode == "native"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request.

        Raises:
            ModelError: See the tree in `hyperspace.models.base`.
        """
        if not self._in_text:
            try:
                return await self._model.complete(request)
            except ToolsUnsupported as error:
                if not request.tools:
                    raise
                if self._is_native:
                    advice = "take tools=native out of the model's name: tools then work in text"
                    raise FieldRefused(f"{error}; {advice}", "tools") from None
                if not self._in_text:
                    notice(
                        Adaptation(model=self.name, field="tools", remedy="text", said=str(error))
                    )
                self._in_text = True
        return await self._in_words(request)

    def adapt(self, adaptation: Adaptation) -> None:
        """Let an adaptation hold that is on record."""
        if adaptation.model == self.name and adaptation.remedy == "text" and not self._is_native:
            self._in_text = True
        super().adapt(adaptation)

    async def _in_words(self, request: ChatRequest) -> ChatReply:
        mark = mark_of(request)
        plain = in_words(request, mark)
        reply = await self._model.complete(plain)
        parsed = parse(reply.text, mark, request.tools) if request.tools else Parsed()
        if not parsed.problem:
            return _with_calls(reply, parsed, request)
        said = Message("assistant", reply.text, thoughts=reply.thoughts)
        told = Message("user", f"Your calls were not run: {parsed.problem} Write them again.")
        messages = (*plain.messages, said, told)
        again = await self._model.complete(msgspec.structs.replace(plain, messages=messages))
        usages = (msgspec.structs.astuple(each.usage) for each in (reply, again))
        both = msgspec.structs.replace(again, usage=Usage(*map(sum, zip(*usages, strict=True))))
        second = parse(again.text, mark, request.tools)
        return both if second.problem else _with_calls(both, second, request)


def mark_of(request: ChatRequest) -> str:
    """A mark that the conversation does not hold, and that stays while it goes on."""
    sha256 = request_sha256(msgspec.structs.replace(request, messages=request.messages[:1]))
    said = "".join(message.content for message in request.messages)
    places = range(0, len(sha256) - _MARK_CHARACTERS, _MARK_CHARACTERS)
    marks = [sha256[start : start + _MARK_CHARACTERS] for start in places]
    return next((mark for mark in marks if mark not in said), sha256)


def in_words(request: ChatRequest, mark: str) -> ChatRequest:
    """The request without tools: what they are, what was called and what came out is text."""
    messages = tuple(_in_words(message, mark) for message in request.messages)
    if request.tools:
        messages = (Message("system", write_instructions(request.tools, mark)), *messages)
    return msgspec.structs.replace(request, messages=messages, tools=())


def _in_words(message: Message, mark: str) -> Message:
    if message.role == "tool":
        return Message("user", write_result(message.content, mark))
    calls = [write_call(call, mark) for call in message.tool_calls]
    text = "\n".join(filter(None, [message.content, *calls]))
    return msgspec.structs.replace(message, content=text, tool_calls=())


def _with_calls(reply: ChatReply, parsed: Parsed, request: ChatRequest) -> ChatReply:
    if not parsed.calls:
        return reply
    turn = len(request.messages)
    calls = tuple(
        msgspec.structs.replace(call, id=f"call_{turn}_{position}")
        for position, call in enumerate(parsed.calls)
    )
    return msgspec.structs.replace(reply, text=parsed.text, tool_calls=calls, finish="tool_calls")
