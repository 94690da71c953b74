"""The ledger of a run: every attempt that a provider may bill, reserved before, settled after.

At every moment, spent plus reserved is within the limits, as long as providers honour max_tokens.
What was reserved when a process died stays reserved: its usage is unknown. `budget` adds it up.
"""

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

import anyio
import anyio.to_thread
import msgspec

from hyperspace.messages import Usage
from hyperspace.models.base import LimitReached, QuotaReached
from hyperspace.spending.budget import Bound, Quota, SpendingLimits, SpendingState
from hyperspace.spending.ledger_file import LedgerFile, LedgerLines
from hyperspace.spending.ledger_lines import (
    FORMAT,
    Account,
    AccountedCall,
    LedgerHead,
    Line,
    ReleasedCall,
    ReservedCall,
    SettledCall,
    UnreadableCall,
    Worked,
)
from hyperspace.wall_clock import utc_now

MOST_IN_FLIGHT: Final = 32
_SECONDS_AN_HOUR: Final = 3600


class Ledger:
    """Keeps a run's spending within its limits and writes it down.

    Attributes:
        lines: Where it is written down.
        budget: Sums over the whole run, earlier coordinators included.
        limits: What the run may take.
    """

    def __init__(
        self,
        lines: Path | LedgerLines,
        limits: SpendingLimits | None = None,
        most_in_flight: int = MOST_IN_FLIGHT,
    ) -> None:
        """Open a ledger and go on from what is in it.

        Args:
            lines: They, or their file of one process, which is made if missing.
            limits: What the run may take; None limits nothing.
            most_in_flight: Attempts at one time, over the whole run.

        Raises:
            LedgerDamaged: A line of it cannot be read.
        """
        self.budget = SpendingState()
        self.limits = limits or SpendingLimits()
        self._most_in_flight = most_in_flight
        self._in_flight: set[str] = set()
        # A coordinator that was taken over from may still write: its ids are never ours.
        self._session = os.urandom(4).hex()
        self._count = 0
        self._ended: anyio.Event | None = None
        self._noted_s = time.monotonic()
        self._players = 0
        self._waiting = 0
        self._quotas: dict[str, Quota] = {}
        self.lines = LedgerFile(lines) if isinstance(lines, Path) else lines
        try:
            with self.lines.alone() as earlier:
                self.budget.take(earlier)
                if self.lines.size_bytes() == 0:
                    self._put(LedgerHead(format=FORMAT))
        except BaseException:  # whatever it was, the file is not left open
            self.lines.close()
            raise

    async def reserve(self, account: Account, bound: Bound, *, durable: bool = True) -> str:
        """Set a call's upper bound aside, before it is sent; waits for calls in flight if need be.

        Args:
            account: Who pays, and for what.
            bound: The most that it can take.
            durable: Whether to wait until the line is on disk; calls that nobody bills need not.

        Returns:
            The reservation's id, for `settle`, `release` or `lose`.

        Raises:
            LimitReached: The call could pass a limit, and no call in flight can make room.
            OSError: It could not be written; nothing is reserved.
        """
        while (name := self.try_reserve(account, bound)) is None:
            self._ended = self._ended or anyio.Event()
            await self._ended.wait()
        if durable:
            try:
                await anyio.to_thread.run_sync(self.lines.sync)
            except BaseException:  # cancelled, or the disk failed: nothing was sent
                self.release(name)
                raise
        return name

    def try_reserve(self, account: Account, bound: Bound) -> str | None:
        """Reserve at once, or not: None means that calls in flight may still make room.

        Raises:
            LimitReached: As for `reserve`.
            OSError: As for `reserve`.
        """
        with self.lines.alone() as lines:
            self.budget.take(lines)
            return self._reserve_alone(account, bound)

    def _reserve_alone(self, account: Account, bound: Bound) -> str | None:
        """Reserve or not, while nobody else can."""
        obstacle = self.budget.obstacle(self.limits, bound)
        if not obstacle and account.agent in self._quotas:
            obstacle = self.budget.quota_obstacle(account.agent, self._quotas[account.agent], bound)
            flying = (self.budget.reserved[name].agent for name in self._in_flight)
            if obstacle and account.agent not in flying:  # calls of others make no room for it
                raise QuotaReached(obstacle)
        if len(self._in_flight) >= self._most_in_flight:
            obstacle = f"{self._most_in_flight} calls are in flight"
        if obstacle and not self._in_flight:
            raise LimitReached(obstacle)
        if obstacle:
            return None
        self._count += 1
        name = f"{self._session}-{self._count}"
        fields = {**account._asdict(), **msgspec.structs.asdict(bound)}
        self._put(ReservedCall(id=name, **fields, reserved_utc=utc_now()))
        self._in_flight.add(name)
        return name

    def set_quota(self, agent: str, quota: Quota) -> None:
        """Hold an agent to limits of its own, beside those of the run."""
        self._quotas[agent] = quota

    def settle(self, name: str, usage: Usage, cost_usd: float | None) -> None:
        """Write down what a call really took."""
        reserved = self.budget.reserved[name]
        fields = {field: getattr(reserved, field) for field in AccountedCall.__struct_fields__}
        fields |= msgspec.structs.asdict(usage)
        self._end(name, SettledCall(**fields, cost_usd=cost_usd, ended_utc=utc_now()))

    def count_unreadable(self, name: str, usage: Usage, cost_usd: float | None) -> None:
        """Write down what a call took, as estimated, whose reply came and cannot be read."""
        tokens = usage.prompt_tokens, usage.completion_tokens
        self._end(name, UnreadableCall(name, *tokens, cost_usd, utc_now()))

    def release(self, name: str) -> None:
        """Give back what an attempt reserved that was certainly not billed."""
        self._end(name, ReleasedCall(id=name, ended_utc=utc_now()))

    def lose(self, name: str) -> None:
        """The attempt ended without a reply that says what it took: it stays reserved."""
        self._in_flight.discard(name)
        ended, self._ended = self._ended, None
        if ended is not None:
            ended.set()

    def unknown(self) -> list[ReservedCall]:
        """Reservations of attempts that are over and whose usage nobody knows."""
        open_ = self.budget.reserved.items()
        return [line for name, line in open_ if name not in self._in_flight]

    def note_time(self) -> None:
        """Write down the working time since it was last written down."""
        now = time.monotonic()
        passed, self._noted_s = self._passed_s(now), now
        self._append(Worked(seconds=round(passed, 3), until_utc=utc_now()))

    def worked_s(self) -> float:
        """Working time of all coordinators up to now, in seconds."""
        return self.budget.worked_s + self._passed_s(time.monotonic())

    @contextmanager
    def at_work(self) -> Generator[None]:
        """Be one of several that work side by side, while the context lasts."""
        self._stand(self._players + 1, self._waiting)
        try:
            yield
        finally:
            self._stand(self._players - 1, self._waiting)

    @contextmanager
    def idle(self) -> Generator[None]:
        """Wait while the context lasts; while all do that are at work, no time is counted."""
        self._stand(self._players, self._waiting + 1)
        try:
            yield
        finally:
            self._stand(self._players, self._waiting - 1)

    def sync(self) -> int:
        """Wait until all that was written is on disk; returns the file's size in bytes."""
        self.lines.sync()
        return self.lines.size_bytes()

    def left_usd(self) -> float | None:
        """Money that is neither spent nor reserved, in US dollars; None without a limit."""
        if self.limits.usd is None:
            return None
        return max(0.0, self.limits.usd - self.budget.spent.cost_usd - self.budget.reserved_usd())

    def left_s(self) -> float:
        """Working time that is left, in seconds; infinite without a limit."""
        if self.limits.hours is None:
            return float("inf")
        return self.limits.hours * _SECONDS_AN_HOUR - self.worked_s()

    def close(self) -> None:
        """Write the working time down and close the file; safe to call twice."""
        if self.lines.is_open:
            try:
                self.note_time()
                self.lines.sync()
            finally:
                self.lines.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def _is_idle(self) -> bool:
        return 0 < self._waiting >= self._players

    def _passed_s(self, now: float) -> float:
        return 0.0 if self._is_idle else now - self._noted_s

    def _stand(self, players: int, waiting: int) -> None:
        was_idle = self._is_idle
        if not was_idle and 0 < waiting >= players:
            self.note_time()
        self._players, self._waiting = players, waiting
        if was_idle and not self._is_idle:
            self._noted_s = time.monotonic()

    def _end(self, name: str, line: ReleasedCall | SettledCall | UnreadableCall) -> None:
        try:
            self._append(line)
        finally:
            self.lose(name)

    def _append(self, line: Line) -> None:
        with self.lines.alone() as lines:
            self.budget.take(lines)
            self._put(line)

    def _put(self, line: Line) -> None:
        self.lines.append(msgspec.json.encode(line) + b"\n")
        self.budget.take((line,))
