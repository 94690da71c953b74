"""OpenAI's responses on the wire: our conversation out. `reply` has the way back."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

import msgspec

from guards.parsing import decode_json
from hyperspace.messages import ChatRequest, Message, ReasoningBlock
from hyperspace.models.names import ModelOptions, lesser

_SEALED_REASONING: Final = "reasoning.encrypted_content"
_Item = dict[str, Any]


class Seal(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a reasoning item holds beside its text, kept as the signature of a `ReasoningBlock`.

    Attributes:
        id: The item's id.
        encrypted_content: The reasoning as only the provider can read it.
        summary: The parts of its summary.
        content: The parts of reasoning that is not encrypted.
        phase: Of the message of the same reply (`commentary`, `final_answer`); such a block is no
            reasoning item.
    """

    id: str = ""
    encrypted_content: str = ""
    summary: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    phase: str = ""

    @property
    def is_whole(self) -> bool:
        """True if the item means something to a server that has stored nothing."""
        return bool(self.encrypted_content or self.content)

    def signature(self) -> str:
        """The seal as text."""
        return msgspec.json.encode(self).decode()

    def item(self) -> _Item:
        """The reasoning item."""
        item: _Item = {
            "type": "reasoning",
            "id": self.id or None,
            "summary": [{"type": "summary_text", "text": text} for text in self.summary],
            "content": [{"type": "reasoning_text", "text": text} for text in self.content] or None,
            "encrypted_content": self.encrypted_content or None,
        }
        return {key: value for key, value in item.items() if value is not None}


def request_fields(model: str, request: ChatRequest, options: ModelOptions) -> dict[str, Any]:
    """The body of a request; what is not given is not sent.

    Nothing is to be stored, so reasoning is asked for in sealed form where tools may be called.
    """
    messages = list(request.messages)
    has_instructions = len(messages) > 1 and messages[0].role == "system"
    instructions = messages.pop(0).content if has_instructions else None
    fields: dict[str, Any] = {
        "model": model,
        "instructions": instructions,
        "input": [item for message in messages for item in _items(message)],
        "tools": [_tool(msgspec.to_builtins(tool)) for tool in request.tools] or None,
        "temperature": request.temperature if options.temperature is None else options.temperature,
        "top_p": options.top_p,
        "max_output_tokens": lesser(options.max_tokens, request.max_tokens),
        "reasoning": {"effort": options.reasoning_effort} if options.reasoning_effort else None,
        "include": [_SEALED_REASONING] if request.tools else None,
        "store": False,
        "stream": options.stream != "off",
    }
    return {key: value for key, value in fields.items() if value is not None}


def _tool(tool: dict[str, Any]) -> _Item:
    # Unless told otherwise, this wire holds schemas to a strict form that ours need not have.
    return {"type": "function", **tool, "strict": False}


def _items(message: Message) -> Iterator[_Item]:
    if message.role == "tool":
        yield {
            "type": "function_call_output",
            "call_id": message.tool_call_id,
            "output": message.content,
        }
        return
    seals = list(_seals(message.thoughts))
    yield from _reasoning(seals, "")
    if message.content or not message.tool_calls:
        phase = next((seal.phase for _, seal in seals if seal.phase), "")
        said: _Item = {"type": "message", "role": message.role, "content": message.content}
        yield said | ({"phase": phase} if phase else {})
    for call in message.tool_calls:
        yield from _reasoning(seals, call.id)
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
        }


def _seals(thoughts: Iterable[ReasoningBlock]) -> Iterator[tuple[str, Seal]]:
    """The seals of a message, each with the call that its item stands before."""
    for block in thoughts:
        # Code in a sandbox may have changed it, and other wires have no seals.
        with suppress(msgspec.DecodeError):
            if block.kind == "reasoning":
                yield block.call_id, decode_json(block.signature, Seal)


def _reasoning(seals: Iterable[tuple[str, Seal]], call_id: str) -> Iterator[_Item]:
    return (seal.item() for place, seal in seals if place == call_id and seal.is_whole)
