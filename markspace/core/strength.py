"""Strength: what a mark is worth now, computed on every read and never stored."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from markspace.core.enums import MarkType, Source
from markspace.core.marks import AnyMark, Need, Warning
from markspace.core.scopes import DecayConfig

OBSERVATION, WARNING, NEED = MarkType.OBSERVATION, MarkType.WARNING, MarkType.NEED
ACTION, INTENT = MarkType.ACTION, MarkType.INTENT
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
    initial, age, kind = mark.initial_strength, now - mark.created_at, mark.mark_type
    if age < 0:
        return initial
    if type(kind) is not MarkType:  # of something like a mark, whose type is a string
        kind = MarkType(kind)
    if kind is NEED:
        if not isinstance(mark, Need):
            raise TypeError(f"a mark of type need must be a Need, not {type(mark).__name__}")
        return initial if mark.resolved_by is None else 0.0
    return aged(kind, initial, age, decay_config)


def aged(kind: MarkType, initial: float, age: float, decay: DecayConfig) -> float:
    """Return what is left after `age` seconds of the strength of a mark that is no need.

    Raises:
        ValueError: The kind is unknown.
    """
    if kind is OBSERVATION:
        return initial * 0.5 ** (age / decay.observation_half_life)
    if kind is WARNING:
        return initial * 0.5 ** (age / decay.warning_half_life)
    if kind is ACTION:  # a fact
        return initial
    if kind is INTENT:  # has all of it up to and at its TTL
        return 0.0 if age > decay.intent_ttl else initial
    raise ValueError(f"mark_type={kind!r} has no rule for strength")


def effective_strength(mark: AnyMark, now: float, decay_config: DecayConfig) -> float:
    """Return strength times the trust in an observation's source."""
    strength = compute_strength(mark, now, decay_config)
    return strength * TRUST_WEIGHTS[mark.source] if mark.mark_type is OBSERVATION else strength


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
