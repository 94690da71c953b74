"""Evidence in a trace that an agent looked into a peer's strategy."""

import fnmatch
import re
from collections.abc import Iterator, Sequence
from typing import Literal, cast

import msgspec

from agents.calls import CallRecord

Rank = Literal["host-observed", "claimed"]
_PATTERN = re.compile(r"strategies/([^\s'\"|;&<>()/]*[*?\[][^\s'\"|;&<>()/]*)")
_WHOLE_FOLDER = re.compile(
    r"\b(?:(?:grep|cp|rg|ls)\b[^\n;|&]*\s-\w*[rR]\w*|find|tar)\b[^\n;|&]*strategies"
)
_NOT_READING = re.compile(r"(?:\brm\b|>>?)[^\n;|&]*")
_FRAMED = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_QUOTE_CHARACTERS = 200


class Evidence(msgspec.Struct, frozen=True):
    """One place in a trace.

    Attributes:
        file: Trace file, relative to the run folder.
        line: Line number from 1.
        quote: What stands there, shortened.
        rank: `host-observed`: bytes that passed through the broker; `claimed`: what agent code
            says of itself.
    """

    file: str
    line: int
    quote: str
    rank: Rank


def reading_evidence(calls: Sequence[CallRecord], file: str, folder: str) -> tuple[Evidence, ...]:
    """Find the tool calls of a meta agent that read a strategy.

    A model's reply passes through the broker, so that it *asked* to read is host-observed.

    Args:
        calls: Trace lines in order.
        file: Name of the trace for the record.
        folder: The strategy's folder name below `strategies/`.

    Returns:
        One piece of evidence for each tool call that names the folder or covers it.
    """
    found = [
        Evidence(file, number, quote[:_QUOTE_CHARACTERS], "host-observed")
        for number, call in enumerate(calls, start=1)
        if call.purpose in ("modify", "")  # published traces name no purpose
        for quote in _tool_texts(call)
        if _reads(_decoded(quote), folder)
    ]
    return tuple(found)


def _tool_texts(call: CallRecord) -> Iterator[str]:
    for tool_call in call.tool_calls or ():
        yield tool_call.function.arguments
    yield from _FRAMED.findall(call.response or "")


def _decoded(arguments: str) -> str:
    """The texts in a call's arguments as the tool got them; as they are if they are no JSON."""
    try:
        value = msgspec.json.decode(arguments)
    except msgspec.DecodeError:
        return arguments
    return "\n".join(_strings(value))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from _strings(inner)


def _reads(text: str, folder: str) -> bool:
    """Whether a command names the folder, a pattern that fits it, or all folders at once."""
    read = _NOT_READING.sub("", re.sub(r"/(?:\.?/)+", "/", text))
    if re.search(rf"(?<![\w.-]){re.escape(folder)}(?![\w-])", read):
        return True
    if any(fnmatch.fnmatchcase(folder, pattern) for pattern in _PATTERN.findall(read)):
        return True
    return _WHOLE_FOLDER.search(read) is not None
