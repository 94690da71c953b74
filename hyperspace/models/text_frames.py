"""Calls of tools as text that no content can break.

A call is written as ::

    @@call MARK bash
    @@text MARK command 12
    echo "hello"
    @@end MARK

`MARK` is fresh in each conversation and not in its text, and `12` is the length of the argument
in UTF-8 bytes. Where the length leads to the next line with the mark, it decides, so that content
may hold anything, such lines too; language models count badly, so where it does not (or is not
given), the next line with the mark decides. A call without its end is none: half a call is not run.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import msgspec

from guards.parsing import decode_json
from hyperspace.messages import ToolCall, ToolSpec
from hyperspace.models.normalize import object_or_text

_EXAMPLE: Final = """@@call {mark} NAME
@@text {mark} ARGUMENT LENGTH
the argument's value, as it is: no quotes, no fences, nothing escaped
@@end {mark}"""


class Parsed(msgspec.Struct, frozen=True):
    """The contents of a reply.

    Attributes:
        text: What is beside the calls.
        calls: The calls, in order, without ids.
        problem: Why the calls cannot be read, for the model; empty if they can.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    problem: str = ""


class _Unreadable(Exception):
    """The message is for the model."""


def write_instructions(tools: Sequence[ToolSpec], mark: str) -> str:
    """Tell a model of its tools, and how to call them."""
    shapes = "\n".join(msgspec.json.encode(tool).decode() for tool in tools)
    return (
        "You have tools. To call one, write exactly this, each @@ at the beginning of a line:\n\n"
        f"{_EXAMPLE.format(mark=mark)}\n\n"
        "LENGTH is the number of bytes of the value; leave it out if you are not sure. Write one "
        "@@text part for each argument. Values that are not strings are written as JSON. Several "
        "calls may follow each other. End your reply after the last call: the results come next. "
        f"A reply without calls ends the work.\n\nTools, one JSON object a line:\n{shapes}"
    )


def write_call(call: ToolCall, mark: str) -> str:
    """A call as it should have been written."""
    lines = [f"@@call {mark} {call.name}"]
    for name, value in object_or_text(call.arguments, "arguments").items():
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        lines.append(f"@@text {mark} {name} {len(text.encode('utf-8', 'replace'))}\n{text}")
    return "\n".join([*lines, f"@@end {mark}"])


def write_result(content: str, mark: str) -> str:
    """Format a tool's result, with its length."""
    return f"@@result {mark} {len(content.encode('utf-8', 'replace'))}\n{content}\n@@end {mark}"


def parse(text: str, mark: str, tools: Iterable[ToolSpec]) -> Parsed:
    """Find the calls in a reply."""
    schemas: dict[str, dict[str, Any]] = {}
    for tool in tools:
        properties: Any = tool.parameters.get("properties")
        schemas[tool.name] = properties if isinstance(properties, dict) else {}
    rest = text = text.encode("utf-8", "replace").decode()
    calls: list[ToolCall] = []
    beside: list[str] = []
    try:
        while match := _line("call", mark).search(rest):
            beside.append(rest[: match.start()])
            call, rest = _call(match[1], rest[match.end() :], mark, schemas)
            calls.append(call)
    except _Unreadable as problem:
        return Parsed(text=text, problem=str(problem))
    return Parsed("".join([*beside, rest]).strip(), tuple(calls))


def _line(kind: str, mark: str) -> re.Pattern[str]:
    return re.compile(rf"^@@{kind} {re.escape(mark)}[ \t]*(.*?)[ \t]*$\n?", re.MULTILINE)


def _call(
    name: str, rest: str, mark: str, schemas: dict[str, dict[str, Any]]
) -> tuple[ToolCall, str]:
    """Read a call after its first line; returns it and what follows."""
    if name not in schemas:
        raise _Unreadable(f"there is no tool {name!r}; the tools are {', '.join(schemas)}.")
    arguments: dict[str, Any] = {}
    while match := _line("text", mark).match(rest):
        argument, _, length = match[1].partition(" ")
        value, rest = _value(rest[match.end() :], length.strip(), mark)
        arguments[argument] = _typed(value, argument, schemas[name])
    end = _line("end", mark).match(rest)
    if end is None:
        raise _Unreadable(f"the call of {name} has no line @@end {mark}.")
    return ToolCall("", name, msgspec.json.encode(arguments).decode()), rest[end.end() :]


def _value(rest: str, length: str, mark: str) -> tuple[str, str]:
    """Read a value: to its length where that leads to a marked line, else to the next such line."""
    marked = re.compile(rf"\n?^@@(text|end) {re.escape(mark)}\b", re.MULTILINE)
    if length.isdecimal() and len(length) < 12:
        data = rest.encode("utf-8", "replace")
        tail = data[int(length) :].decode("utf-8", "replace")
        if marked.match(tail):
            return data[: int(length)].decode("utf-8", "replace"), tail.removeprefix("\n")
    match = marked.search(rest)
    if match is None:
        raise _Unreadable(f"an argument is not followed by a line @@text {mark} or @@end {mark}.")
    return rest[: match.start()], rest[match.start() :].removeprefix("\n")


def _typed(value: str, argument: str, properties: dict[str, Any]) -> Any:
    schema: Any = properties.get(argument)
    empty: Mapping[str, Any] = {}
    fields = cast("Mapping[str, Any]", schema) if isinstance(schema, Mapping) else empty
    kind: Any = fields.get("type", "string")
    if "string" in kind:
        return value
    try:
        return decode_json(value, object)
    except msgspec.DecodeError:
        raise _Unreadable(f"argument {argument} is no JSON of type {kind}.") from None
