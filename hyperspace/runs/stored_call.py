"""A line of a trace as it is stored: the fields that are read, each of which may be missing."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

import msgspec

from guards.parsing import decode_json

FRAMED_RESULT: Final = "<tool_result>"  # how the runtime tells a model without native calls


class StoredMessage(msgspec.Struct, frozen=True):
    """A message of a request."""

    role: str = ""
    content: msgspec.Raw = msgspec.Raw()
    text: msgspec.Raw = msgspec.Raw()
    tool_call_id: str | None = None

    def plain(self) -> str:
        """Return its text."""
        return plain_text(self.content) or plain_text(self.text)

    @property
    def by_tool(self) -> bool:
        """Whether it is what a tool said."""
        return self.role == "tool" or self.plain().startswith(FRAMED_RESULT)


class StoredFunction(msgspec.Struct, frozen=True):
    """What a reply calls."""

    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()


class StoredToolCall(msgspec.Struct, frozen=True):
    """A tool call of a reply."""

    id: str | None = None
    function: StoredFunction = StoredFunction()


class StoredCall(msgspec.Struct, frozen=True):
    """One model call."""

    model: str | None = None
    messages: list[StoredMessage] = []
    response: str | None = None
    thinking: str | None = None
    tool_calls: list[StoredToolCall] | None = None
    purpose: str | None = None
    item: str | None = None


class NewMessage(NamedTuple):
    """A message that no earlier request had, and that the model did not say itself.

    Attributes:
        number: Its place in the request, from 0.
        message: The message.
    """

    number: int
    message: StoredMessage


class NewMessages:
    """The messages that requests had so far, and what replies said: by hashes, to stay small."""

    def __init__(self) -> None:
        self._messages: set[int] = set()
        self._replies: set[int] = set()

    def of(self, call: StoredCall) -> Iterator[NewMessage]:
        """Return what of a request is new; takes the request and its reply in."""
        for number, message in enumerate(call.messages):
            content = hash((bytes(message.content), bytes(message.text)))
            if content in self._messages:
                continue
            self._messages.add(content)
            text = message.plain()
            if text and not (message.role == "assistant" and hash(text) in self._replies):
                yield NewMessage(number, message)
        self._replies.add(hash(call.response or ""))


def results_of(call: StoredCall, following: StoredCall) -> list[StoredMessage | None]:
    """Return what each tool call of a reply came to, as the next request of it tells."""
    used = call.tool_calls or []
    answers = list[StoredMessage]()  # the tool messages at the end of the request
    for message in reversed(following.messages):
        if message.role == "assistant":
            break
        if message.role == "tool":
            answers.insert(0, message)
    by_id = {message.tool_call_id: message for message in answers if message.tool_call_id}
    in_order = answers if not by_id and len(answers) == len(used) else [None] * len(used)
    return [by_id.get(tool.id or "", each) for tool, each in zip(used, in_order, strict=True)]


def object_in(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text is; None if it is none."""
    try:
        return decode_json(text, dict[str, Any])
    except msgspec.DecodeError:
        return None


def plain_text(raw: msgspec.Raw) -> str:
    """Return a text, or the texts of a list of blocks, or else the JSON as it stands."""
    if not bytes(raw):
        return ""
    value: Any = msgspec.json.decode(raw)
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        blocks = cast("list[Any]", value)
        texts = (
            cast("dict[str, Any]", block).get("text", "") if isinstance(block, dict) else block
            for block in blocks
        )
        return "\n".join(map(str, texts))
    return "" if value is None else bytes(raw).decode()
