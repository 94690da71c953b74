"""Decisions of the guard about a claim on a resource."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias
from uuid import UUID

from markspace.core.marks import Intent

ToolFn: TypeAlias = Callable[..., Any]
Arguments = Sequence[Any]
Keywords = Mapping[str, Any]


class GuardVerdict(StrEnum):
    """The verdict on a claim."""

    ALLOW = "allow"
    CONFLICT = "conflict"
    BLOCKED = "blocked"
    DENIED = "denied"


@dataclass
class GuardDecision:
    """A verdict and why.

    Attributes:
        verdict: The verdict.
        reason: For people.
        intent_id: The claim's intent, if one was written.
        winning_intent: Who won instead, on CONFLICT; None where an action without a claim holds the
            resource.
        conflicting_intents: All other claims.
    """

    verdict: GuardVerdict
    reason: str
    intent_id: UUID | None = None
    winning_intent: Intent | None = None
    conflicting_intents: list[Intent] = field(default_factory=list[Intent])
