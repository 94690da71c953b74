"""Where the lines of a trace lie, and what is new in each: made in one pass, kept, grown.

With it any page of a trace of any size is read by its offsets, and nothing else of the file is.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple, cast

import msgspec

from guards.parsing import UNDECODABLE
from hyperspace.runs.lines import ENDLESS_BYTES, BoundedLine, next_line
from hyperspace.runs.stored_call import NewMessages, StoredCall
from hyperspace.runs.trace import purpose_of

MOST_LINES: Final = 200_000
MOST_PARTS: Final = 40  # of a trace by purpose


class IndexedCall(NamedTuple):
    """Where a call lies.

    Attributes:
        line: Its line number from 1.
        offset: Of its line in the file.
        size: Of its line in bytes.
        new: Places of the messages in its request that no earlier request had.
        follows: Line of the next call of the same conversation; 0 where there is none.
        answers: Line of the call of the same conversation before it; 0 where there is none.
    """

    line: int
    offset: int
    size: int
    new: tuple[int, ...]
    follows: int
    answers: int


class PurposePart(msgspec.Struct, frozen=True):
    """Calls in a row that were for the same.

    Attributes:
        purpose: What for, such as `modify` or a split.
        line: The first of them.
        calls: How many.
    """

    purpose: str
    line: int
    calls: int


class TraceTotals(msgspec.Struct):
    """What all calls of a trace took together.

    Attributes:
        calls: Their number.
        prompt_tokens: Tokens that were sent.
        completion_tokens: Tokens that came back.
        cost_usd: Price of those that were paid, in US dollars, as far as it is known.
        seconds: Time that the answers took.
        served: Calls answered from an earlier attempt's trace.
        cached: Calls answered from another run's trace.
        errors: Calls that the provider refused.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    served: int = 0
    cached: int = 0
    errors: int = 0


class MeasuredCall(StoredCall, frozen=True):
    """A model call with what it took. Other programs write traces too, so any field may be odd."""

    usage: Any = None
    seconds: Any = None
    cost_usd: Any = None
    served: Any = None
    cached: Any = None
    error: Any = None

    def tokens(self, name: str) -> int | None:
        """Return a number of its usage, such as `prompt_tokens`; None where there is none."""
        usage = cast("dict[str, Any]", self.usage) if isinstance(self.usage, dict) else {}
        return None if usage.get(name) is None else int(amount(usage[name]))

    @property
    def refusal(self) -> str:
        """What the provider refused it with; empty where it did not."""
        if isinstance(self.error, dict):
            told = cast("dict[str, Any]", self.error)
            return f"{told.get('kind', '')}: {told.get('message', '')}"
        return "" if self.error is None else str(self.error)


class TraceIndex:
    """The index of one trace; grows with it.

    Attributes:
        end: How many bytes of the file it covers.
        damaged: The first lines that could not be read.
        damaged_count: How many there are.
        is_cut: Whether the trace has more lines than are indexed, or one that seems to have no end.
        totals: What all calls took together.
        parts: The trace by purpose; at most 40 parts.
    """

    def __init__(self) -> None:
        self.end = 0
        self.damaged: list[int] = []
        self.damaged_count = 0
        self.is_cut = False
        self.totals = TraceTotals()
        self.parts: list[PurposePart] = []
        self._number = 0  # of the last line that was read
        self._lines = array("Q")
        self._offsets = array("Q")
        self._sizes = array("Q")
        self._follows = array("Q")
        self._answers = array("Q")
        self._new: list[tuple[int, ...]] = []
        self._news = NewMessages()
        self._last: dict[int, int] = {}  # conversation, as a hash: position of its last call

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def last_line(self) -> int:
        """Number of the last line that holds a call; 0 without one."""
        return self._lines[-1] if self._lines else 0

    def extend(self, file: BinaryIO) -> None:
        """Take in what of a file was not there before; a line without its end is left for later."""
        decoder = msgspec.json.Decoder(MeasuredCall)
        file.seek(self.end)
        while not self.is_cut:
            line = next_line(file)
            self.is_cut = line.size > ENDLESS_BYTES
            if not (line.is_whole or self.is_cut):
                return
            self._number += 1
            if line.content.strip():
                self._take(line, decoder)
            self.end += line.size
            self.is_cut |= len(self) >= MOST_LINES

    def calls(self, first: int, count: int) -> Iterator[IndexedCall]:
        """Return calls in order: those of line `first` and after it."""
        start = bisect_left(self._lines, first)
        for at in range(start, min(start + count, len(self))):
            where = (self._lines[at], self._offsets[at], self._sizes[at], self._new[at])
            yield IndexedCall(*where, self._follows[at], self._answers[at])

    def before(self, line: int, count: int) -> int:
        """Return the line from which `count` calls stand before this line."""
        start = bisect_left(self._lines, line)
        return self._lines[max(0, start - count)] if start else 0

    def _take(self, line: BoundedLine, decoder: "msgspec.json.Decoder[MeasuredCall]") -> None:
        try:
            call = decoder.decode(line.content)
            new = tuple(each.number for each in self._news.of(call))
        except UNDECODABLE:
            self.damaged_count += 1
            if len(self.damaged) < MOST_PARTS:
                self.damaged.append(self._number)
            return
        purpose = purpose_of(self._number, call)
        conversation = hash((purpose, call.item))
        before = self._last.get(conversation)
        self._answers.append(0 if before is None else self._lines[before])
        if before is not None:
            self._follows[before] = self._number
        self._last[conversation] = len(self)
        self._offsets.append(self.end)
        self._sizes.append(line.size)
        self._follows.append(0)
        self._new.append(new)
        self._lines.append(self._number)  # last: another thread may read
        self._count(call)
        if self.parts and (self.parts[-1].purpose == purpose or len(self.parts) >= MOST_PARTS):
            last = self.parts[-1]
            self.parts[-1] = msgspec.structs.replace(last, calls=last.calls + 1)
        else:
            self.parts.append(PurposePart(purpose, self._number, 1))

    def _count(self, call: MeasuredCall) -> None:
        totals = self.totals
        totals.calls += 1
        totals.prompt_tokens += call.tokens("prompt_tokens") or 0
        totals.completion_tokens += call.tokens("completion_tokens") or 0
        totals.seconds += amount(call.seconds)
        totals.served += call.served is True
        totals.cached += call.cached is True
        totals.errors += call.error is not None
        if not (call.served is True or call.cached is True):
            totals.cost_usd += amount(call.cost_usd)


def amount(value: Any) -> float:
    """Return a number that is finite and not below 0; 0 for anything else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 1e15 else 0.0
