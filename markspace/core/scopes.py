"""Scopes: named rooms of the space, each with its own rules and its own decay."""

from collections.abc import Iterable
from typing import cast

from markspace.core.enums import ConflictPolicy, ScopeVisibility, as_enum
from markspace.core.records import Record, is_number, put
from markspace.errors import ValidationError
from markspace.rate_limit import ScopeRateLimit

SECONDS_PER_HOUR = 3600.0
SECONDS_PER_MINUTE = 60.0
ANY_TOPIC = "*"


def hours(n: float) -> float:
    """Return `n` hours in seconds."""
    return n * SECONDS_PER_HOUR


def minutes(n: float) -> float:
    """Return `n` minutes in seconds."""
    return n * SECONDS_PER_MINUTE


def scope_contains(parent: str, child: str) -> bool:
    """Return whether `child` is `parent` or lies below it."""
    return child == parent or child.startswith(parent + "/")


def check_scope_name(name: object) -> None:
    """Refuse what cannot name a scope; ValidationError."""
    if not isinstance(name, str):
        raise ValidationError(f"scope={name!r} must be the name of a scope, such as 'ops/web'")


def ancestors(scope: str) -> list[str]:
    """Return `scope` and every scope above it, nearest first."""
    names = [scope]
    while (cut := scope.rfind("/")) >= 0:
        scope = scope[:cut]
        names.append(scope)
    return names


class DecayConfig(Record, frozen=True):
    """Rates at which marks of a scope lose strength. Infinity means never.

    Attributes:
        observation_half_life: Seconds after which an observation is worth half.
        warning_half_life: Seconds after which a warning is worth half.
        intent_ttl: Seconds for which an intent lives.
    """

    observation_half_life: float
    warning_half_life: float
    intent_ttl: float

    def __post_init__(self) -> None:
        for field in self.__struct_fields__:
            value = getattr(self, field)
            if not is_number(value) or not value > 0:
                raise ValueError(f"{field}={value!r} must be a number above 0")


DEFAULT_DECAY = DecayConfig(hours(6), hours(2), minutes(30))


class Scope(Record, frozen=True, kw_only=True):
    """A "/"-separated namespace with its rules. An undefined child inherits them.

    Attributes:
        name: Full path, such as "ops/deploy".
        visibility: What readers without content rights see.
        allowed_intent_verbs: Verbs an intent may use; empty allows any.
        allowed_action_verbs: Verbs an action may use; empty allows any.
        observation_topics: Topics an observation may have; "*" allows any.
        warning_topics: Topics a warning may have; "*" allows any.
        decay: How fast its marks lose strength.
        conflict_policy: Who wins a contested resource.
        deferred: Whether claims wait for `resolve_deferred`.
        rate_limit: Writes allowed in a window; None is unlimited.
    """

    name: str
    visibility: ScopeVisibility = ScopeVisibility.OPEN
    allowed_intent_verbs: tuple[str, ...] = ()
    allowed_action_verbs: tuple[str, ...] = ()
    observation_topics: tuple[str, ...] = (ANY_TOPIC,)
    warning_topics: tuple[str, ...] = (ANY_TOPIC,)
    decay: DecayConfig = DEFAULT_DECAY
    conflict_policy: ConflictPolicy = ConflictPolicy.HIGHEST_CONFIDENCE
    deferred: bool = False
    rate_limit: ScopeRateLimit | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"name={self.name!r} must be a string, such as 'ops/web'")
        put(self, "visibility", as_enum(ScopeVisibility, self.visibility, "visibility"))
        policy = as_enum(ConflictPolicy, self.conflict_policy, "conflict_policy")
        put(self, "conflict_policy", policy)
        for field in (
            "allowed_intent_verbs",
            "allowed_action_verbs",
            "observation_topics",
            "warning_topics",
        ):
            put(self, field, words(getattr(self, field), field))

    def allows_intent_verb(self, action: str) -> bool:
        """Return whether an intent may use `action`; an empty list allows any."""
        return not self.allowed_intent_verbs or action in self.allowed_intent_verbs

    def allows_action_verb(self, action: str) -> bool:
        """Return whether an action may use `action`; an empty list allows any."""
        return not self.allowed_action_verbs or action in self.allowed_action_verbs

    def allows_observation_topic(self, topic: str) -> bool:
        """Return whether observations may have this topic."""
        return topic in self.observation_topics or ANY_TOPIC in self.observation_topics

    def allows_warning_topic(self, topic: str) -> bool:
        """Return whether warnings may have this topic."""
        return topic in self.warning_topics or ANY_TOPIC in self.warning_topics


def words(value: object, field: str) -> tuple[str, ...]:
    """Return a list or tuple of strings as a tuple.

    Raises:
        ValueError: It is a single string, or holds something that is not a string.
    """
    if value == ():
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{field}={value!r} must be a list of strings")
    items = tuple(cast("Iterable[object]", value))
    if not all(isinstance(word, str) for word in items):
        raise ValueError(f"{field}={value!r} must hold strings only")
    return cast("tuple[str, ...]", items)
