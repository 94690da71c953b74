"""A trace, call by call: any page of it by its index, with texts cut where they are long."""

from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from guards.parsing import decode_json
from guards.scope.changes import printable
from hyperspace.runs.stored_call import (
    StoredCall,
    StoredMessage,
    StoredToolCall,
    object_in,
    plain_text,
    results_of,
)
from hyperspace.runs.trace import purpose_of
from hyperspace.runs.traces.index import IndexedCall, MeasuredCall, TraceIndex, amount

MOST_MESSAGES: Final = 40  # new ones of one request
MOST_TOOL_CALLS: Final = 40  # of one reply
_MOST_WORD: Final = 120


class CutText(msgspec.Struct, frozen=True):
    """The start of a text.

    Attributes:
        field: What the text is called within its call, such as `message-3`, `response`,
            `thinking`, `arguments-0`, `result-0`, `error`.
        text: Its start.
        size: Characters of the whole text.
    """

    field: str
    text: str
    size: int

    @property
    def is_cut(self) -> bool:
        """Whether there is more of it."""
        return self.size > len(self.text)


class TraceMessage(msgspec.Struct, frozen=True):
    """A message of a request.

    Attributes:
        number: Its place in the request, from 0.
        role: Who says it, such as `user`.
        by_tool: Whether it is what a tool said.
        content: What it says.
    """

    number: int
    role: str
    by_tool: bool
    content: CutText


class TracedTool(msgspec.Struct, frozen=True):
    """A tool call of a reply.

    Attributes:
        name: The tool.
        brief: The start of its arguments on one line.
        arguments: What it was called with: name and value of each, or else as the model wrote it.
        result: What the tool said; None if no later request tells.
    """

    name: str
    brief: str
    arguments: CutText
    result: CutText | None


class PagedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a trace.

    Attributes:
        line: Its line number in the trace, from 1.
        call_id: Its name within the trace.
        timestamp: When it ended, ISO 8601 in UTC.
        purpose: What it was for.
        item: The item that it was about; empty where it was about none.
        model: Who was asked.
        messages: How many messages the request has.
        new: Those that no earlier request had, without the results shown with their tool calls.
        new_count: How many of these there are.
        thinking: Reasoning text.
        response: Visible text of the reply.
        tools: Its tool calls.
        finish: Why the model stopped.
        error: What the provider refused it with; empty text where it did not.
        prompt_tokens: Tokens that were sent; None where the trace does not say.
        completion_tokens: Tokens that came back.
        seconds: How long the answer took; None where the trace does not say.
        cost_usd: Its price in US dollars; None if it is not known.
        served: Whether the reply came from an earlier attempt's trace: nothing was paid.
        cached: Whether it came from another run's: nothing was paid.
    """

    line: int
    call_id: str
    timestamp: str
    purpose: str
    item: str
    model: str
    messages: int
    new: tuple[TraceMessage, ...]
    new_count: int
    thinking: CutText
    response: CutText
    tools: tuple[TracedTool, ...]
    finish: str
    error: CutText
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float | None
    cost_usd: float | None
    served: bool
    cached: bool


class _WholeCall(MeasuredCall, frozen=True):
    call_id: Any = None
    timestamp: Any = None
    finish: Any = None


def read_calls(
    file: BinaryIO, index: TraceIndex, first: int, count: int, most: int
) -> Iterator[PagedCall]:
    """Read calls in order.

    Args:
        file: The trace.
        index: Its index.
        first: The line to begin with.
        count: How many calls.
        most: Characters of each text that are read out; 0 leaves the texts away.
    """
    for at in index.calls(first, count):
        yield _traced(file, index, at, most)


def read_whole_call(
    file: BinaryIO, index: TraceIndex, line: int, most: int
) -> tuple[TraceMessage, ...] | None:
    """Read all messages of the request of one call; None if this line holds no call."""
    call = _call_at(file, index, line)
    if call is None:
        return None
    return tuple(_message(at, each, most) for at, each in enumerate(call.messages))


def read_text(file: BinaryIO, index: TraceIndex, line: int, field: str) -> str | None:
    """Read one text of a call whole, by the name that its `CutText` has; None if it has none."""
    at = next(index.calls(line, 1), None)
    if at is None or at.line != line:
        return None
    call = _decoded(file, at)
    kind, _, number = field.partition("-")
    at_number = int(number) if number.isascii() and number.isdecimal() and len(number) < 9 else -1
    if kind == "message" and 0 <= at_number < len(call.messages):
        return call.messages[at_number].plain()
    used = call.tool_calls or []
    if kind == "arguments" and 0 <= at_number < len(used):
        return _readable(used[at_number])
    if kind == "result" and 0 <= at_number < len(used):
        answer = _answers(file, index, at, call)[at_number]
        return None if answer is None else answer.plain()
    texts = {"response": call.response, "thinking": call.thinking, "error": call.refusal}
    return texts.get(field)


class SearchedText(NamedTuple):
    """A text that a call brings, with the call that a page shows it at.

    Attributes:
        line: Of that call.
        field: What the text is called there; `result` for what a tool said.
        text: The text.
    """

    line: int
    field: str
    text: str


def searched_texts(file: BinaryIO, at: IndexedCall) -> Iterator[SearchedText]:
    """Yield what a call brings that is new."""
    call = _decoded(file, at)
    for number in at.new:
        message = call.messages[number]
        is_result = message.role == "tool" and at.answers
        where = (at.answers, "result") if is_result else (at.line, f"message-{number}")
        yield SearchedText(*where, message.plain())
    for number, tool in enumerate(call.tool_calls or []):
        yield SearchedText(at.line, f"arguments-{number}", _readable(tool))
    yield SearchedText(at.line, "thinking", call.thinking or "")
    yield SearchedText(at.line, "response", call.response or "")


def _traced(file: BinaryIO, index: TraceIndex, at: IndexedCall, most: int) -> PagedCall:
    call = _decoded(file, at)
    answers = _answers(file, index, at, call)
    # What a tool said stands with its call: these messages are shown there.
    news = [n for n in at.new if call.messages[n].role != "tool" or not at.answers]
    return PagedCall(
        line=at.line,
        call_id=_word(call.call_id),
        timestamp=_word(call.timestamp),
        purpose=_word(purpose_of(at.line, call)),
        item=_word(call.item),
        model=_word(call.model),
        messages=len(call.messages),
        new=tuple(_message(n, call.messages[n], most) for n in news[:MOST_MESSAGES]),
        new_count=len(news),
        thinking=_cut("thinking", call.thinking or "", most),
        response=_cut("response", call.response or "", most),
        tools=tuple(_tools(call, answers, most)),
        finish=_word(call.finish),
        error=_cut("error", call.refusal, most),
        prompt_tokens=call.tokens("prompt_tokens"),
        completion_tokens=call.tokens("completion_tokens"),
        seconds=None if call.seconds is None else amount(call.seconds),
        cost_usd=None if call.cost_usd is None else amount(call.cost_usd),
        served=call.served is True,
        cached=call.cached is True,
    )


def _call_at(file: BinaryIO, index: TraceIndex, line: int) -> _WholeCall | None:
    at = next(index.calls(line, 1), None)
    return None if at is None or at.line != line else _decoded(file, at)


def _decoded(file: BinaryIO, at: IndexedCall) -> _WholeCall:
    """Decode an indexed line; an empty call where the file is not as it was indexed."""
    file.seek(at.offset)
    try:
        call = decode_json(file.read(at.size), _WholeCall)
    except msgspec.DecodeError:
        return _WholeCall()
    return call if not at.new or at.new[-1] < len(call.messages) else _WholeCall()


def _answers(
    file: BinaryIO, index: TraceIndex, at: IndexedCall, call: _WholeCall
) -> list[StoredMessage | None]:
    following = _call_at(file, index, at.follows) if call.tool_calls and at.follows else None
    return results_of(call, following or StoredCall())


def _tools(
    call: _WholeCall, answers: list[StoredMessage | None], most: int
) -> Iterator[TracedTool]:
    used = (call.tool_calls or [])[:MOST_TOOL_CALLS]
    for number, (tool, answer) in enumerate(zip(used, answers, strict=False)):
        values = object_in(plain_text(tool.function.arguments)) or {}
        starts = (each[:_MOST_WORD] for each in values.values() if isinstance(each, str))
        brief = _word(" ".join(" ".join(starts).split()))
        yield TracedTool(
            _word(tool.function.name),
            brief if most else "",
            _cut(f"arguments-{number}", _readable(tool), most),
            None if answer is None else _cut(f"result-{number}", answer.plain(), most),
        )


def _readable(tool: StoredToolCall) -> str:
    """Return the arguments of a call as names and values, or else as they were written."""
    text = plain_text(tool.function.arguments)
    values = object_in(text)
    if not values:
        return text
    lines: list[str] = []
    for name, value in values.items():
        told = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        lines.append(f"{name}:\n{told}" if "\n" in told else f"{name}: {told}")
    return "\n".join(lines)


def _message(number: int, message: StoredMessage, most: int) -> TraceMessage:
    content = _cut(f"message-{number}", message.plain(), most)
    return TraceMessage(number, _word(message.role), message.by_tool, content)


def _cut(field: str, text: str, most: int) -> CutText:
    return CutText(field, text[:most], len(text))


def _word(value: Any) -> str:
    return printable(value[:_MOST_WORD]) if isinstance(value, str) else ""
