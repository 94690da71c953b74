"""The protocol's value types and pure functions: no clock, no storage, no lock.

Everything here is a frozen record or a function of its arguments alone.
"""

from markspace.core.agents import Agent, AgentManifest, WatchPattern
from markspace.core.conflict import resolve_conflict
from markspace.core.enums import ConflictPolicy, MarkType, ScopeVisibility, Severity, Source
from markspace.core.marks import (
    CONTENT_FIELDS,
    Action,
    AnyMark,
    Intent,
    Mark,
    MarkPayload,
    Need,
    Observation,
    Warning,
    project_mark,
)
from markspace.core.scopes import DecayConfig, Scope, hours, minutes, scope_contains
from markspace.core.strength import (
    REINFORCEMENT_CAP,
    REINFORCEMENT_FACTOR,
    TRUST_WEIGHTS,
    compute_strength,
    effective_strength,
    effective_strength_with_warnings,
    reinforce,
    trust_weight,
)

__all__ = [
    "CONTENT_FIELDS",
    "REINFORCEMENT_CAP",
    "REINFORCEMENT_FACTOR",
    "TRUST_WEIGHTS",
    "Action",
    "Agent",
    "AgentManifest",
    "AnyMark",
    "ConflictPolicy",
    "DecayConfig",
    "Intent",
    "Mark",
    "MarkPayload",
    "MarkType",
    "Need",
    "Observation",
    "Scope",
    "ScopeVisibility",
    "Severity",
    "Source",
    "Warning",
    "WatchPattern",
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
]
