"""Subscriptions: each is a cursor into the order of marks, so that writers do no work for them."""

from collections import deque
from collections.abc import Iterable
from threading import RLock
from uuid import UUID

from markspace.core.agents import WatchPattern
from markspace.core.marks import AnyMark, Need
from markspace.errors import ValidationError
from markspace.keeping.codec import Decoder
from markspace.stores.base import Reader

PAGE = 500
MAX_PENDING = 10_000


class Subscription:
    """The marks that one agent waits for.

    Attributes:
        patterns: What it wants to hear of.
        cursor: Sequence up to which it has been looked through.
        pending: Ids of marks that it has not fetched yet; the oldest goes when there are too many.
        lost: How many went so.
    """

    def __init__(self, cursor: int) -> None:
        self.patterns: tuple[WatchPattern, ...] = ()
        self.cursor = cursor
        self.pending: deque[UUID] = deque(maxlen=MAX_PENDING)
        self.lost = 0

    def append(self, mark_id: UUID) -> None:
        """Let a mark wait to be fetched."""
        self.lost += len(self.pending) == MAX_PENDING
        self.pending.append(mark_id)


class Subscriptions:
    """The subscriptions of a space, by agent id."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._lock = RLock()
        self._by_agent: dict[UUID, Subscription] = {}

    def subscribe(self, reader: Reader, agent_id: UUID, patterns: Iterable[WatchPattern]) -> None:
        """Replace an agent's patterns from here on; what is pending stays.

        Raises:
            ValidationError: One of them is not a pattern.
        """
        patterns = tuple(patterns)
        for pattern in patterns:
            if not isinstance(pattern, WatchPattern):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ValidationError(f"{pattern!r} is not a pattern; pass WatchPattern(scope=...)")
        with self._lock:
            self.catch_up(reader, agent_id)
            cursor = reader.head().sequence
            subscription = self._by_agent.setdefault(agent_id, Subscription(cursor))
            subscription.patterns = patterns

    def unsubscribe(self, agent_id: UUID) -> None:
        """Drop an agent's patterns and what is pending."""
        with self._lock:
            self._by_agent.pop(agent_id, None)

    def take(self, reader: Reader, agent_id: UUID, *, clear: bool) -> list[UUID]:
        """Return the ids that are pending, in order of writing."""
        with self._lock:
            self.catch_up(reader, agent_id)
            subscription = self._by_agent.get(agent_id)
            if subscription is None:
                return []
            ids = list(subscription.pending)
            if clear:
                subscription.pending.clear()
            return ids

    def lost(self, reader: Reader, agent_id: UUID) -> int:
        """Return how many marks the agent fetched too late to get."""
        with self._lock:
            self.catch_up(reader, agent_id)
            subscription = self._by_agent.get(agent_id)
            return 0 if subscription is None else subscription.lost

    def catch_up(self, reader: Reader, agent_id: UUID) -> None:
        """Look through the marks since the cursor."""
        subscription = self._by_agent.get(agent_id)
        if subscription is None:
            return
        while page := reader.scan(subscription.cursor, PAGE):
            for row in page if subscription.patterns else ():
                mark = self._decoder.decode(row.body)
                if not is_own(mark, agent_id) and self._is_wanted(reader, mark, subscription):
                    subscription.append(mark.id)
            subscription.cursor = page[-1].sequence

    def _is_wanted(self, reader: Reader, mark: AnyMark, subscription: Subscription) -> bool:
        if matches_any(mark, subscription.patterns):
            return True
        if mark.supersedes is None:
            return False
        replaced = reader.get(mark.supersedes.bytes)
        return replaced is not None and matches_any(
            self._decoder.decode(replaced.body), subscription.patterns
        )


def matches_any(mark: AnyMark, patterns: Iterable[WatchPattern]) -> bool:
    """Return whether any pattern wants the mark."""
    return any(pattern.matches(mark) for pattern in patterns)


def is_own(mark: AnyMark, agent_id: UUID) -> bool:
    """Return whether the agent wrote the mark itself; a need that another resolved is news."""
    if mark.agent_id != agent_id:
        return False
    return not (isinstance(mark, Need) and mark.resolved_by_agent not in (None, agent_id))
