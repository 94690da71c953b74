"""Spending of a run as its ledger tells it: by whom, for what, over time; read as it grows."""

from array import array
from datetime import datetime
from typing import Final

import msgspec

from agents.spending.budget import SpendingState, SpendingTotal
from agents.spending.ledger_file import LedgerDamaged, LedgerTail
from agents.spending.ledger_lines import Line, ReservedCall, SettledCall
from evolution.state.folder import RunFolder

MOST_MOMENTS: Final = 2048  # of the curve over time; when it has more, every second one is left out


class Moment(msgspec.Struct, frozen=True):
    """What was spent up to a moment.

    Attributes:
        at_s: Seconds since 1970.
        calls: Model calls.
        tokens: Tokens sent and received.
        usd: Money whose price is known, in US dollars.
    """

    at_s: float
    calls: int
    tokens: int
    usd: float


class GenerationColumn:
    """A sum for each generation of one agent."""

    def __init__(self) -> None:
        self.values = array("d")

    def add(self, generation: int, value: float) -> None:
        """Add to the sum of a generation."""
        if not 0 <= generation < 10_000_000:
            return
        missing = generation + 1 - len(self.values)
        if missing > 0:
            self.values.extend([0.0] * missing)
        self.values[generation] += value


class RunMoney:
    """The ledger of a run, added up; each look reads what is new.

    Attributes:
        state: Its sums, and what is reserved.
        models: The sums of each model.
        costs: Money by generation, of each agent.
        tokens: Tokens by generation, of each agent.
        moments: What was spent in all, over time.
        problem: Why it cannot be read any further; empty if it can.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.state = SpendingState()
        self.models: dict[str, SpendingTotal] = {}
        self.costs: dict[str, GenerationColumn] = {}
        self.tokens: dict[str, GenerationColumn] = {}
        self.moments: list[Moment] = []
        self.problem = ""
        self._tail = LedgerTail(folder.ledger)
        self._every, self._settled = 1, 0

    def look(self) -> None:
        """Read what was added."""
        while not self.problem:
            try:
                lines = self._tail.look()
            except (LedgerDamaged, OSError) as error:
                self.problem = str(error)
                return
            for line in lines:
                self._take(line)
            if not self._tail.is_behind:
                return

    @property
    def in_flight(self) -> tuple[ReservedCall, ...]:
        """Calls that were reserved and neither settled nor released, the latest last."""
        return tuple(self.state.reserved.values())

    def _take(self, line: Line) -> None:
        self.state.take(line)
        if not isinstance(line, SettledCall):
            return
        tokens, usd = line.prompt_tokens + line.completion_tokens, line.cost_usd or 0.0
        self.models.setdefault(line.model, SpendingTotal()).add(line)
        self.costs.setdefault(line.agent, GenerationColumn()).add(line.generation, usd)
        self.tokens.setdefault(line.agent, GenerationColumn()).add(line.generation, tokens)
        self._settled += 1
        if self._settled % self._every == 0:
            self._note(line.ended_utc)

    def _note(self, ended_utc: str) -> None:
        try:
            at_s = datetime.fromisoformat(ended_utc).timestamp()
        except ValueError:
            return
        spent = self.state.spent
        self.moments.append(Moment(at_s, spent.calls, spent.tokens, spent.cost_usd))
        if len(self.moments) > MOST_MOMENTS:
            del self.moments[::2]
            self._every *= 2
