"""The tool calls of one generation, each with what it reached for: what most detectors read."""

import re
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from runs.trace import ToolUse, TraceLine
from transfer_experiment.shell.accesses import Session, ShellAccesses
from transfer_experiment.turns.evidence import QUOTE_CHARACTERS, Evidence
from transfer_experiment.turns.steps import tool_uses

_NAMED: Final = re.compile(r"code(?:base)? (?:at|in) [`'\"]([^`'\"\n]+)[`'\"]", re.IGNORECASE)
_KNOWN_FILE: Final = re.compile(
    r"(/[\w./-]*?)/(?:task_agent\.py|meta_agent\.py|strategies|evals)\b"
)


class TracedCall(NamedTuple):
    """One tool call.

    Attributes:
        line: The trace line that asks for it.
        tool: The call.
        accesses: What it reached for.
    """

    line: TraceLine
    tool: ToolUse
    accesses: ShellAccesses

    def evidence(self) -> Evidence:
        """Quote the call as it stands in the trace; the reply passed through the broker."""
        quote = self.tool.text[:QUOTE_CHARACTERS]
        return Evidence(self.line.file, self.line.line, quote, "host-observed")


class ToolCalls(NamedTuple):
    """The tool calls of a generation's meta agent.

    Attributes:
        root: The workspace; empty if the trace does not tell.
        calls: In order.
        last: The last reply; None if there is no trace.
    """

    root: str
    calls: tuple[TracedCall, ...]
    last: TraceLine | None

    def below(self, path: str, folder: str) -> bool:
        """Return True if a path is a folder of the workspace or in it, also as a pattern."""
        inside = path.removeprefix(f"{self.root}/") if self.root else path
        first = inside.partition("/")[0]
        return first == folder or (first.strip("*") != "" and fnmatchcase(folder, first))

    def closing_words(self) -> tuple[Evidence, ...]:
        """Quote the end of the last reply: what a model says of itself is a claim."""
        if self.last is None or not self.last.response:
            return ()
        quote = self.last.response[-QUOTE_CHARACTERS:]
        return (Evidence(self.last.file, self.last.line, quote, "claimed"),)


def tool_calls(steps: Sequence[TraceLine]) -> ToolCalls:
    """Follow the tool calls of a generation through its shell and its editor."""
    root = workspace_of(steps)
    session = Session(root)
    calls = tuple(
        TracedCall(line, tool, session.follow(tool)) for line in steps for tool in tool_uses(line)
    )
    return ToolCalls(root, calls, steps[-1] if steps else None)


def workspace_of(steps: Sequence[TraceLine]) -> str:
    """Return the workspace that a conversation is about; empty if nothing tells.

    It is what the instruction names; where it names none, the folder, named most often, of the
    files that every workspace has.
    """
    for line in steps:
        if named := _NAMED.search(line.instruction):
            return named[1].rstrip("/")
    texts = (tool.text for line in steps for tool in tool_uses(line))
    folders = Counter(folder for text in texts for folder in _KNOWN_FILE.findall(text))
    return folders.most_common(1)[0][0] if folders else ""
