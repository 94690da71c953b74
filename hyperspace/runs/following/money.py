"""Spending of a run as its ledger tells it: by whom, for what, over time; read as it grows.

A long run has hundreds of thousands of calls, so they are added up some thousands at a time.
"""

from array import array
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import accumulate, islice
from typing import Final

import msgspec

from hyperspace.kernel.state.folder import RunFolder
from hyperspace.runs.following.ledger import LedgerTail
from hyperspace.spending.budget import SpendingState, SpendingTotal, grouped
from hyperspace.spending.ledger_file import LedgerDamaged
from hyperspace.spending.ledger_lines import Line, ReservedCall, SettledCall

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
    """A sum for each generation of one agent.

    Attributes:
        values: By generation.
        total: Of all of them.
    """

    def __init__(self) -> None:
        self.values = array("d")
        self.total = 0.0

    def add(self, amounts: Iterable[tuple[int, float]]) -> None:
        """Add amounts to the sums of their generations."""
        values, count = self.values, len(self.values)
        for generation, amount in amounts:
            if not 0 <= generation < 10_000_000:
                continue
            if generation >= count:
                values.extend([0.0] * (generation + 1 - count))
                count = generation + 1
            values[generation] += amount
            self.total += amount


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
        self._every = 1

    def look(self, most_pieces: int | None = None) -> None:
        """Read what was added.

        Args:
            most_pieces: How many pieces of a megabyte at most; None reads to the end.
        """
        if self.problem:
            return
        try:
            for lines in islice(self._tail.look(), most_pieces):
                self._take(lines)
        except (LedgerDamaged, OSError) as error:
            self.problem = str(error)

    @property
    def read_share(self) -> float:
        """How much of the ledger has been added up, in [0, 1]; 1 where it cannot be read."""
        return self._tail.read_share if self._tail.is_behind and not self.problem else 1.0

    @property
    def in_flight(self) -> tuple[ReservedCall, ...]:
        """Calls that were reserved and neither settled nor released, the latest last."""
        return tuple(self.state.reserved.values())

    def _take(self, lines: Sequence[Line]) -> None:
        spent = self.state.spent
        before = spent.calls, spent.tokens, spent.cost_usd
        self.state.take(lines)
        settled = [line for line in lines if type(line) is SettledCall]
        for model, calls in grouped(settled, lambda line: line.model).items():
            self.models.setdefault(model, SpendingTotal()).add(calls)
        for agent, calls in grouped(settled, lambda line: line.agent).items():
            costs = self.costs.setdefault(agent, GenerationColumn())
            costs.add((line.generation, line.cost_usd or 0.0) for line in calls)
            tokens = self.tokens.setdefault(agent, GenerationColumn())
            tokens.add((line.generation, tokens_of(line)) for line in calls)
        self._note(settled, *before)

    def _note(self, settled: Sequence[SettledCall], calls: int, tokens: int, usd: float) -> None:
        """Continue the curve with every call, or one of so many.

        Args:
            settled: Calls.
            calls: How many there were before.
            tokens: What those took.
            usd: What they cost.
        """
        all_tokens = list(accumulate(map(tokens_of, settled), initial=tokens))
        all_usd = list(accumulate((line.cost_usd or 0.0 for line in settled), initial=usd))
        at = calls
        while (at := (at // self._every + 1) * self._every) <= calls + len(settled):
            new = at - calls
            try:
                at_s = datetime.fromisoformat(settled[new - 1].ended_utc).timestamp()
            except ValueError:
                continue
            self.moments.append(Moment(at_s, at, all_tokens[new], all_usd[new]))
            if len(self.moments) > MOST_MOMENTS:
                del self.moments[::2]
                self._every *= 2


def tokens_of(call: SettledCall) -> int:
    """Return the tokens that a call sent and received."""
    return call.prompt_tokens + call.completion_tokens
