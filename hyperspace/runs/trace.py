"""A trace, streamed: one typed line a model call, with what the tools said where that is known.

A tool's answer stands in the request that follows; so one line is read ahead, never the whole
file. Published traces do not say what a call was for: see `purpose_of`.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import chain, count, pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from guards.parsing import UNDECODABLE
from guards.scope.regular_files import LFS_POINTER, open_regular
from hyperspace.kernel.state.folder import DROPPED, EXPORT
from hyperspace.runs.lines import next_line
from hyperspace.runs.stored_call import NewMessages, StoredCall, object_in, plain_text, results_of

MODIFY: Final = "modify"
EVALUATE: Final = "evaluate"
_HEAD_BYTES: Final = 4096
_REDACTED: Final = b':"[redacted: '  # a whole text, as `hyperspace export --redact` leaves it


class ToolUse(msgspec.Struct, frozen=True):
    """One tool call that a reply asked for.

    Attributes:
        id: Its name within the conversation.
        name: The tool.
        arguments: As the tool got them; None if the model wrote no JSON object.
        text: The arguments as the model wrote them.
        result: What the tool said; None if no later request tells.
    """

    id: str
    name: str
    arguments: dict[str, Any] | None
    text: str
    result: str | None = None

    def argument(self, name: str) -> str:
        """An argument that is text; empty if it is missing or something else."""
        value = (self.arguments or {}).get(name)
        return value if isinstance(value, str) else ""


class ShownText(NamedTuple):
    """A message of a request that no earlier request had, and that the model did not say itself.

    Attributes:
        text: What it shows.
        by_tool: Whether it is what a tool said; else the program that asks wrote it.
    """

    text: str
    by_tool: bool


class TraceLine(msgspec.Struct, frozen=True):
    """One model call.

    Attributes:
        file: The trace, relative to the run folder.
        line: Its line number from 1.
        purpose: What the call was for: `modify` (the meta agent), or else an evaluation: the
            split, `gate`, or `evaluate` where the trace does not say more.
        model: Name that the model was asked for by.
        tools: The tool calls of the reply.
        thinking: Reasoning text; empty where there is none.
        response: Visible text of the reply.
        instruction: The first user message of the conversation.
        shown: What its request shows for the first time.
    """

    file: str
    line: int
    purpose: str
    model: str
    tools: tuple[ToolUse, ...]
    thinking: str
    response: str
    instruction: str = ""
    shown: tuple[ShownText, ...] = ()

    @property
    def of_meta_agent(self) -> bool:
        """True if the meta agent asked, not the task agent under evaluation."""
        return self.purpose == MODIFY


class TraceFile(msgspec.Struct, frozen=True):
    """A trace that may be missing, empty, truncated or a git-lfs pointer.

    Attributes:
        path: Where it lies; None if there can be none.
        name: Its name in evidence: the path relative to the run folder.
    """

    path: Path | None
    name: str

    @contextmanager
    def open(self) -> Generator["OpenTrace"]:
        """Open the trace to read it once, from its head to its end; a missing one has no lines."""
        if self.path is None:
            yield OpenTrace(self.name, "there is none", None)
            return
        try:
            file = open_regular(self.path)
        except PermissionError as error:
            yield OpenTrace(self.name, f"cannot be read ({error.strerror})", None)
            return
        except OSError:
            dropped = (self.path.parent / DROPPED).is_file()
            yield OpenTrace(
                self.name, "was not kept (--keep-traces)" if dropped else "is missing", None
            )
            return
        with file:
            head = file.read(_HEAD_BYTES)
            file.seek(0)
            is_pointer = head.startswith(LFS_POINTER)
            yield OpenTrace(self.name, self._problem(head), None if is_pointer else file)

    def _problem(self, head: bytes) -> str:
        if head.startswith(LFS_POINTER):
            return "is a git-lfs pointer; `git lfs pull` gets the content"
        if _REDACTED in head and self.path and (self.path.parents[2] / EXPORT).is_file():
            return "is redacted: it does not hold what was said"
        return "" if head else "is empty"


class OpenTrace:
    """An open trace.

    Attributes:
        problem: Why its lines do not tell what was said, as a sentence's end; empty if they do.
        file: The file; None where there is no trace to read.
        damaged: Numbers of the lines that could not be read; grows with `lines`.
    """

    def __init__(self, name: str, problem: str, file: BinaryIO | None) -> None:
        self.problem = problem
        self.damaged: list[int] = []
        self._name = name
        self.file = file

    def lines(self) -> Iterator[TraceLine]:
        """Read the lines in order, once."""
        news = NewMessages()
        for (number, call), (_, following) in pairwise(chain(self._calls(), [(0, StoredCall())])):
            purpose = purpose_of(number, call)
            new = news.of(call) if purpose == MODIFY else ()
            shown = tuple(ShownText(each.message.plain(), each.message.by_tool) for each in new)
            yield _line(self._name, number, call, following, purpose, shown)

    def _calls(self) -> Iterator[tuple[int, StoredCall]]:
        """Decode the calls, each with the number of its line."""
        if self.file is None:
            return
        decoder = msgspec.json.Decoder(StoredCall)
        for number in count(1):
            line = next_line(self.file)
            if line.content.strip():
                try:
                    yield number, decoder.decode(line.content)
                except UNDECODABLE:
                    self.damaged.append(number)
            if not line.is_whole:
                return


def _line(
    file: str,
    number: int,
    call: StoredCall,
    following: StoredCall,
    purpose: str,
    shown: tuple[ShownText, ...],
) -> TraceLine:
    told = next((message for message in call.messages if message.role == "user"), None)
    return TraceLine(
        file=file,
        line=number,
        purpose=purpose,
        model=call.model or "",
        tools=_tools(call, following),
        thinking=call.thinking or "",
        response=call.response or "",
        instruction="" if told is None else told.plain(),
        shown=shown,
    )


def purpose_of(number: int, call: StoredCall) -> str:
    """Return what a call was for; concluded where the trace does not say.

    The meta agent speaks first and has tools; a task agent is asked in one user message, without
    tools, after it.
    """
    if call.purpose:
        return call.purpose
    alone = [message.role for message in call.messages] == ["user"] and not call.tool_calls
    is_first = number == 1 and call.model is not None
    return EVALUATE if alone and not is_first else MODIFY


def _tools(call: StoredCall, following: StoredCall) -> tuple[ToolUse, ...]:
    used: list[ToolUse] = []
    for tool, answer in zip(call.tool_calls or (), results_of(call, following), strict=True):
        text = plain_text(tool.function.arguments)
        used.append(
            ToolUse(
                id=tool.id or "",
                name=tool.function.name or "",
                arguments=object_in(text),
                text=text,
                result=None if answer is None else answer.plain(),
            )
        )
    return tuple(used)
