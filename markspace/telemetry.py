"""Telemetry: what the guard did, for whoever listens. A sink can never change a verdict."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from logging import DEBUG, INFO, getLogger
from typing import Any

from markspace.core.ids import new_id

METRIC_MARKS_WRITTEN = "markspace.marks.written"
METRIC_MARKS_READ = "markspace.marks.read"
METRIC_TOKENS_INPUT = "markspace.tokens.input"
METRIC_TOKENS_OUTPUT = "markspace.tokens.output"
METRIC_CONFLICTS_RESOLVED = "markspace.conflicts.resolved"
METRIC_SPACE_ACTIVE_MARKS = "markspace.space.active_marks"
METRIC_SPACE_TOTAL_MARKS = "markspace.space.total_marks"
METRIC_BUDGET_REMAINING = "markspace.agent.budget.remaining"
METRIC_ROUND_DURATION = "markspace.agent.round.duration"
METRIC_NEEDS_PENDING = "markspace.needs.pending"

LOG = getLogger("markspace")

Labels = Mapping[str, str]
Metric = tuple[str, float, dict[str, str]]


@dataclass
class TelemetryEvent:
    """One guarded call, refused or not.

    Attributes:
        timestamp: Wall time in seconds.
        agent_id: Who asked.
        operation: `write_mark`, `execute` or `content_policy`.
        scope: Where.
        mark_type: What.
        verdict: What came of it.
        conflict_check: Whether other claims were looked for.
        conflict_found: Whether there were any.
        envelope_status: What the envelope said, if asked.
        barrier_restricted: Whether a barrier refused.
        input_tokens_this_round: Tokens, if known.
        output_tokens_this_round: Tokens, if known.
        budget_remaining_input: Tokens; -1 is unknown or unlimited.
        budget_remaining_output: Tokens; -1 is unknown or unlimited.
        reason: Why it was refused.
        extra: Anything else.
        trace_id: The same for all events of one call.
    """

    timestamp: float = field(default_factory=time.time)
    agent_id: str = ""
    operation: str = ""
    scope: str = ""
    mark_type: str = ""
    verdict: str = ""
    conflict_check: bool = False
    conflict_found: bool = False
    envelope_status: str = ""
    barrier_restricted: bool = False
    input_tokens_this_round: int = 0
    output_tokens_this_round: int = 0
    budget_remaining_input: int = -1
    budget_remaining_output: int = -1
    reason: str = ""
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    trace_id: str = ""


class TelemetrySink(ABC):
    """A receiver of telemetry. What a sink raises is swallowed by the guard."""

    @abstractmethod
    def emit_event(self, event: TelemetryEvent) -> None:
        """Take an event."""

    @abstractmethod
    def record_counter(self, name: str, value: float, labels: Labels) -> None:
        """Add to a counter."""

    @abstractmethod
    def record_gauge(self, name: str, value: float, labels: Labels) -> None:
        """Set a gauge."""

    @abstractmethod
    def record_histogram(self, name: str, value: float, labels: Labels) -> None:
        """Note one value of a distribution."""

    def flush(self) -> None:  # noqa: B027 - most sinks have nothing to flush
        """Send what is buffered."""


class NullSink(TelemetrySink):
    """Takes everything and keeps nothing."""

    def emit_event(self, event: TelemetryEvent) -> None:
        """Forget an event."""

    def record_counter(self, name: str, value: float, labels: Labels) -> None:
        """Forget a count."""

    def record_gauge(self, name: str, value: float, labels: Labels) -> None:
        """Forget a value."""

    def record_histogram(self, name: str, value: float, labels: Labels) -> None:
        """Forget a value."""


class StructuredLogSink(TelemetrySink):
    """Writes one JSON object a line to a logger: events at INFO, metrics at DEBUG."""

    def __init__(self, logger_name: str = "markspace.telemetry") -> None:
        self._logger = getLogger(logger_name)

    def emit_event(self, event: TelemetryEvent) -> None:
        """Log an event."""
        self._log(INFO, {"kind": "event", **asdict(event)})

    def record_counter(self, name: str, value: float, labels: Labels) -> None:
        """Log a count."""
        self._metric("counter", name, value, labels)

    def record_gauge(self, name: str, value: float, labels: Labels) -> None:
        """Log a value."""
        self._metric("gauge", name, value, labels)

    def record_histogram(self, name: str, value: float, labels: Labels) -> None:
        """Log a value."""
        self._metric("histogram", name, value, labels)

    def _metric(self, kind: str, name: str, value: float, labels: Labels) -> None:
        self._log(DEBUG, {"kind": kind, "name": name, "value": value, "labels": dict(labels)})

    def _log(self, level: int, record: dict[str, Any]) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(level, "%s", json.dumps(record, default=str))


class InMemorySink(TelemetrySink):
    """Keeps everything in lists, for tests and notebooks."""

    def __init__(self) -> None:
        self.events: list[TelemetryEvent] = []
        self.counters: list[Metric] = []
        self.gauges: list[Metric] = []
        self.histograms: list[Metric] = []

    def emit_event(self, event: TelemetryEvent) -> None:
        """Keep an event."""
        self.events.append(event)

    def record_counter(self, name: str, value: float, labels: Labels) -> None:
        """Keep a count."""
        self.counters.append((name, value, dict(labels)))

    def record_gauge(self, name: str, value: float, labels: Labels) -> None:
        """Keep a value."""
        self.gauges.append((name, value, dict(labels)))

    def record_histogram(self, name: str, value: float, labels: Labels) -> None:
        """Keep a value."""
        self.histograms.append((name, value, dict(labels)))

    def clear(self) -> None:
        """Forget everything."""
        for kept in (self.events, self.counters, self.gauges, self.histograms):
            kept.clear()


class FailingSink(TelemetrySink):
    """Raises RuntimeError on everything, to show that nothing depends on a sink."""

    def emit_event(self, event: TelemetryEvent) -> None:
        """Fail."""
        raise RuntimeError("this sink fails")

    def record_counter(self, name: str, value: float, labels: Labels) -> None:
        """Fail."""
        raise RuntimeError("this sink fails")

    def record_gauge(self, name: str, value: float, labels: Labels) -> None:
        """Fail."""
        raise RuntimeError("this sink fails")

    def record_histogram(self, name: str, value: float, labels: Labels) -> None:
        """Fail."""
        raise RuntimeError("this sink fails")


class Emitter:
    """A sink that cannot hurt. Without a sink, nothing is even built.

    Attributes:
        is_heard: Whether there is a sink.
    """

    def __init__(self, sink: TelemetrySink | None) -> None:
        self._sink = None if isinstance(sink, NullSink) else sink
        self.is_heard = self._sink is not None

    def trace_id(self) -> str:
        """Return a new id for the events of one call; empty if nobody hears them."""
        return new_id().hex if self.is_heard else ""

    def event(self, **fields: Any) -> None:
        """Emit an event with these fields."""
        if self._sink is not None:
            self._safely(self._sink.emit_event, TelemetryEvent(**fields))

    def counter(self, name: str, value: float, **labels: str) -> None:
        """Add to a counter."""
        if self._sink is not None:
            self._safely(self._sink.record_counter, name, value, labels)

    def gauge(self, name: str, value: float, **labels: str) -> None:
        """Set a gauge."""
        if self._sink is not None:
            self._safely(self._sink.record_gauge, name, value, labels)

    def _safely(self, call: Callable[..., None], *arguments: Any) -> None:
        try:
            call(*arguments)
        except Exception:  # a sink is foreign code; it affects neither verdict nor storage
            LOG.debug("a telemetry sink failed", exc_info=True)
