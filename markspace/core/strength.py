"""Strength: what a mark is worth now, computed on every read and never stored."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from markspace.core.enums import MarkType, Source
from markspace.core.marks import AnyMark, Need, Observation, Warning
from markspace.core.scopes import DecayConfig

REINFORCEMENT_FACTOR = 0.3
REINFORCEMENT_CAP = 2.0

TRUST_WEIGHTS: Mapping[Source, float] = MappingProxyType(
    {Source.FLEET: 1.0, Source.EXTERNAL_VERIFIED: 0.7, Source.EXTERNAL_UNVERIFIED: 0.3}
)


def trust_weight(source: Source) -> float:
    """Return the factor by which knowledge from `source` counts."""
    return TRUST_WEIGHTS[source]


def compute_strength(mark: AnyMark, now: float, decay_config: DecayConfig) -> float:
    """Return a mark's strength at `now`, without trust and warnings.

    Raises:
        TypeError: The mark says NEED but is not a `Need`.
        ValueError: The mark's type is unknown.
    """
    age = now - mark.created_at
    if age < 0:
        return mark.initial_strength
    rule = RULES.get(mark.mark_type)
    if rule is None:
        raise ValueError(f"mark_type={mark.mark_type!r} has no rule for strength")
    return rule(mark, age, decay_config)


def need_strength(mark: AnyMark, age: float, decay: DecayConfig) -> float:
    """Return a need's strength: all of it until something resolved it."""
    if not isinstance(mark, Need):
        raise TypeError(f"a mark of type need must be a Need, not {type(mark).__name__}")
    return mark.initial_strength if mark.resolved_by is None else 0.0


def halved(initial: float, age: float, half_life: float) -> float:
    """Return `initial` after exponential decay over `age` seconds."""
    return initial * 0.5 ** (age / half_life)


# An intent has all of its strength up to and at its TTL; an action is a fact and does not decay.
RULES: Mapping[MarkType, Callable[[AnyMark, float, DecayConfig], float]] = MappingProxyType(
    {
        MarkType.OBSERVATION: lambda mark, age, decay: halved(
            mark.initial_strength, age, decay.observation_half_life
        ),
        MarkType.WARNING: lambda mark, age, decay: halved(
            mark.initial_strength, age, decay.warning_half_life
        ),
        MarkType.ACTION: lambda mark, age, decay: mark.initial_strength,
        MarkType.INTENT: lambda mark, age, decay: (
            0.0 if age > decay.intent_ttl else mark.initial_strength
        ),
        MarkType.NEED: need_strength,
    }
)


def effective_strength(mark: AnyMark, now: float, decay_config: DecayConfig) -> float:
    """Return strength times the trust in an observation's source."""
    strength = compute_strength(mark, now, decay_config)
    return strength * TRUST_WEIGHTS[mark.source] if isinstance(mark, Observation) else strength


def effective_strength_with_warnings(
    mark: AnyMark, warnings: Iterable[Warning], now: float, decay_config: DecayConfig
) -> float:
    """Return effective strength less that of the warnings against this mark, never below 0.

    All warnings decay with the same `decay_config`.
    """
    against = (w for w in warnings if w.invalidates == mark.id)
    loss = sum(effective_strength(w, now, decay_config) for w in against)
    return max(0.0, effective_strength(mark, now, decay_config) - loss)


def reinforce(strengths: Iterable[float]) -> float:
    """Combine strengths of agreeing marks: the strongest, and 0.3 of the rest, at most 2.0."""
    positive = [s for s in strengths if s > 0]
    if not positive:
        return 0.0
    strongest = max(positive)
    rest = sum(positive) - strongest
    return min(REINFORCEMENT_CAP, strongest + REINFORCEMENT_FACTOR * rest)
