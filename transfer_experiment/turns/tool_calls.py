"""The tool calls of one generation: what most detectors read."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from hyperspace.runs.trace import ToolUse, TraceLine
from transfer_experiment.turns.evidence import Evidence
from transfer_experiment.turns.path_step import QUOTE_CHARACTERS
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
        step: The step in which it ran: how many replies there were, this one included.
    """

    line: TraceLine
    tool: ToolUse
    step: int

    def evidence(self) -> Evidence:
        """Quote the call as it stands in the trace; the reply passed through the broker."""
        quote = self.tool.text[:QUOTE_CHARACTERS]
        return Evidence(self.line.file, self.line.line, quote, "host-observed")

    @property
    def viewed(self) -> str:
        """The path that the editor was asked to show; empty for any other call."""
        is_view = self.tool.name == "editor" and self.tool.argument("command") == "view"
        return self.tool.argument("path") if is_view else ""

    @property
    def named(self) -> str:
        """The text in which a call names files: its command, or its path."""
        return self.tool.argument("path") or self.tool.argument("command") or self.tool.text


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

    def closing_words(self) -> tuple[Evidence, ...]:
        """Quote the end of the last reply: what a model says of itself is a claim."""
        if self.last is None or not self.last.response:
            return ()
        quote = self.last.response[-QUOTE_CHARACTERS:]
        return (Evidence(self.last.file, self.last.line, quote, "claimed"),)


def tool_calls(steps: Sequence[TraceLine]) -> ToolCalls:
    """Gather the tool calls of a generation."""
    calls = tuple(
        TracedCall(line, tool, step)
        for step, line in enumerate(steps, start=1)
        for tool in tool_uses(line)
    )
    return ToolCalls(workspace_of(steps), calls, steps[-1] if steps else None)


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
