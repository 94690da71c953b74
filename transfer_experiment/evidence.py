"""Evidence in a trace that an agent looked into a peer's strategy."""

import fnmatch
import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from agents.calls import CallRecord

Rank = Literal["host-observed", "claimed"]
_PATH = re.compile(r"strategies(?:/[^\s'\"|;&<>()]*)?")
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
    """Find the tool calls that read a strategy.

    A model's reply passes through the broker, so that it *asked* to read is host-observed.

    Args:
        calls: Trace lines in order.
        file: Name of the trace for the record.
        folder: The strategy's folder name below `strategies/`.

    Returns:
        One piece of evidence for each tool call that names the folder's content.
    """
    found = [
        Evidence(file, number, quote[:_QUOTE_CHARACTERS], "host-observed")
        for number, call in enumerate(calls, start=1)
        for quote in _tool_texts(call)
        if _reads(quote, folder)
    ]
    return tuple(found)


def _tool_texts(call: CallRecord) -> Iterator[str]:
    for tool_call in call.tool_calls or ():
        yield tool_call.function.arguments


def _reads(text: str, folder: str) -> bool:
    """Whether a command names a file of the folder, or a pattern that covers one."""
    for path in _PATH.findall(text):
        parts = path.rstrip("\\").split("/")
        if len(parts) > 1 and parts[1] and fnmatch.fnmatchcase(folder, parts[1]):
            return True
    return False
