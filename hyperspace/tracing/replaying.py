"""Recorded calls that answer in place of a model: for replays, which ask nobody.

A request must be the recorded one. Only the results of tools may differ, because they carry dates,
process ids and timings: they count as recorded, and each one that differs is told.
"""

import difflib
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from hyperspace.messages import (
    CallKey,
    ChatReply,
    ChatRequest,
    Message,
    canonical_request,
    request_sha256,
)
from hyperspace.models.base import ReplayMismatch
from hyperspace.tracing.calls import CallRecord, request_of
from hyperspace.tracing.traces import Trace

_FRAMED_RESULT: Final = "<tool_result>"
_MOST_DIFF_LINES: Final = 80
_LONGEST_LINE: Final = 400
_MOST_TOOL_DIFFERENCES: Final = 1000
_LONGEST_QUOTE: Final = 2000


class Difference(msgspec.Struct, frozen=True):
    """Where a replay left its record.

    Attributes:
        agent: Whose turn it was.
        generation: In which generation, or `test`.
        call: The model call as (purpose, item, ordinal); None where it is not about a call.
        what: What differs, in one line.
        diff: Unified diff from the record to the replay; empty where there is none.
    """

    agent: str
    generation: int | str
    call: CallKey | None
    what: str
    diff: str = ""

    def text(self) -> str:
        """All of it for people."""
        at = "" if self.call is None else f", call {self.call.purpose}/{self.call.item}"
        number = "" if self.call is None else f" #{self.call.ordinal}"
        head = f"{self.agent} gen {self.generation}{at}{number}: {self.what}"
        return f"{head}\n{self.diff}" if self.diff else head


class ToolDifference(msgspec.Struct, frozen=True):
    """A tool that said something else than in the record.

    Attributes:
        agent: Whose tool.
        generation: In which generation, or `test`.
        call: The model call that was told the result.
        message: Place of the result among that call's messages, from 0.
        recorded: What the record holds, cut if it is long.
        replayed: What the tool said now, cut if it is long.
    """

    agent: str
    generation: int | str
    call: CallKey
    message: int
    recorded: str
    replayed: str


class ReplayStopped(ReplayMismatch):
    """A replay met its first difference.

    Attributes:
        difference: Where and what.
    """

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.text())
        self.difference = difference


class RecordedModel:
    """Has the name of a recorded run's model and is never asked."""

    offline = False  # somebody else's model wrote what its answers make an agent do

    def __init__(self, name: str) -> None:
        self.name = name

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Refuse: the record answers.

        Raises:
            ReplayMismatch: Always.
        """
        raise ReplayMismatch(f"{request.model} was asked in a replay, which asks no model")

    async def check(self) -> None:
        """Nothing to reach."""

    async def aclose(self) -> None:
        """Nothing to release."""


class Playback:
    """The finished calls of one recorded attempt, each given out once; implements `Served`.

    Attributes:
        tool_differences: Tool results that were not the recorded ones, each told once.
    """

    def __init__(self, agent: str, generation: int | str, trace: Trace) -> None:
        self.tool_differences: list[ToolDifference] = []
        self._agent = agent
        self._generation = generation
        self._problem = trace.problem
        self._waiting = dict(enumerate(trace.calls))
        self._told: set[tuple[str, str, int]] = set()

    def find(self, key: CallKey, request: ChatRequest, sha256: str) -> CallRecord:
        """Take the recorded call of this place; see `Served`.

        Raises:
            ReplayStopped: There is none, or it answers another request.
        """
        call = self._take(key, request)
        recorded = self._request_of(call)
        if call.request_sha256 != sha256:
            self._compare(call.key, recorded, canonical_request(request))
        return call

    def take(self, purpose: str, item: str, count: int) -> list[CallRecord]:
        """Take the next calls for a purpose and item, in the order of the trace."""
        numbers = [
            number
            for number, call in self._waiting.items()
            if (call.purpose, call.item) == (purpose, item)
        ]
        return [self._waiting.pop(number) for number in numbers[:count]]

    def stop(self, key: CallKey | None, what: str, diff: str = "") -> ReplayStopped:
        """The error for a replay that leaves this attempt's record."""
        return ReplayStopped(Difference(self._agent, self._generation, key, what, diff))

    def _take(self, key: CallKey, request: ChatRequest) -> CallRecord:
        for number, call in self._waiting.items():
            if call.key == key:
                return self._waiting.pop(number)
        why = f" ({self._problem})" if self._problem else ""
        raise self.stop(
            key,
            f"the record holds no such call{why}",
            _diff((), _lines(canonical_request(request))),
        )

    def _compare(self, key: CallKey, recorded: ChatRequest, request: ChatRequest) -> None:
        same = _with_recorded_results(request, recorded)
        if same != recorded:
            diff = _diff(_lines(recorded), _lines(same))
            raise self.stop(key, "the request is not the recorded one", diff)
        pairs = zip(recorded.messages, request.messages, strict=True)
        for number, (before, now) in enumerate(pairs):
            if before.content != now.content:
                self._tell(key, number, before.content, now.content)

    def _request_of(self, call: CallRecord) -> ChatRequest:
        try:
            recorded = request_of(call)
        except msgspec.ValidationError as error:
            raise self.stop(call.key, f"the record is damaged: {error}") from error
        if request_sha256(recorded) != call.request_sha256:
            raise self.stop(call.key, "the record is damaged: its request has another hash")
        return canonical_request(recorded)

    def _tell(self, key: CallKey, message: int, recorded: str, replayed: str) -> None:
        # A conversation is sent again and again as it grows; each result is told at first sight.
        address = (key.purpose, key.item, message)
        if address in self._told or len(self.tool_differences) >= _MOST_TOOL_DIFFERENCES:
            return
        self._told.add(address)
        cut = recorded[:_LONGEST_QUOTE], replayed[:_LONGEST_QUOTE]
        difference = ToolDifference(self._agent, self._generation, key, message, *cut)
        self.tool_differences.append(difference)


def differing_lines(recorded: Any, replayed: Any) -> str:
    """Unified diff of two values as formatted JSON, bounded in length."""
    return _diff(_json_lines(recorded), _json_lines(replayed))


def _with_recorded_results(request: ChatRequest, recorded: ChatRequest) -> ChatRequest:
    if len(request.messages) != len(recorded.messages):
        return request
    messages = tuple(
        msgspec.structs.replace(message, content=before.content)
        if _is_result(message) and _is_result(before)
        else message
        for message, before in zip(request.messages, recorded.messages, strict=True)
    )
    return msgspec.structs.replace(request, messages=messages)


def _is_result(message: Message) -> bool:
    if message.role == "user":
        return message.content.startswith(_FRAMED_RESULT)
    return message.role == "tool"


def _lines(request: ChatRequest) -> list[str]:
    """A request as formatted JSON, texts as lists of their lines so that a diff shows which."""
    fields = msgspec.to_builtins(request)
    for message in fields["messages"]:
        if "content" in message:
            message["content"] = message["content"].split("\n")
    return _json_lines(fields)


def _json_lines(value: Any) -> list[str]:
    text = msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2)
    return text.decode().splitlines()


def _diff(recorded: Sequence[str], replayed: Sequence[str]) -> str:
    lines = [
        line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} [...]"
        for line in difflib.unified_diff(recorded, replayed, "record", "replay", lineterm="")
    ]
    more = len(lines) - _MOST_DIFF_LINES
    shown = lines[:_MOST_DIFF_LINES] + ([f"[... {more} more lines ...]"] if more > 0 else [])
    return "\n".join(shown)
