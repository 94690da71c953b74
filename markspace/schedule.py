"""Scheduling: which agents are due by the interval in their manifests."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from logging import getLogger
from math import inf
from threading import Event, RLock, Thread, current_thread
from uuid import UUID

from markspace.core.agents import Agent
from markspace.keeping.foundation import Foundation

JOIN_TIMEOUT_S = 5.0
LOG = getLogger("markspace")

Check = Callable[[Agent], str | None]


@dataclass
class ScheduleEntry:
    """A scheduled agent.

    Attributes:
        agent: Who.
        interval_seconds: Seconds between activations.
        last_activation: When it was last activated, in seconds; minus infinity is never.
    """

    agent: Agent
    interval_seconds: float
    last_activation: float = -inf


class Scheduler:
    """Finds agents that are due. Safe between threads.

    Args:
        clock: A callable, or a space whose time counts; the wall clock if not given.
        pre_activation_check: Says why an agent may not be activated, or None.
    """

    def __init__(
        self,
        clock: Callable[[], float] | Foundation | None = None,
        pre_activation_check: Check | None = None,
    ) -> None:
        self._clock = clock.now if isinstance(clock, Foundation) else clock or time.time
        self._check = pre_activation_check
        self._entries: dict[UUID, ScheduleEntry] = {}
        self._lock = RLock()
        self._stopping = Event()
        self._running = False
        self._thread: Thread | None = None

    def register(self, agent: Agent) -> bool:
        """Schedule an agent, which is due at once; False without a valid interval."""
        interval = interval_of(agent)
        if interval is None:
            return False
        with self._lock:
            self._entries[agent.id] = ScheduleEntry(agent, interval)
        return True

    def unregister(self, agent: Agent) -> None:
        """Forget an agent."""
        with self._lock:
            self._entries.pop(agent.id, None)

    def update(self, agent: Agent) -> None:
        """Take over a changed interval; forget an agent that has none any more."""
        interval = interval_of(agent)
        with self._lock:
            entry = self._entries.get(agent.id)
            if interval is None:
                self.unregister(agent)
            elif entry is not None:
                last = entry.last_activation
                self._entries[agent.id] = ScheduleEntry(agent, interval, last)

    def due(self) -> list[Agent]:
        """Return the agents whose interval has passed and whom the check lets through."""
        now = self._clock()
        with self._lock:
            entries = list(self._entries.values())
        return [
            entry.agent
            for entry in entries
            if now - entry.last_activation >= entry.interval_seconds
            and (self._check is None or self._check(entry.agent) is None)
        ]

    def mark_activated(self, agent: Agent) -> None:
        """Note that an agent was activated now."""
        with self._lock:
            if agent.id in self._entries:
                self._entries[agent.id].last_activation = self._clock()

    def tick_all(self) -> list[Agent]:
        """Return the due agents and note their activation, as one step."""
        with self._lock:
            agents = self.due()
            for agent in agents:
                self.mark_activated(agent)
            return agents

    def start(
        self, poll_interval: float = 1.0, on_due: Callable[[list[Agent]], object] | None = None
    ) -> None:
        """Poll in one background thread and call `on_due` with the due agents, if there are any.

        A callback that raises is logged and does not end the schedule.
        """
        with self._lock:
            if self._running:
                return
            self._running = True
            self._stopping = Event()
            self._thread = Thread(
                target=self._run, args=(self._stopping, poll_interval, on_due), daemon=True
            )
            self._thread.start()

    def _run(
        self, stopping: Event, poll_interval: float, on_due: Callable[[list[Agent]], object] | None
    ) -> None:
        while not stopping.is_set():
            try:
                agents = self.tick_all()
            except Exception:  # the check is foreign code; the schedule survives it
                LOG.warning("a pre-activation check failed", exc_info=True)
                agents = []
            try:
                if agents and on_due is not None:
                    on_due(agents)
            except Exception:  # the callback is foreign code; the schedule survives it
                names = ", ".join(agent.name for agent in agents)
                LOG.warning("activating %s failed", names, exc_info=True)
            stopping.wait(poll_interval)

    def stop(self) -> None:
        """Stop polling and wait for the thread, at most 5 s. Stopping twice is fine."""
        with self._lock:
            thread, self._thread, self._running = self._thread, None, False
            self._stopping.set()
        if thread is not None and thread is not current_thread():
            thread.join(JOIN_TIMEOUT_S)


def interval_of(agent: Agent) -> float | None:
    """Return an agent's interval in seconds, or None if it has no valid one."""
    interval = agent.manifest.schedule_interval if agent.manifest else None
    return interval if interval is not None and interval > 0 else None
