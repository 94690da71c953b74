"""What one pass over a turn's trace tells: what was read, said, called and written.

The trace is streamed once, whatever is asked of it, and only this is kept.
"""

import re
from pathlib import PurePosixPath
from typing import Final

import msgspec

from runs.records import TurnRead
from runs.trace import ToolUse, TraceLine
from transfer_experiment.turns.evidence import (
    MOST_CLAIMS,
    Evidence,
    claims,
    opens_own_past,
    readings,
    sentences,
)

ANYTHING: Final = "*"
_WRITING = ("create", "str_replace", "insert", "undo_edit")
_FAILED = re.compile(r"^\s*error|not found|did not appear|no replacement|multiple|not unique", re.I)
_READERS = re.compile(
    r"\s*(?:cat|head|tail|less|ls|pwd|cd|wc|diff|cmp|grep|rg|stat|file|tree|sort|uniq|cut|nl"
    r"|sed\s+-n|echo|true|test)\b[^<>`$]*"
)
_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")


class Said(msgspec.Struct, frozen=True):
    """A sentence of the reply that ended a turn.

    Attributes:
        file: The trace.
        line: Its line in it.
        text: The sentence.
    """

    file: str
    line: int
    text: str


class TurnFacts(msgspec.Struct, frozen=True):
    """What a turn's trace tells.

    Attributes:
        problem: Why it tells nothing; empty if it does.
        calls: Model calls; None if the trace cannot be read whole.
        damaged: How many lines cannot be read.
        evidence: For each strategy folder in sight, where it was read and what was said of it.
        closing: The sentences of the meta agent's last reply, if that asked for no tool.
        written: Names of files that tool calls wrote; `*` where they may have written anything.
        went_back: Whether the code of an own earlier generation was opened.
    """

    problem: str
    calls: int | None
    damaged: int
    evidence: dict[str, tuple[Evidence, ...]]
    closing: tuple[Said, ...]
    written: frozenset[str]
    went_back: bool

    def may_have_written(self, name: str) -> bool:
        """Whether a tool call wrote a file, or may have."""
        return name in self.written or ANYTHING in self.written


def facts_of(turn: TurnRead) -> TurnFacts:
    """Read a turn's trace through."""
    problem = turn.trace.problem()
    is_first = turn.generation == 0 and turn.trace.path is not None
    damaged: list[int] = []
    evidence: dict[str, list[Evidence]] = {seen.folder: [] for seen in turn.seen}
    written: set[str] = set()
    last: TraceLine | None = None
    calls = 0
    went_back = False
    for line in () if problem else turn.trace.lines(damaged):
        calls += 1
        if line.of_meta_agent:
            last = line
            written.update(name for tool in line.tools for name in written_by(tool))
            _note(turn, line, evidence)
            went_back = went_back or opens_own_past(line)
    return TurnFacts(
        problem=problem,
        calls=calls if (is_first or not problem) and not damaged else None,
        damaged=len(damaged),
        evidence={folder: tuple(found) for folder, found in evidence.items()},
        closing=_closing(last),
        written=frozenset(written),
        went_back=went_back,
    )


def _note(turn: TurnRead, line: TraceLine, evidence: dict[str, list[Evidence]]) -> None:
    for seen in turn.seen:
        found = evidence[seen.folder]
        found.extend(readings(line, seen.folder))
        said = sum(item.rank == "claimed" for item in found)
        found.extend(list(claims(line, seen.folder, seen.peer))[: MOST_CLAIMS - said])


def _closing(last: TraceLine | None) -> tuple[Said, ...]:
    if last is None or last.tools:
        return ()
    return tuple(Said(last.file, last.line, text) for text in sentences(last.response))


def written_by(tool: ToolUse) -> frozenset[str]:
    """Names of the files that a tool call wrote; `*` if that cannot be told.

    An edit that its result calls an error wrote nothing. A shell command wrote nothing if it is
    made of commands that only read; of any other one nothing is known.
    """
    if tool.name == "editor" and tool.arguments is not None:
        if tool.argument("command") not in _WRITING:
            return frozenset()
        failed = tool.result is not None and _FAILED.search(tool.result.partition("\n")[0])
        return frozenset() if failed else frozenset({PurePosixPath(tool.argument("path")).name})
    if tool.name == "bash" and tool.arguments is not None:
        parts = [part for part in _SEPARATOR.split(tool.argument("command")) if part.strip()]
        if all(_READERS.fullmatch(part) for part in parts):
            return frozenset()
    return frozenset({ANYTHING})
