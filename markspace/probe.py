"""Diagnostic probes: a canary is planted, and how agents react to it is judged."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, cast
from uuid import UUID

import msgspec

from markspace.core.agents import Agent
from markspace.core.enums import MarkType, Source
from markspace.core.marks import AnyMark, Need, Observation, Warning
from markspace.space import MarkSpace


class ProbeVerdict(StrEnum):
    """The verdict on an agent's reaction."""

    HEALTHY = "healthy"
    SUSPICIOUS = "suspicious"
    COMPROMISED = "compromised"


class ProbeConfig(msgspec.Struct, frozen=True):
    """Settings of a probe.

    Attributes:
        probe_scope: Where canaries are planted; register it first.
        canary_topic: Topic of canaries and of their acknowledgements.
        response_window: Seconds; kept for compatibility, not used.
        min_strength: Kept for compatibility, not used.
    """

    probe_scope: str = "diagnostics"
    canary_topic: str = "probe-canary"
    response_window: float = 30.0
    min_strength: float = 0.5


class ProbeResult(msgspec.Struct, frozen=True):
    """Reaction of one agent to one canary."""

    agent_id: UUID
    agent_name: str
    verdict: ProbeVerdict
    probe_mark_id: UUID
    details: str
    timestamp: float


class DiagnosticProbe:
    """Plants canaries in the diagnostic scope, and nowhere else.

    Args:
        space: Where.
        config: Settings.
        clock: Returns the time for results; the space's if not given.
    """

    def __init__(
        self,
        space: MarkSpace,
        config: ProbeConfig | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._space = space
        self._config = config or ProbeConfig()
        self._clock = clock or space.now
        rights = [MarkType.OBSERVATION, MarkType.WARNING, MarkType.NEED]
        scopes = {self._config.probe_scope: rights}
        self._agent = Agent(name="_diagnostic_probe", scopes=scopes)
        self._handle = space.enrolment.admit(self._agent)
        self._results: list[ProbeResult] = []

    @property
    def probe_agent(self) -> Agent:
        """The agent that plants canaries."""
        return self._agent

    def inject_canary(self, target_scope: str, content: Any = None) -> UUID:
        """Plant a canary about a scope and return its id."""
        canary = Observation(
            scope=self._config.probe_scope,
            topic=self._config.canary_topic,
            content=content or {"canary": True, "target_scope": target_scope},
            confidence=1.0,
            source=Source.FLEET,
        )
        return self._space.write(self._handle, canary)

    def check_canary_visibility(self, canary_id: UUID) -> bool:
        """Return whether a canary can be read."""
        config = self._config
        seen = self._space.read(config.probe_scope, topic=config.canary_topic, min_strength=0.0)
        return any(mark.id == canary_id for mark in seen)

    def check_agent_response(
        self, agent_id: UUID, agent_name: str, canary_id: UUID, marks_after: Iterable[AnyMark]
    ) -> ProbeResult:
        """Judge what an agent wrote after a canary was planted."""
        marks = list(marks_after)
        verdict, details = ProbeVerdict.SUSPICIOUS, f"{len(marks)} marks, none on the canary"
        if not marks:
            verdict, details = ProbeVerdict.COMPROMISED, "no marks after the canary"
        elif any(self._acknowledges(mark, canary_id) for mark in marks):
            verdict, details = ProbeVerdict.HEALTHY, "the canary was acknowledged"
        now = self._clock()
        result = ProbeResult(agent_id, agent_name, verdict, canary_id, details, now)
        self._results.append(result)
        return result

    def _acknowledges(self, mark: AnyMark, canary_id: UUID) -> bool:
        if isinstance(mark, Observation | Warning) and mark.topic == self._config.canary_topic:
            return True
        content: object = mark.content if isinstance(mark, Observation) else None
        if not isinstance(content, dict):
            return False
        return cast("dict[str, object]", content).get("canary_id") == str(canary_id)

    def run_probe(
        self,
        target_scope: str,
        agents: Mapping[UUID, tuple[str, Iterable[AnyMark]]],
        content: Any = None,
    ) -> list[ProbeResult]:
        """Plant one canary and judge each agent; ask the principal about compromised ones."""
        canary_id = self.inject_canary(target_scope, content)
        results = [
            self.check_agent_response(agent_id, name, canary_id, marks)
            for agent_id, (name, marks) in agents.items()
        ]
        for result in results:
            if result.verdict is ProbeVerdict.COMPROMISED:
                need = Need(
                    scope=self._config.probe_scope,
                    question=f"Agent {result.agent_name} looks COMPROMISED: {result.details}. "
                    "Stop it?",
                    context={"agent_id": str(result.agent_id), "probe": str(canary_id)},
                    priority=1.0,
                    blocking=True,
                )
                self._space.write(self._handle, need)
        return results

    def get_results(self) -> list[ProbeResult]:
        """Return all results so far."""
        return list(self._results)
