"""The enumerations of the protocol. Each member is equal to its string value."""

from enum import StrEnum
from typing import TypeVar

E = TypeVar("E", bound=StrEnum)


class MarkType(StrEnum):
    """What kind of statement a mark makes."""

    INTENT = "intent"
    ACTION = "action"
    OBSERVATION = "observation"
    WARNING = "warning"
    NEED = "need"


class Source(StrEnum):
    """Where the knowledge in an observation comes from, from most to least trusted."""

    FLEET = "fleet"
    EXTERNAL_VERIFIED = "external_verified"
    EXTERNAL_UNVERIFIED = "external_unverified"


class ConflictPolicy(StrEnum):
    """Who may proceed when several agents claim one resource."""

    FIRST_WRITER = "first_writer"
    HIGHEST_CONFIDENCE = "highest_confidence"
    YIELD_ALL = "yield_all"


class ScopeVisibility(StrEnum):
    """What a reader without content rights sees of a scope."""

    OPEN = "open"
    PROTECTED = "protected"
    CLASSIFIED = "classified"


class Severity(StrEnum):
    """How serious a warning is."""

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
