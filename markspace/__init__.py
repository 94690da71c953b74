"""A shared space in which agents coordinate by typed marks, and the guard at its border.

The protocol is by opinionated-systems (CC BY 4.0); docs/reference/protocol.md explains it. Stores
other than the one in memory are imported from their own modules:
`markspace.stores.sqlite.SQLiteStore`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from markspace import core
from markspace.budget import BudgetStatus, BudgetTracker, TokenBudget
from markspace.core import *  # noqa: F403 - all of it is published here
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
__all__: list[str] = [
    "AgentBarrier",
    "AgentStats",
    "AnomalyDetector",
    "BarrierSnapshot",
    "BudgetStatus",
    "BudgetTracker",
    "ContentPolicy",
    "ContentPolicyError",
    "DiagnosticProbe",
    "EnvelopeConfig",
    "EnvelopeVerdict",
    "FailingSink",
    "Guard",
    "GuardDecision",
    "GuardVerdict",
    "InMemorySink",
    "MarkSpace",
    "NeedCluster",
    "NullSink",
    "PolicyResult",
    "PolicyVerdict",
    "ProbeConfig",
    "ProbeResult",
    "ProbeVerdict",
    "QuotaExceededError",
    "RateLimitTracker",
    "Scheduler",
    "ScopeError",
    "ScopeRateLimit",
    "StatisticalEnvelope",
    "StructuredLogSink",
    "TelemetryEvent",
    "TelemetrySink",
    "TokenBudget",
    "ValidationError",
    "WelfordConfig",
    "WelfordDetector",
    "validate_manifest_permissions",
    "validate_pipeline",
]
__all__ += core.__all__

LAZY = ("guard", "barrier", "compose", "envelope", "probe", "schedule", "telemetry")
ELSEWHERE = ("LLMClient", "LLMConfig", "resolve_model_id", "FIREWORKS_MODELS", "DEFAULT_MODELS")


def __getattr__(name: str) -> Any:
    """Load what only guarded spaces need, and say where model names live here."""
    if name in __all__:
        for module in (import_module(f"markspace.{stem}") for stem in LAZY):
            if name in vars(module):
                globals()[name] = vars(module)[name]
                return globals()[name]
    if name in ELSEWHERE:
        raise ImportError(f"markspace knows no models; {name} has its place in hyperspace.models")
    raise AttributeError(f"module 'markspace' has no attribute {name!r}")
