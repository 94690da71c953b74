"""What a turn's trace tells beside its tool calls: what was read, said and written."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

import msgspec

from runs.records import Generation
from runs.trace import ToolUse, TraceLine
from transfer_experiment.turns.evidence import (
    MOST_CLAIMS,
    Evidence,
    claims,
    opens_own_past,
    readings,
    sentences,
)
from transfer_experiment.turns.steps import TraceSteps

ANYTHING: Final = "*"
_WRITING = ("create", "str_replace", "insert", "undo_edit")
_FAILED = re.compile(r"^\s*error|not found|did not appear|no replacement|multiple|not unique", re.I)
_READERS = re.compile(
    r"\s*(?:cat|head|tail|less|ls|pwd|cd|wc|diff|cmp|grep|rg|stat|file|tree|sort|uniq|cut|nl"
    r"|sed\s+-n|echo|true|test)\b[^<>`$]*"
)
_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")


class TurnFacts(msgspec.Struct, frozen=True):
    """Facts that a turn's trace tells.

    Attributes:
        problem: Why it tells nothing; empty if it does.
        calls: Model calls; None if the trace cannot be read whole.
        damaged: How many lines cannot be read.
        evidence: For each strategy folder in sight, where it was read and what was said of it.
        closing: The sentences of the meta agent's last reply, whole, if that asked for no tool.
        written: Names of files that tool calls wrote; `*` where they may have written anything.
        went_back: True if the code of an own earlier generation was opened.
    """

    problem: str
    calls: int | None
    damaged: int
    evidence: dict[str, tuple[Evidence, ...]]
    closing: tuple[Evidence, ...]
    written: frozenset[str]
    went_back: bool

    def may_have_written(self, name: str) -> bool:
        """Return True if a tool call wrote a file, or may have."""
        return name in self.written or ANYTHING in self.written


def facts_of(turn: Generation, trace: TraceSteps) -> TurnFacts:
    """Gather what a turn's trace tells; nothing if it has a problem."""
    problem = trace.problem
    steps = () if problem else trace.steps
    damaged, calls = (0, 0) if problem else (trace.damaged, trace.calls)
    is_first = turn.generation == 0 and turn.trace.path is not None
    closing = steps[-1] if steps and not steps[-1].tools else None
    return TurnFacts(
        problem=problem,
        calls=calls if (is_first or not problem) and not damaged else None,
        damaged=damaged,
        evidence={
            seen.folder: tuple(_evidence(steps, seen.folder, seen.peer)) for seen in turn.seen
        },
        closing=tuple(
            Evidence(closing.file, closing.line, text, "claimed")
            for text in sentences(closing.response)
        )
        if closing
        else (),
        written=frozenset(
            name for line in steps for tool in line.tools for name in written_by(tool)
        ),
        went_back=any(opens_own_past(line) for line in steps),
    )


def _evidence(steps: Sequence[TraceLine], folder: str, peer: str) -> Iterator[Evidence]:
    """Find where a strategy was read, and the first sentences that name it or its peer."""
    claims_left = MOST_CLAIMS
    for line in steps:
        yield from readings(line, folder)
        for claim in islice(claims(line, folder, peer), claims_left):
            claims_left -= 1
            yield claim


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
