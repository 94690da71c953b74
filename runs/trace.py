"""A trace, streamed: one typed line a model call, with what the tools said where that is known.

A tool's answer stands in the request that follows; so one line is read ahead, never the whole
file. Published traces do not say what a call was for: see `_purpose`.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

import msgspec

from evolution.state.folder import DROPPED, EXPORT
from guards.scope.regular_files import LFS_POINTER, open_regular

MODIFY: Final = "modify"
EVALUATE: Final = "evaluate"
_FRAMED_RESULT: Final = "<tool_result>"  # how the runtime tells a model without native calls
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
        damaged: Numbers of the lines that could not be read; grows with `lines`.
    """

    def __init__(self, name: str, problem: str, file: BinaryIO | None) -> None:
        self.problem = problem
        self.damaged: list[int] = []
        self._name = name
        self._file = file

    def lines(self) -> Iterator[TraceLine]:
        """Read the lines in order, once."""
        news = _News()
        for (number, call), (_, following) in pairwise(chain(self._calls(), [(0, _Call())])):
            purpose = call.purpose or _purpose(number, call)
            shown = tuple(news.of(call)) if purpose == MODIFY else ()
            yield _line(self._name, number, call, following, purpose, shown)

    def _calls(self) -> Iterator[tuple[int, "_Call"]]:
        """Decode the calls, each with the number of its line."""
        if self._file is None:
            return
        decoder = msgspec.json.Decoder(_Call)
        for number, line in enumerate(self._file, start=1):
            if not line.strip():
                continue
            try:
                yield number, decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                self.damaged.append(number)


class _Message(msgspec.Struct, frozen=True):
    role: str = ""
    content: msgspec.Raw = msgspec.Raw()
    text: msgspec.Raw = msgspec.Raw()
    tool_call_id: str | None = None

    def plain(self) -> str:
        """Its text."""
        return _text(self.content) or _text(self.text)


class _Function(msgspec.Struct, frozen=True):
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()


class _ToolCall(msgspec.Struct, frozen=True):
    id: str | None = None
    function: _Function = _Function()


class _Call(msgspec.Struct, frozen=True):
    """The fields of a line that are read; each may be missing."""

    model: str | None = None
    messages: list[_Message] = []
    response: str | None = None
    thinking: str | None = None
    tool_calls: list[_ToolCall] | None = None
    purpose: str | None = None


class _News:
    """The messages that requests had so far, and what replies said."""

    def __init__(self) -> None:
        self._messages: set[bytes] = set()
        self._replies: set[str] = set()

    def of(self, call: _Call) -> Iterator[ShownText]:
        """What a request shows that is new; takes the request and its reply in."""
        for message in call.messages:
            raw = bytes(message.content) + bytes(message.text)
            if raw in self._messages:
                continue
            self._messages.add(raw)
            text = message.plain()
            if text and not (message.role == "assistant" and text in self._replies):
                yield ShownText(text, message.role == "tool" or text.startswith(_FRAMED_RESULT))
        self._replies.add(call.response or "")


def _line(
    file: str,
    number: int,
    call: _Call,
    following: _Call,
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


def _purpose(number: int, call: _Call) -> str:
    """Conclude what a call was for, where the trace does not say.

    The meta agent speaks first and has tools; a task agent is asked in one user message, without
    tools, after it.
    """
    alone = [message.role for message in call.messages] == ["user"] and not call.tool_calls
    is_first = number == 1 and call.model is not None
    return EVALUATE if alone and not is_first else MODIFY


def _tools(call: _Call, following: _Call) -> tuple[ToolUse, ...]:
    calls = call.tool_calls or []
    if not calls:
        return ()
    answers = _answers(following)
    by_id = {message.tool_call_id: message for message in answers if message.tool_call_id}
    used: list[ToolUse] = []
    for at, tool in enumerate(calls):
        answer = by_id.get(tool.id or "")
        if answer is None and not by_id and len(answers) == len(calls):
            answer = answers[at]
        text = _text(tool.function.arguments)
        used.append(
            ToolUse(
                id=tool.id or "",
                name=tool.function.name or "",
                arguments=_object(text),
                text=text,
                result=None if answer is None else answer.plain(),
            )
        )
    return tuple(used)


def _answers(following: _Call) -> list[_Message]:
    """The tool messages at the end of a request: answers to the reply before it."""
    trailing: list[_Message] = []
    for message in reversed(following.messages):
        if message.role == "assistant":
            break
        if message.role == "tool":
            trailing.append(message)
    return trailing[::-1]


def _object(text: str) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        return None


def _text(raw: msgspec.Raw) -> str:
    """A text, or the texts of a list of blocks, or else the JSON as it stands."""
    if not bytes(raw):
        return ""
    value: Any = msgspec.json.decode(raw)
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        blocks = cast("list[Any]", value)
        texts = (
            cast("dict[str, Any]", block).get("text", "") if isinstance(block, dict) else block
            for block in blocks
        )
        return "\n".join(map(str, texts))
    return "" if value is None else bytes(raw).decode()
