"""The enumerations of the protocol. Each member is equal to its string value."""

from enum import StrEnum
from typing import TypeVar

E = TypeVar("E", bound=StrEnum)


class MarkType(StrEnum):
    """The kind of statement that a mark makes."""

    INTENT = "intent"
    ACTION = "action"
    OBSERVATION = "observation"
    WARNING = "warning"
    NEED = "need"


class Source(StrEnum):
    """The origin of the knowledge in an observation, from most to least trusted."""

    FLEET = "fleet"
    EXTERNAL_VERIFIED = "external_verified"
    EXTERNAL_UNVERIFIED = "external_unverified"


class ConflictPolicy(StrEnum):
    """The rule for who may proceed when several agents claim one resource."""

    FIRST_WRITER = "first_writer"
    HIGHEST_CONFIDENCE = "highest_confidence"
    YIELD_ALL = "yield_all"


class ScopeVisibility(StrEnum):
    """The view of a scope for a reader without content rights."""

    OPEN = "open"
    PROTECTED = "protected"
    CLASSIFIED = "classified"


class Severity(StrEnum):
    """Seriousness of a warning."""

    INFO = "info"
    CAUTION = "caution"
    CRITICAL = "critical"


def as_enum(kind: type[E], value: E | str, field: str) -> E:
    """Return the member of `kind` that `value` is or names.

    Raises:
        ValueError: No member has that value; the message names the field and the choices.
    """
    if type(value) is kind:
        return value
    try:
        return kind(value)
    except ValueError:
        choices = ", ".join(member.value for member in kind)
        raise ValueError(f"{field}={value!r} is not one of: {choices}") from None
