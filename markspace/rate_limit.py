"""Limits on the writes to a scope in a sliding window."""

from collections import deque
from collections.abc import Sequence
from threading import Lock
from uuid import UUID

import msgspec


class ScopeRateLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Writes that a scope accepts within any window.

    Attributes:
        max_writes_per_agent_per_window: Writes of one agent; None is unlimited.
        max_total_writes_per_window: Writes of all agents together; None is unlimited.
        window_seconds: Length of the window in seconds.
    """

    max_writes_per_agent_per_window: int | None = None
    max_total_writes_per_window: int | None = None
    window_seconds: float = 300.0

    def __post_init__(self) -> None:
        if not self.window_seconds > 0:
            raise ValueError(f"window_seconds={self.window_seconds!r} must be above 0")


class RateLimitTracker:
    """Counts the writes of the last window, per scope and agent. Safe between threads.

    A write exactly at the edge of the window still counts. Logs of agents that have written
    nothing within a window are dropped, so that memory follows the traffic, not the history.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_agent: dict[tuple[str, UUID], deque[float]] = {}
        self._by_scope: dict[str, deque[float]] = {}
        self._swept_at: dict[str, float] = {}

    def check_and_record(
        self, scope: str, agent_id: UUID, limit: ScopeRateLimit, now: float
    ) -> str | None:
        """Record a write at `now` and return None, or return why it is over the limit."""
        return self.check_and_record_all([(scope, limit)], agent_id, now)

    def check_and_record_all(
        self, limits: Sequence[tuple[str, ScopeRateLimit]], agent_id: UUID, now: float
    ) -> str | None:
        """Record a write under several limits, or under none of them if one is reached."""
        with self._lock:
            for scope, limit in limits:
                self._sweep(scope, limit.window_seconds, now)
                reason = self._refusal(scope, agent_id, limit, now)
                if reason is not None:
                    return reason
            for scope, _ in limits:
                self._by_agent.setdefault((scope, agent_id), deque()).append(now)
                self._by_scope.setdefault(scope, deque()).append(now)
        return None

    def _refusal(self, scope: str, agent_id: UUID, limit: ScopeRateLimit, now: float) -> str | None:
        edge = now - limit.window_seconds
        own, most = self._by_agent.get((scope, agent_id)), limit.max_writes_per_agent_per_window
        if most is not None and count_since(own, edge) >= most:
            return f"Rate limit exceeded in {scope!r}: {most} writes per {limit.window_seconds} s"
        fleet, most = self._by_scope.get(scope), limit.max_total_writes_per_window
        if most is not None and count_since(fleet, edge) >= most:
            return f"Fleet rate limit reached in {scope!r}: {most} per {limit.window_seconds} s"
        return None

    def _sweep(self, scope: str, window: float, now: float) -> None:
        """Once a window, forget the logs of a scope that hold nothing recent."""
        count_since(self._by_scope.get(scope), now - window)
        if now - self._swept_at.setdefault(scope, now) <= window:
            return
        self._swept_at[scope] = now
        logs = [item for item in self._by_agent.items() if item[0][0] == scope]
        for key, log in logs:
            if count_since(log, now - window) == 0:
                del self._by_agent[key]


def count_since(log: deque[float] | None, edge: float) -> int:
    """Drop what is older than `edge` from a log in time order and count the rest."""
    while log and log[0] < edge:
        log.popleft()
    return len(log) if log else 0
