"""Sums of what a run has spent and reserved, and whether another call fits its limits.

Pure arithmetic over ledger lines: reading a ledger again gives the same sums. A reservation that
was never settled keeps its upper bound for good, because the provider may have billed it.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, Protocol, TypeVar, assert_never

import msgspec

from hyperspace.spending.ledger_lines import (
    LedgerHead,
    Line,
    ReleasedCall,
    ReservedCall,
    SettledCall,
    UnreadableCall,
    Worked,
)

ADDED_AT_ONCE: Final = 4096
K = TypeVar("K", bound=Hashable)


def grouped(
    calls: Iterable[SettledCall], by: Callable[[SettledCall], K]
) -> dict[K, list[SettledCall]]:
    """Return calls that have something in common together, in their order."""
    groups: dict[K, list[SettledCall]] = {}
    for call in calls:
        groups.setdefault(by(call), []).append(call)
    return groups


class SpendingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a whole run; None means no limit.

    Attributes:
        usd: Money, in US dollars.
        tokens: Tokens sent and received.
        calls: Model calls.
        hours: Working time of the run's coordinators, summed over resumes.
    """

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    hours: float | None = None


class Quota(Protocol):
    """Limits of one agent within those of its run; None means no limit."""

    @property
    def calls(self) -> int | None:
        """Model calls."""
        ...

    @property
    def usd(self) -> float | None:
        """Money, in US dollars."""
        ...

    @property
    def tokens(self) -> int | None:
        """Tokens sent and received."""
        ...


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """The most that one call can take.

    Attributes:
        prompt_tokens: Upper bound on the tokens sent.
        completion_tokens: The max_tokens that is sent along.
        cost_usd: Upper bound on the price; None if no price is known.
    """

    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.prompt_tokens + self.completion_tokens


class SpendingTotal(msgspec.Struct):
    """Sums over settled calls.

    Attributes:
        calls: How many there were.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        cached_tokens: Part of the tokens sent that came from a cache.
        cache_write_tokens: Part of the tokens sent that went into one.
        reasoning_tokens: Part of the tokens received that was reasoning.
        cost_usd: Sum of the prices that are known.
        unpriced: Calls whose price is not known.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, lines: Sequence[SettledCall]) -> None:
        """Count settled calls."""
        prices = [line.cost_usd for line in lines if line.cost_usd is not None]
        self.calls += len(lines)
        self.cost_usd += sum(prices)
        self.unpriced += len(lines) - len(prices)
        self.prompt_tokens += sum([line.prompt_tokens for line in lines])
        self.completion_tokens += sum([line.completion_tokens for line in lines])
        self.cached_tokens += sum([line.cached_tokens for line in lines])
        self.cache_write_tokens += sum([line.cache_write_tokens for line in lines])
        self.reasoning_tokens += sum([line.reasoning_tokens for line in lines])

    def add_unreadable(self, line: UnreadableCall) -> None:
        """Count what a reply took that is no call's answer."""
        self.cost_usd += line.cost_usd or 0.0
        self.unpriced += line.cost_usd is None
        self.prompt_tokens += line.prompt_tokens
        self.completion_tokens += line.completion_tokens

    def merge(self, other: "SpendingTotal") -> None:
        """Add another sum."""
        self.calls += other.calls
        self.prompt_tokens += other.prompt_tokens
        self.completion_tokens += other.completion_tokens
        self.cached_tokens += other.cached_tokens
        self.cache_write_tokens += other.cache_write_tokens
        self.reasoning_tokens += other.reasoning_tokens
        self.cost_usd += other.cost_usd
        self.unpriced += other.unpriced


class SpendingState:
    """The state of a run's spending.

    Attributes:
        spent: Sums over everything that was settled.
        by: The same by (agent, purpose).
        reserved: Reservations that were neither settled nor released, by id.
        worked_s: Working time on record, in seconds.
    """

    def __init__(self) -> None:
        self.spent = SpendingTotal()
        self.by: dict[tuple[str, str], SpendingTotal] = {}
        self.reserved: dict[str, ReservedCall] = {}
        self.worked_s = 0.0

    def take(self, lines: Iterable[Line]) -> None:
        """Bring the sums up to some lines of a ledger, added up some thousands at a time."""
        settled: list[SettledCall] = []
        for line in lines:
            match line:
                case ReservedCall():
                    self.reserved[line.id] = line
                case SettledCall():
                    self.reserved.pop(line.id, None)
                    settled.append(line)
                    if len(settled) == ADDED_AT_ONCE:
                        self._add(settled)
                        settled.clear()
                case ReleasedCall():
                    self.reserved.pop(line.id, None)
                case UnreadableCall():
                    self._add_unreadable(line)
                case Worked():
                    self.worked_s += line.seconds
                case LedgerHead():
                    pass
                case _:
                    assert_never(line)
        self._add(settled)

    def _add_unreadable(self, line: UnreadableCall) -> None:
        reserved = self.reserved.pop(line.id, None)
        self.spent.add_unreadable(line)
        if reserved is not None:
            account = reserved.agent, reserved.purpose
            self.by.setdefault(account, SpendingTotal()).add_unreadable(line)

    def _add(self, settled: Sequence[SettledCall]) -> None:
        self.spent.add(settled)
        accounts = grouped(settled, lambda line: (line.agent, line.purpose))
        for account, calls in accounts.items():
            self.by.setdefault(account, SpendingTotal()).add(calls)

    def obstacle(self, limits: SpendingLimits, bound: Bound) -> str:
        """Which limit on calls, tokens or money a call could pass, with figures; empty if it fits.

        Hours are not asked here: they pass without calls too, so a clock watches `Ledger.left_s`.
        """
        if limits.calls is not None and self.spent.calls + len(self.reserved) >= limits.calls:
            return (
                f"--max-calls {limits.calls} is reached: {self.spent.calls} calls made, "
                f"{len(self.reserved)} reserved"
            )
        tokens = self.spent.tokens + self.reserved_tokens() + bound.tokens
        if limits.tokens is not None and tokens > limits.tokens:
            return (
                f"--max-tokens {limits.tokens} is reached: {self.spent.tokens} tokens spent, "
                f"{self.reserved_tokens()} reserved, and the next call may take {bound.tokens}"
            )
        usd = self.spent.cost_usd + self.reserved_usd() + (bound.cost_usd or 0.0)
        if limits.usd is not None and usd > limits.usd:
            return (
                f"--max-usd {limits.usd} is reached: ${self.spent.cost_usd:.4f} spent, "
                f"${self.reserved_usd():.4f} reserved, and the next call may take "
                f"${bound.cost_usd or 0.0:.4f}"
            )
        return ""

    def quota_obstacle(self, agent: str, quota: Quota, bound: Bound) -> str:
        """Which limit of its own a call of an agent could pass, with figures; empty if it fits."""
        spent = self.of(agent)
        lines = [line for line in self.reserved.values() if line.agent == agent]
        tokens = spent.tokens + sum(n.prompt_tokens + n.completion_tokens for n in lines)
        usd = spent.cost_usd + sum(line.cost_usd or 0.0 for line in lines)
        taken = (
            ("calls", quota.calls, spent.calls + len(lines), 1),
            ("usd", quota.usd, usd, bound.cost_usd or 0.0),
            ("tokens", quota.tokens, tokens, bound.tokens),
        )
        for name, limit, sum_so_far, more in taken:
            if limit is not None and sum_so_far + more > limit:
                so_far = f"{sum_so_far:.7g} are spent or reserved"
                told = f"of which {so_far}, and the next call may take {more:.7g}"
                if sum_so_far > limit:  # it was lowered since
                    told = f"and {so_far}, more than it allows"
                return (
                    f"the quota of {agent} is reached: {name} {limit}, {told}; "
                    f"hyperspace steer RUN quota {agent} raises it, stop-agent {agent} ends it"
                )
        return ""

    def reserved_tokens(self) -> int:
        """Upper bound on the tokens of everything that is reserved."""
        return sum(line.prompt_tokens + line.completion_tokens for line in self.reserved.values())

    def reserved_usd(self) -> float:
        """Upper bound on the price of everything that is reserved."""
        return sum(line.cost_usd or 0.0 for line in self.reserved.values())

    def of(self, agent: str) -> SpendingTotal:
        """Sums of one agent; zeros for one that has asked nothing."""
        result = SpendingTotal()  # asked before each call under a quota: its own sums alone
        for (name, _), total in self.by.items():
            if name == agent:
                result.merge(total)
        return result

    def by_agent(self) -> dict[str, SpendingTotal]:
        """Sums of each agent that has asked something."""
        sums: dict[str, SpendingTotal] = {}
        for (name, _), total in self.by.items():
            sums.setdefault(name, SpendingTotal()).merge(total)
        return sums
