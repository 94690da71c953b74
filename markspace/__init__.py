"""A shared space in which agents coordinate by typed marks, and the guard at its border.

The protocol is by opinionated-systems (CC BY 4.0); docs/reference/protocol.md explains it. Stores
other than the one in memory are imported from their own modules:
`markspace.stores.sqlite.SQLiteStore`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from markspace.budget import BudgetStatus, BudgetTracker, TokenBudget
from markspace.core import (
    CONTENT_FIELDS,
    REINFORCEMENT_CAP,
    REINFORCEMENT_FACTOR,
    TRUST_WEIGHTS,
    Action,
    Agent,
    AgentManifest,
    AnyMark,
    ConflictPolicy,
    DecayConfig,
    Intent,
    Mark,
    MarkPayload,
    MarkType,
    Need,
    Observation,
    Scope,
    ScopeVisibility,
    Severity,
    Source,
    Warning,
    WatchPattern,
    compute_strength,
    effective_strength,
    effective_strength_with_warnings,
    hours,
    minutes,
    project_mark,
    reinforce,
    resolve_conflict,
    scope_contains,
    trust_weight,
)
from markspace.errors import ContentPolicyError
from markspace.rate_limit import RateLimitTracker, ScopeRateLimit
from markspace.space import (
    MarkSpace,
    NeedCluster,
    QuotaExceededError,
    ScopeError,
    ValidationError,
)

if TYPE_CHECKING:
    from markspace.barrier import AgentBarrier, BarrierSnapshot
    from markspace.compose import validate_manifest_permissions, validate_pipeline
    from markspace.envelope import (
        AgentStats,
        AnomalyDetector,
        EnvelopeConfig,
        EnvelopeVerdict,
        StatisticalEnvelope,
        WelfordConfig,
        WelfordDetector,
    )
    from markspace.guard import (
        ContentPolicy,
        Guard,
        GuardDecision,
        GuardVerdict,
        PolicyResult,
        PolicyVerdict,
    )
    from markspace.probe import DiagnosticProbe, ProbeConfig, ProbeResult, ProbeVerdict
    from markspace.schedule import Scheduler
    from markspace.telemetry import (
        FailingSink,
        InMemorySink,
        NullSink,
        StructuredLogSink,
        TelemetryEvent,
        TelemetrySink,
    )

__version__ = "0.1.0"
__all__ = [
    "CONTENT_FIELDS",
    "REINFORCEMENT_CAP",
    "REINFORCEMENT_FACTOR",
    "TRUST_WEIGHTS",
    "Action",
    "Agent",
    "AgentBarrier",
    "AgentManifest",
    "AgentStats",
    "AnomalyDetector",
    "AnyMark",
    "BarrierSnapshot",
    "BudgetStatus",
    "BudgetTracker",
    "ConflictPolicy",
    "ContentPolicy",
    "ContentPolicyError",
    "DecayConfig",
    "DiagnosticProbe",
    "EnvelopeConfig",
    "EnvelopeVerdict",
    "FailingSink",
    "Guard",
    "GuardDecision",
    "GuardVerdict",
    "InMemorySink",
    "Intent",
    "Mark",
    "MarkPayload",
    "MarkSpace",
    "MarkType",
    "Need",
    "NeedCluster",
    "NullSink",
    "Observation",
    "PolicyResult",
    "PolicyVerdict",
    "ProbeConfig",
    "ProbeResult",
    "ProbeVerdict",
    "QuotaExceededError",
    "RateLimitTracker",
    "Scheduler",
    "Scope",
    "ScopeError",
    "ScopeRateLimit",
    "ScopeVisibility",
    "Severity",
    "Source",
    "StatisticalEnvelope",
    "StructuredLogSink",
    "TelemetryEvent",
    "TelemetrySink",
    "TokenBudget",
    "ValidationError",
    "Warning",
    "WatchPattern",
    "WelfordConfig",
    "WelfordDetector",
    "compute_strength",
    "effective_strength",
    "effective_strength_with_warnings",
    "hours",
    "minutes",
    "project_mark",
    "reinforce",
    "resolve_conflict",
    "scope_contains",
    "trust_weight",
    "validate_manifest_permissions",
    "validate_pipeline",
]

LAZY = {
    "markspace.barrier": (
        "AgentBarrier",
        "BarrierSnapshot",
    ),
    "markspace.compose": (
        "validate_manifest_permissions",
        "validate_pipeline",
    ),
    "markspace.envelope": (
        "AgentStats",
        "AnomalyDetector",
        "EnvelopeConfig",
        "EnvelopeVerdict",
        "StatisticalEnvelope",
        "WelfordConfig",
        "WelfordDetector",
    ),
    "markspace.guard": (
        "ContentPolicy",
        "Guard",
        "GuardDecision",
        "GuardVerdict",
        "PolicyResult",
        "PolicyVerdict",
    ),
    "markspace.probe": (
        "DiagnosticProbe",
        "ProbeConfig",
        "ProbeResult",
        "ProbeVerdict",
    ),
    "markspace.schedule": ("Scheduler",),
    "markspace.telemetry": (
        "FailingSink",
        "InMemorySink",
        "NullSink",
        "StructuredLogSink",
        "TelemetryEvent",
        "TelemetrySink",
    ),
}
PLACES = {name: module for module, names in LAZY.items() for name in names}
ELSEWHERE = ("LLMClient", "LLMConfig", "resolve_model_id", "FIREWORKS_MODELS", "DEFAULT_MODELS")


def __getattr__(name: str) -> Any:
    """Load what only guarded spaces need, and say where model names live here."""
    if name in PLACES:
        value = getattr(import_module(PLACES[name]), name)
        globals()[name] = value
        return value
    if name in ELSEWHERE:
        raise ImportError(f"markspace knows no models; {name} has its place in agents.models")
    raise AttributeError(f"module 'markspace' has no attribute {name!r}")
