"""Evidence in a trace that an agent looked into a peer's strategy, and what it said of it."""

import fnmatch
import re
from collections.abc import Iterator
from typing import Any, Final, Literal, cast

import msgspec

from runs.trace import ToolUse, TraceLine
from transfer_experiment.shell.shell_words import what_reads
from transfer_experiment.turns.steps import framed_calls, without_framed_calls

Rank = Literal["host-observed", "claimed"]
_PATTERN = re.compile(r"strategies/([^\s'\"|;&<>()/]*[*?\[][^\s'\"|;&<>()/]*)")
_WHOLE_FOLDER = re.compile(
    r"\b(?:(?:grep|cp|rg|ls)\b[^\n;|&]*\s-\w*[rR]\w*|find|tar)\b[^\n;|&]*strategies"
)
_NOT_READING = re.compile(r"(?:\brm\b|>>?)[^\n;|&]*")
_OWN_PAST = re.compile(r"evals/gen_\d+/task_agent\.py")
_SENTENCE = re.compile(r"[^\n]+?(?:(?<=[.!?])(?=\s)|$)", re.MULTILINE)
QUOTE_CHARACTERS: Final = 200
MOST_CLAIMS: Final = 5  # of one generation about one strategy


class Evidence(msgspec.Struct, frozen=True):
    """One place in a trace.

    Attributes:
        file: Trace file, relative to the run folder.
        line: Line number from 1.
        quote: What stands there, shortened.
        rank: `host-observed`: bytes that passed through the broker; `claimed`: what agent code
            or a model says of itself.
    """

    file: str
    line: int
    quote: str
    rank: Rank


def readings(line: TraceLine, folder: str) -> Iterator[Evidence]:
    """Find the tool calls of one line that read a strategy: those that name its folder or cover it.

    A model's reply passes through the broker, so that it *asked* to read is host-observed.

    Args:
        line: Of a trace; others than the meta agent's read nothing.
        folder: The strategy's folder name below `strategies/`.
    """
    if not line.of_meta_agent:
        return
    for tool in line.tools:
        if _reads(read_text(tool), folder):
            yield Evidence(line.file, line.line, tool.text[:QUOTE_CHARACTERS], "host-observed")
    for framed in framed_calls(line.response):
        if _reads(_decoded(framed), folder):
            yield Evidence(line.file, line.line, framed[:QUOTE_CHARACTERS], "host-observed")


def opens_own_past(line: TraceLine) -> bool:
    """Return True if a meta agent asks for the task agent of an own earlier generation."""
    return line.of_meta_agent and any(_OWN_PAST.search(read_text(tool)) for tool in line.tools)


def claims(line: TraceLine, folder: str, peer: str) -> Iterator[Evidence]:
    """Find the sentences of a meta agent's reply that name a strategy or the peer it is from."""
    if not line.of_meta_agent:
        return
    named = re.compile(rf"(?<![\w.-])(?:{re.escape(folder)}|{re.escape(peer)})(?![\w-])", re.I)
    for said in (line.thinking, without_framed_calls(line.response)):
        for sentence in sentences(said) if named.search(said) else ():
            if named.search(sentence):
                yield Evidence(line.file, line.line, sentence[:QUOTE_CHARACTERS], "claimed")


def sentences(text: str) -> Iterator[str]:
    """Split a text at line ends and behind full stops that a space follows."""
    return (sentence for part in _SENTENCE.findall(text) if (sentence := part.strip()))


def read_text(tool: ToolUse) -> str:
    """Return what of a tool call can name a file that it reads: a command, a path to view."""
    if tool.arguments is None:
        return tool.text
    if tool.name == "editor":
        return tool.argument("path") if tool.argument("command") == "view" else ""
    if tool.name == "bash":
        return what_reads(tool.argument("command"))
    return "\n".join(_strings(tool.arguments))


def _decoded(arguments: str) -> str:
    """The texts in a call's arguments as the tool got them; as they are if they are no JSON."""
    try:
        value: Any = msgspec.json.decode(arguments)
    except (msgspec.MsgspecError, RecursionError):
        return arguments
    return "\n".join(_strings(value))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from _strings(inner)


def _reads(text: str, folder: str) -> bool:
    """Return True if a command names the folder, a pattern that fits it, or all folders."""
    read = _NOT_READING.sub("", re.sub(r"/(?:\.?/)+", "/", text))
    if re.search(rf"(?<![\w.-]){re.escape(folder)}(?![\w-])", read):
        return True
    if any(fnmatch.fnmatchcase(folder, pattern) for pattern in _PATTERN.findall(read)):
        return True
    return _WHOLE_FOLDER.search(read) is not None
