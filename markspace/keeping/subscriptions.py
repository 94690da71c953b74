"""Subscriptions: one walk through the order of marks for all of them, so writers do no work."""

from collections import deque
from collections.abc import Iterable, Iterator
from threading import RLock
from typing import NamedTuple
from uuid import UUID

from markspace.core.agents import WatchPattern
from markspace.core.marks import Action, AnyMark, Intent, Need, Observation, Warning
from markspace.core.scopes import ancestors
from markspace.errors import ValidationError
from markspace.keeping.codec import Decoder
from markspace.stores.base import Reader

PAGE = 500
MAX_PENDING = 10_000


class Subscription:
    """The marks that one agent waits for.

    Attributes:
        patterns: What it wants to hear of.
        pending: Ids of marks that it has not fetched yet; the oldest goes when there are too many.
        lost: How many went so.
    """

    def __init__(self) -> None:
        self.patterns: tuple[WatchPattern, ...] = ()
        self.pending: deque[UUID] = deque(maxlen=MAX_PENDING)
        self.lost = 0

    def append(self, mark_id: UUID) -> None:
        """Let a mark wait to be fetched."""
        self.lost += len(self.pending) == MAX_PENDING
        self.pending.append(mark_id)


class Slot(NamedTuple):
    """Where a pattern stands: a mark is held against the few slots in which its own may stand.

    Attributes:
        scope: Of the pattern.
        topic: Of the pattern.
        resource: Of the pattern.
    """

    scope: str
    topic: str | None
    resource: str | None


class Subscriptions:
    """The subscriptions of a space, by agent id."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._lock = RLock()
        self._cursor = 0  # sequence up to which all of them have been looked through
        self._by_agent: dict[UUID, Subscription] = {}
        self._by_slot: dict[Slot, set[UUID]] = {}

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
            self.catch_up(reader)
            self._take_out(agent_id)
            self._by_agent.setdefault(agent_id, Subscription()).patterns = patterns
            for pattern in patterns:
                slot = Slot(pattern.scope, pattern.topic, pattern.resource)
                self._by_slot.setdefault(slot, set()).add(agent_id)

    def unsubscribe(self, agent_id: UUID) -> None:
        """Drop an agent's patterns and what is pending."""
        with self._lock:
            self._take_out(agent_id)
            self._by_agent.pop(agent_id, None)

    def take(self, reader: Reader, agent_id: UUID, *, clear: bool) -> list[UUID]:
        """Return the ids that are pending, in order of writing."""
        with self._lock:
            subscription = self._by_agent.get(agent_id)
            if subscription is None:
                return []
            self.catch_up(reader)
            ids = list(subscription.pending)
            if clear:
                subscription.pending.clear()
            return ids

    def lost(self, reader: Reader, agent_id: UUID) -> int:
        """Return how many marks the agent fetched too late to get."""
        with self._lock:
            subscription = self._by_agent.get(agent_id)
            if subscription is None:
                return 0
            self.catch_up(reader)
            return subscription.lost

    def catch_up(self, reader: Reader) -> None:
        """Look through the marks since the cursor, once for all subscriptions."""
        if not self._by_slot:
            self._cursor = max(self._cursor, reader.head().sequence)
        while self._by_slot and (page := reader.scan(self._cursor, PAGE)):
            for row in page:
                mark = self._decoder.decode(row.body)
                for agent_id in self._waiting(reader, mark):
                    if not is_own(mark, agent_id):
                        self._by_agent[agent_id].append(mark.id)
                self._cursor = row.sequence

    def _take_out(self, agent_id: UUID) -> None:
        """Take an agent's patterns out of the slots."""
        subscription = self._by_agent.get(agent_id)
        for pattern in () if subscription is None else subscription.patterns:
            slot = Slot(pattern.scope, pattern.topic, pattern.resource)
            waiting = self._by_slot.get(slot, set())
            waiting.discard(agent_id)
            if not waiting:
                self._by_slot.pop(slot, None)

    def _waiting(self, reader: Reader, mark: AnyMark) -> set[UUID]:
        """Return who waits for a mark, or for the mark that it replaces."""
        agents = set(self._wanting(mark))
        if mark.supersedes is not None:
            replaced = reader.get(mark.supersedes.bytes)
            if replaced is not None:
                agents.update(self._wanting(self._decoder.decode(replaced.body)))
        return agents

    def _wanting(self, mark: AnyMark) -> Iterator[UUID]:
        """Yield the agents that have a pattern which the mark matches."""
        for slot in slots(mark):
            for agent_id in self._by_slot.get(slot, ()):
                if any(pattern.matches(mark) for pattern in self._by_agent[agent_id].patterns):
                    yield agent_id


def slots(mark: AnyMark) -> Iterator[Slot]:
    """Yield the slots of all patterns that a mark can match."""
    for scope in ancestors(mark.scope):
        yield Slot(scope, None, None)
        if isinstance(mark, Observation | Warning):
            yield Slot(scope, mark.topic, None)
        elif isinstance(mark, Intent | Action):
            yield Slot(scope, None, mark.resource)


def is_own(mark: AnyMark, agent_id: UUID) -> bool:
    """Return whether the agent wrote the mark itself; a need that another resolved is news."""
    if mark.agent_id != agent_id:
        return False
    return not (isinstance(mark, Need) and mark.resolved_by_agent not in (None, agent_id))
