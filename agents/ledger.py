"""The ledger: one line for every call that was really made, those of abandoned tries included."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from agents.calls import CallRecord, RecordedUsage
from agents.wall_clock import utc_now


class LedgerLine(msgspec.Struct, frozen=True, kw_only=True):
    """One paid call.

    Attributes:
        call_id: The call's name within its trace.
        agent: Who asked.
        generation: In which generation; a number, or the name of a final evaluation.
        purpose: `modify`, or the split that was evaluated.
        model: Name that the model was asked for by.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        cost_usd: Price in US dollars; None if it is not known.
        ended_utc: When the call ended, ISO 8601.
    """

    call_id: str
    agent: str
    generation: int | str
    purpose: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    ended_utc: str


class Total(msgspec.Struct, frozen=True):
    """Sums over calls.

    Attributes:
        calls: How many there were.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        cost_usd: Sum of the prices that are known.
        unpriced: Calls whose price is not known.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    def plus(self, line: LedgerLine) -> "Total":
        """Add one line."""
        return Total(
            self.calls + 1,
            self.prompt_tokens + line.prompt_tokens,
            self.completion_tokens + line.completion_tokens,
            self.cost_usd + (line.cost_usd or 0.0),
            self.unpriced + (line.cost_usd is None),
        )


class Ledger:
    """Appends a line a call and keeps the totals per agent.

    What an earlier process has written is read once, so totals cover the whole run.
    """

    def __init__(self, path: Path) -> None:
        self._totals: dict[str, Total] = {}
        whole = _whole_lines(path)
        for line in whole:
            self._count(line)
        self._file = path.open("ab", buffering=0)

    def add(self, agent: str, generation: int | str, call: CallRecord) -> None:
        """Write down one call that was really made."""
        line = _line(agent, generation, call)
        self._file.write(msgspec.json.encode(line) + b"\n")
        os.fsync(self._file.fileno())
        self._count(line)

    def total(self, agent: str) -> Total:
        """Sums of one agent over the whole run; zeros for one that has asked nothing."""
        return self._totals.get(agent, Total())

    def totals(self) -> dict[str, Total]:
        """Sums by agent."""
        return dict(self._totals)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _count(self, line: LedgerLine) -> None:
        self._totals[line.agent] = self.total(line.agent).plus(line)


def _whole_lines(path: Path) -> list[LedgerLine]:
    """Read a ledger and cut off a last line that a killed process has torn."""
    if not path.exists():
        return []
    whole, feed, torn = path.read_bytes().rpartition(b"\n")
    if torn:
        os.truncate(path, len(whole) + len(feed))
    return [msgspec.json.decode(line, type=LedgerLine) for line in whole.split(b"\n") if line]


def _line(agent: str, generation: int | str, call: CallRecord) -> LedgerLine:
    usage = call.usage or RecordedUsage()
    return LedgerLine(
        call_id=call.call_id,
        agent=agent,
        generation=generation,
        purpose=call.purpose,
        model=call.model,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost_usd=call.cost_usd,
        ended_utc=utc_now(),
    )
