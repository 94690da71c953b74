"""A message that comes event by event, put together to the message that it is."""

from typing import Any

import msgspec

from agents.models.anthropic.wire import INVALID
from agents.models.base import MalformedReply
from agents.models.errors import ModelTarget, of_body
from agents.models.normalize import object_or_text, shaped


class _Event(msgspec.Struct):
    type: str | None = None
    index: int | None = None
    message: dict[str, Any] | None = None
    content_block: dict[str, Any] | None = None
    delta: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None


class MessageAssembly:
    """Takes events in order; `message` is the answer in the form of an unstreamed one."""

    def __init__(self, target: ModelTarget) -> None:
        self._target = target
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}

    def take(self, fields: dict[str, Any]) -> None:
        """Take one event; those of types that we do not know are passed over.

        Raises:
            MalformedReply: It is none.
            ModelError: It tells of an error.
        """
        if fields.get("error"):
            raise of_body(fields, self._target)
        event = shaped(fields, _Event, f"{self._target} sent an event that is none")
        match event.type:
            case "message_start":
                self._message |= event.message or {}
            case "content_block_start":
                self._blocks[event.index or 0] = dict(event.content_block or {})
            case "content_block_delta":
                self._take_delta(event.index or 0, event.delta or {})
            case "message_delta":
                self._message |= {**(event.delta or {}), "usage": self._usage(event.usage)}
            case _:
                pass

    def message(self) -> dict[str, Any]:
        """The answer so far; without a stop reason if none has come."""
        for index, parts in self._inputs.items():
            self._blocks[index]["input"] = object_or_text("".join(parts) or "{}", INVALID)
        return {**self._message, "content": [block for _, block in sorted(self._blocks.items())]}

    def _usage(self, later: dict[str, Any] | None) -> dict[str, Any]:
        """The last count of each kind of token: an event may leave some out."""
        counts = {key: value for key, value in (later or {}).items() if value is not None}
        return {**(self._message.get("usage") or {}), **counts}

    def _take_delta(self, index: int, delta: dict[str, Any]) -> None:
        block = self._blocks.get(index)
        if block is None:
            raise MalformedReply(f"{self._target} sent a piece of a block that has not begun")
        match delta.get("type"):
            case "input_json_delta":
                self._inputs.setdefault(index, []).append(str(delta.get("partial_json") or ""))
            case "text_delta" | "thinking_delta" | "signature_delta":
                field = str(delta["type"]).removesuffix("_delta")
                block[field] = f"{block.get(field) or ''}{delta.get(field) or ''}"
            case _:
                pass
