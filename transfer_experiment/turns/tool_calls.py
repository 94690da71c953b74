"""The tool calls of one generation, each with what it reached for: what most detectors read."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

import msgspec

from runs.records import TurnRead
from runs.trace import ToolUse, TraceLine
from transfer_experiment.shell.accesses import Reach, Session
from transfer_experiment.turns.evidence import Evidence

STRATEGIES: Final = "strategies"
_QUOTE_CHARACTERS: Final = 200
_NAMED: Final = re.compile(r"code(?:base)? (?:at|in) [`'\"]([^`'\"\n]+)[`'\"]", re.IGNORECASE)
_KNOWN_FILE: Final = re.compile(
    r"(/[\w./-]*?)/(?:task_agent\.py|meta_agent\.py|strategies|evals)\b"
)
_FRAMED: Final = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


class Act(NamedTuple):
    """One tool call.

    Attributes:
        line: The trace line that asks for it.
        tool: The call.
        reach: What it reached for.
    """

    line: TraceLine
    tool: ToolUse
    reach: Reach

    def evidence(self) -> Evidence:
        """The call as it stands in the trace; a model's reply passed through the broker."""
        quote = self.tool.text[:_QUOTE_CHARACTERS]
        return Evidence(self.line.file, self.line.line, quote, "host-observed")


class Acts(NamedTuple):
    """What a generation's meta agent did.

    Attributes:
        generation: Which.
        root: The workspace; empty if the trace does not tell.
        acts: Its tool calls in order.
        last: The last reply; None if there is no trace.
    """

    generation: int
    root: str
    acts: tuple[Act, ...]
    last: TraceLine | None

    @property
    def is_known(self) -> bool:
        """Whether there is a trace."""
        return self.last is not None

    def below(self, path: str, folder: str) -> bool:
        """Whether a path is a folder of the workspace or lies in it, also as a pattern."""
        inside = path.removeprefix(f"{self.root}/") if self.root else path
        first = inside.partition("/")[0]
        return first == folder or (first.strip("*") != "" and fnmatchcase(folder, first))


def acts_of(turn: TurnRead) -> Acts:
    """Read what a generation's meta agent did, in one pass over its trace."""
    lines = [line for line in turn.trace.lines() if line.of_meta_agent]
    root = workspace_of(lines)
    session = Session(root)
    acts = tuple(
        Act(line, tool, session.follow(tool)) for line in lines for tool in tool_uses(line)
    )
    return Acts(turn.generation, root, acts, lines[-1] if lines else None)


def tool_uses(line: TraceLine) -> Iterator[ToolUse]:
    """The tool calls of a reply; without native ones, those that it frames in its text."""
    yield from line.tools
    if line.tools:
        return
    for place, text in enumerate(_FRAMED.findall(line.response)):
        call = _framed(text)
        if call is not None:
            yield ToolUse(str(place), call.name, call.arguments, text)


def workspace_of(lines: Sequence[TraceLine]) -> str:
    """The workspace that a conversation is about.

    It is what the instruction names; where it names none, the folder, named most often, of the
    files that every workspace has. Empty if nothing tells.
    """
    named = next((found for line in lines if (found := _NAMED.search(line.instruction))), None)
    if named:
        return named[1].rstrip("/")
    texts = (tool.text for line in lines for tool in tool_uses(line))
    return _most_common(hit for text in texts for hit in _KNOWN_FILE.findall(text))


def _most_common(folders: Iterable[str]) -> str:
    counted = Counter(folders).most_common(1)
    return counted[0][0] if counted else ""


class _Framed(msgspec.Struct):
    name: str
    arguments: dict[str, Any]


def _framed(text: str) -> _Framed | None:
    try:
        return msgspec.json.decode(text, type=_Framed)
    except (msgspec.MsgspecError, RecursionError):
        return None
