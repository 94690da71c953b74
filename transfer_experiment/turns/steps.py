"""A turn's trace, read once: the replies of the meta agent in order, for all who ask of it."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from guards.parsing import decode_json
from hyperspace.runs.trace import ToolUse, TraceFile, TraceLine

_FRAMED: Final = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


class TraceSteps(NamedTuple):
    """The part of a trace that one reading leaves in memory.

    Attributes:
        problem: Why it does not tell what was said; empty if it does.
        steps: The replies of the meta agent, each with its tool calls and their results.
        calls: How many model calls there are, those of an evaluated task agent included.
        damaged: How many lines cannot be read.
    """

    problem: str
    steps: tuple[TraceLine, ...]
    calls: int
    damaged: int


def read_steps(trace: TraceFile) -> TraceSteps:
    """Read a trace through; it is opened once."""
    steps: list[TraceLine] = []
    calls = 0
    with trace.open() as reading:
        for line in reading.lines():
            calls += 1
            if line.of_meta_agent:
                steps.append(line)
        return TraceSteps(reading.problem, tuple(steps), calls, len(reading.damaged))


def framed_calls(response: str) -> list[str]:
    """Return the tool calls that a reply frames in its text, as the model wrote them."""
    return _FRAMED.findall(response)


def without_framed_calls(response: str) -> str:
    """Return what a reply says beside the tool calls in its text."""
    return _FRAMED.sub("", response)


def tool_uses(line: TraceLine) -> Iterator[ToolUse]:
    """Return the tool calls of a reply; without native ones, those that it frames in its text."""
    yield from line.tools
    for number, text in enumerate(framed_calls(line.response) if not line.tools else ()):
        try:
            call = decode_json(text, _FramedCall)
        except msgspec.DecodeError:
            continue
        yield ToolUse(str(number), call.name, call.arguments, text)


class _FramedCall(msgspec.Struct):
    name: str
    arguments: dict[str, Any]
