"""A streamed response, put together of its events."""

from typing import Any, Final

import msgspec

from hyperspace.models.base import MalformedReply
from hyperspace.models.error_body import tells_of_error
from hyperspace.models.errors import ErrorInReply, ModelTarget
from hyperspace.models.normalize import shaped

_Key = tuple[str, int]  # a list of parts, and the place in it
_TEXTS: Final = {  # what an event is about: the type of its item, and the list that the text is in
    "output_text": ("message", "output_text"),
    "refusal": ("message", "refusal"),
    "reasoning_summary_text": ("reasoning", "summary"),
    "reasoning_text": ("reasoning", "content"),
    "function_call_arguments": ("function_call", "arguments"),
}
_STATES: Final = ("created", "in_progress", "queued")
_ENDS: Final = {
    "completed": "completed",
    "done": "completed",
    "incomplete": "incomplete",
    "failed": "failed",
    "cancelled": "cancelled",
}


class _Event(msgspec.Struct):
    output_index: int | None = None
    item_id: str | int | float | None = None
    content_index: int | None = None
    summary_index: int | None = None
    item: dict[str, Any] | None = None
    delta: str | None = None
    text: str | None = None
    refusal: str | None = None
    arguments: str | dict[str, Any] | None = None
    response: dict[str, Any] | None = None


class _AssembledItem:
    """An item of the output of which there are pieces.

    Attributes:
        kind: Its type.
        index: Its place in the output; None where no event says it.
        ids: What events call it.
        parts: Pieces of its texts, by the list and the place in it.
        is_over: Whether it has come to its end.
    """

    def __init__(self, kind: str, index: int | None, item_id: str | None) -> None:
        self.kind = kind
        self.index = index
        self.ids = {item_id} - {None}
        self.parts: dict[_Key, list[str]] = {}
        self.is_over = False
        self._beginning: dict[str, Any] = {"type": kind}
        self._end: dict[str, Any] = {}

    def take(self, fields: dict[str, Any], *, is_over: bool) -> None:
        """Take the item as it begins, or as it is at its end."""
        said = {key: value for key, value in fields.items() if value not in (None, "", [])}
        if is_over:
            self._end = said
            self.is_over = True
        else:
            said.pop("status", None)  # under way; not every server tells of its end
            self._beginning |= said
        if isinstance(item_id := fields.get("id"), str):
            self.ids.add(item_id)

    def fields(self) -> dict[str, Any]:
        """The item; what it was said to be at its end goes before its pieces."""
        return {**self._beginning, **self._assembled(), **self._end}

    def _assembled(self) -> dict[str, Any]:
        made = dict[str, Any]()
        for (name, _), parts in self.parts.items():
            text = "".join(parts)
            match name:
                case "arguments":
                    made[name] = text
                case "summary" | "content":
                    made.setdefault(name, []).append({"text": text})
                case _:
                    field = "text" if name == "output_text" else name
                    made.setdefault("content", []).append({"type": name, field: text})
        return made


class ResponseAssembly:
    """Takes events in order; `answer` is the response in the form of an unstreamed one."""

    def __init__(self, target: ModelTarget) -> None:
        self._target = target
        self._response: dict[str, Any] = {}
        self._items: list[_AssembledItem] = []
        self._status: str | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Take one event; those of types that we do not know are passed over.

        Raises:
            MalformedReply: It is none.
            ModelError: It tells of an error.
        """
        kind = event.get("type")
        name = kind.removeprefix("response.") if isinstance(kind, str) else ""
        if name == "error" or tells_of_error(event.get("error")):
            raise ErrorInReply(event)
        subject, _, step = name.rpartition(".")
        complaint = f"{self._target} sent an event that is none"
        if not name:
            raise MalformedReply(f"{complaint}: it has no type")
        if name in (*_ENDS, *_STATES):
            self._take_response(name, shaped(event, _Event, complaint).response or {})
        elif subject == "output_item" and step in ("added", "done"):
            self._take_item(shaped(event, _Event, complaint), is_over=step == "done")
        elif subject in _TEXTS and step in ("delta", "done"):
            self._take_text(subject, shaped(event, _Event, complaint), is_whole=step == "done")

    def answer(self) -> dict[str, Any]:
        """The answer so far; without a status if no event said that it is over."""
        items = sorted(self._items, key=_place)  # those without a place stay behind the others
        output = [item.fields() for item in items]
        whole = {**self._response, "output": self._response.get("output") or output}
        return {**whole, "status": self._status}

    def characters(self) -> int:
        """Length of all texts, thoughts and arguments so far."""
        return sum(
            len(part) for item in self._items for parts in item.parts.values() for part in parts
        )

    def is_thinking(self) -> bool:
        """True before anything was said, and while an item of reasoning is under way.

        Reasoning models tell at once that a response has begun, and then nothing for minutes.
        """
        last = self._items[-1] if self._items else None
        return last is None or (last.kind == "reasoning" and not last.is_over)

    def _take_response(self, name: str, response: dict[str, Any]) -> None:
        self._response |= response
        self._status = _ENDS.get(name)
        if name == "failed":
            error = response.get("error")
            raise ErrorInReply({"error": error if tells_of_error(error) else "the response failed"})
        status = response.get("status")
        if name == "done" and isinstance(status, str):
            self._status = status

    def _take_item(self, piece: _Event, *, is_over: bool) -> None:
        fields = piece.item or {}
        given = fields.get("id")
        item_id = given if isinstance(given, str) else _name(piece.item_id)
        kind = str(fields.get("type", "message"))
        item = self._find(kind, piece.output_index, item_id)
        if item is None or not (is_over or item_id in item.ids):
            item = self._begin(kind, piece.output_index, item_id)
        item.take(fields, is_over=is_over)

    def _take_text(self, subject: str, piece: _Event, *, is_whole: bool) -> None:
        kind, name = _TEXTS[subject]
        item_id = _name(piece.item_id)
        item = self._find(kind, piece.output_index, item_id)
        item = item or self._begin(kind, piece.output_index, item_id)
        place = piece.summary_index if name == "summary" else piece.content_index
        parts = item.parts.setdefault((name, place or 0), [])
        if not is_whole:
            parts.append(piece.delta or "")
        elif text := piece.text or piece.refusal or _text(piece.arguments):
            parts[:] = [text]

    def _begin(self, kind: str, index: int | None, item_id: str | None) -> _AssembledItem:
        self._items.append(_AssembledItem(kind, index, item_id))
        return self._items[-1]

    def _find(self, kind: str, index: int | None, item_id: str | None) -> _AssembledItem | None:
        """The item that an event is about; None where it is about one that has not begun.

        Servers do not agree: some give each event another id, some all items one index.
        """
        of_kind = [item for item in reversed(self._items) if item.kind == kind]
        for item in of_kind:
            if item_id is not None and item_id in item.ids:
                return item
        under_way = (item for item in of_kind if not item.is_over)
        return next(
            (item for item in under_way if index is None or item.index in (index, None)), None
        )


def _name(item_id: str | float | None) -> str | None:
    return None if item_id is None else str(item_id)


def _place(item: _AssembledItem) -> float:
    return float("inf") if item.index is None else item.index


def _text(arguments: str | dict[str, Any] | None) -> str:
    if isinstance(arguments, dict):
        return msgspec.json.encode(arguments).decode()
    return arguments or ""
