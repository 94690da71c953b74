"""The statistical envelope: it watches how much each agent writes, and of what kind."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from threading import RLock
from typing import Any
from uuid import UUID

from markspace.core.enums import MarkType
from markspace.core.marks import AnyMark, Observation, Warning
from markspace.core.scopes import SECONDS_PER_HOUR
from markspace.errors import ValidationError
from markspace.guarding.detector import (
    AnomalyDetector,
    WelfordConfig,
    WelfordDetector,
    default_types,
)

__all__ = [
    "AgentStats",
    "AnomalyDetector",
    "EnvelopeConfig",
    "EnvelopeVerdict",
    "StatisticalEnvelope",
    "WelfordConfig",
    "WelfordDetector",
]

Topic = tuple[str, str]
TOPICAL = (Observation, Warning)


class EnvelopeVerdict(StrEnum):
    """The envelope's judgement of an agent."""

    NORMAL = "normal"
    FLAGGED = "flagged"
    RESTRICTED = "restricted"


@dataclass
class EnvelopeConfig:
    """Settings of the envelope.

    Attributes:
        window_seconds: Length of an agent's window in seconds.
        detector_factory: Makes an agent's detector.
        tracked_types: Types whose writes are counted; attempts are counted for all types.
        concentration_threshold: Recent writers on one topic that are worth a flag.
        global_escalation_threshold: Flags after which an agent is restricted everywhere.
        exempt_agents: Agents that are not watched.
    """

    window_seconds: float = 300.0
    detector_factory: Callable[[UUID], AnomalyDetector] = lambda _: WelfordDetector()
    tracked_types: set[MarkType] = field(default_factory=default_types)
    concentration_threshold: int = 3
    global_escalation_threshold: int = 3
    exempt_agents: set[UUID] = field(default_factory=set[UUID])


@dataclass
class Window:
    """Counts of what an agent did since `start`."""

    start: float
    counts: Counter[MarkType] = field(default_factory=Counter[MarkType])


@dataclass
class AgentStats:
    """An agent's state, for people."""

    current_window: Window
    previous_window: Window | None
    welford_n: dict[str, float]
    welford_mean: dict[str, float]
    welford_m2: dict[str, float]
    completed_windows: int
    restricted: bool


@dataclass
class WatchedAgent:
    """The envelope's state of one agent."""

    detector: AnomalyDetector
    window: Window
    previous: Window | None = None
    restricted: bool = False
    exempt: bool = False
    topics: set[Topic] = field(default_factory=set[Topic])


class StatisticalEnvelope:
    """Watches agents. Safe between threads; each call takes time that no history changes.

    Args:
        config: Settings.
        clock: Returns the time in seconds; the wall clock if not given.
    """

    def __init__(
        self, config: EnvelopeConfig | None = None, clock: Callable[[], float] | None = None
    ) -> None:
        self.config = config or EnvelopeConfig()
        self._clock = clock or time.time
        self._lock = RLock()
        self._watched: dict[UUID, WatchedAgent] = {}
        self._writers: dict[Topic, set[UUID]] = {}
        self._crowded: set[Topic] = set()
        self._exempt = set(self.config.exempt_agents)

    @property
    def global_escalation_threshold(self) -> int:
        """Flags after which an agent is restricted everywhere."""
        return self.config.global_escalation_threshold

    def add_exempt_agent(self, agent_id: UUID) -> None:
        """Stop watching an agent."""
        with self._lock:
            self._exempt.add(agent_id)
            if agent_id in self._watched:
                self._watched[agent_id].exempt = True

    def seed_baseline(self, agent_id: UUID, expected_per_hour: Mapping[MarkType, float]) -> None:
        """Tell what an agent is expected to write an hour, per type."""
        share = self.config.window_seconds / SECONDS_PER_HOUR
        expected = {MarkType(kind): n * share for kind, n in expected_per_hour.items()}
        with self._lock:
            self._state(agent_id).detector.seed_baseline(expected)

    def record(self, agent_id: UUID, mark: AnyMark) -> None:
        """Count a stored mark."""
        if mark.mark_type not in self.config.tracked_types:
            return
        with self._lock:
            state = self._counted(agent_id, mark.mark_type)
            if state is None or not isinstance(mark, TOPICAL):
                return
            topic = (mark.scope, mark.topic)
            if topic not in state.topics:
                state.topics.add(topic)
                writers = self._writers.setdefault(topic, set())
                writers.add(agent_id)
                if len(writers) >= self.config.concentration_threshold:
                    self._crowded.add(topic)

    def record_attempt(self, agent_id: UUID, mark_type: MarkType) -> None:
        """Count an attempt that was refused, of any type."""
        with self._lock:
            self._counted(agent_id, MarkType(mark_type))

    def check(self, agent_id: UUID) -> EnvelopeVerdict:
        """Judge an agent. RESTRICTED stays until `reset`."""
        with self._lock:
            state = self._watched.get(agent_id)
            if state is None or state.exempt:
                return EnvelopeVerdict.NORMAL
            if state.restricted:
                return EnvelopeVerdict.RESTRICTED
            self._rotate(agent_id, state)
            if not state.detector.is_ready():
                return EnvelopeVerdict.NORMAL
            if state.detector.is_anomalous(dict(state.window.counts)):
                state.restricted = True
                return EnvelopeVerdict.RESTRICTED
            crowded = not state.topics.isdisjoint(self._crowded)
            return EnvelopeVerdict.FLAGGED if crowded else EnvelopeVerdict.NORMAL

    def get_stats(self, agent_id: UUID) -> AgentStats | None:
        """Return an agent's state, or None if it is not known."""
        with self._lock:
            state = self._watched.get(agent_id)
            return None if state is None else stats_of(state)

    def reset(self, agent_id: UUID, principal_token: UUID) -> bool:
        """Lift a restriction; False if there is none. Keep this out of agents' reach."""
        with self._lock:
            state = self._watched.get(agent_id)
            if state is None or not state.restricted:
                return False
            state.restricted = False
            state.window = Window(self._clock())
            return True

    def export_stats(self) -> dict[str, Any]:
        """Return what has been learned about all agents, as JSON values."""
        with self._lock:
            return {
                str(agent_id): {**state.detector.export_state(), "restricted": state.restricted}
                for agent_id, state in self._watched.items()
            }

    def import_stats(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        """Take over what was exported.

        Raises:
            ValidationError: An agent's part is not what was exported. It and those after it are
                not taken over.
        """
        with self._lock:
            for agent_id, exported in data.items():
                try:
                    restricted = bool(exported["restricted"])
                    state = self._state(UUID(agent_id))
                    state.detector.import_state(exported)
                except (KeyError, ValueError, TypeError, AttributeError) as error:
                    what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
                    raise ValidationError(
                        f"stats of agent {agent_id!r} cannot be taken over: {what}; "
                        "pass what export_stats returned"
                    ) from error
                state.restricted = state.restricted or restricted

    def _state(self, agent_id: UUID) -> WatchedAgent:
        state = self._watched.get(agent_id)
        if state is None:
            window = Window(self._clock())
            detector, exempt = self.config.detector_factory(agent_id), agent_id in self._exempt
            state = WatchedAgent(detector, window, exempt=exempt)
            self._watched[agent_id] = state
        return state

    def _counted(self, agent_id: UUID, mark_type: MarkType) -> WatchedAgent | None:
        """Count for an agent, unless it is exempt."""
        state = self._watched.get(agent_id)
        if state is None:
            if agent_id in self._exempt:
                return None
            state = self._state(agent_id)
        if state.exempt:
            return None
        self._rotate(agent_id, state)
        state.window.counts[mark_type] += 1
        return state

    def _rotate(self, agent_id: UUID, state: WatchedAgent) -> None:
        """Begin a new window when the old one is over; idle windows teach nothing."""
        now = self._clock()
        if now < state.window.start + self.config.window_seconds:
            return
        if state.window.counts:
            state.detector.observe(dict(state.window.counts))
        state.previous, state.window = state.window, Window(now)
        for topic in state.topics:
            writers = self._writers[topic]
            writers.discard(agent_id)
            if len(writers) < self.config.concentration_threshold:
                self._crowded.discard(topic)
            if not writers:
                del self._writers[topic]
        state.topics = set()


def stats_of(state: WatchedAgent) -> AgentStats:
    """Return an agent's state, for people."""
    exported = state.detector.export_state()
    return AgentStats(
        state.window,
        state.previous,
        exported.get("welford_n", {}),
        exported.get("welford_mean", {}),
        exported.get("welford_m2", {}),
        exported.get("completed_windows", 0),
        state.restricted,
    )
