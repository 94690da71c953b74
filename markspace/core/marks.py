"""The five kinds of marks. A mark is immutable and its strength is never stored in it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from markspace.core.enums import MarkType, Severity, Source, as_enum
from markspace.core.ids import new_id
from markspace.core.records import Record, is_number, plain, put

MarkPayload: TypeAlias = Any


class MarkClass(msgspec.StructMeta):
    """The class of the kinds of marks. Each may be told its own type, and no other."""

    if not TYPE_CHECKING:  # a type checker knows the fields, of which this is none

        def __call__(cls, *values, **fields):  # noqa: D102, N805 - a class is what it makes of
            if "mark_type" in fields:
                check_type(cls, fields.pop("mark_type"))
            return super().__call__(*values, **fields)


class Mark(
    Record,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="mark_type",
    tag="mark",
    metaclass=MarkClass,
):
    """Base of all marks. The base itself cannot be constructed.

    Attributes:
        scope: Where the mark is written.
        agent_id: Its author; set by the space on write.
        id: Its name; set by the space on write.
        created_at: Time of writing in seconds; set by the space on write.
        initial_strength: Strength at age 0; the space clamps it to [0, 1] for agents.
        supersedes: An older mark that disappears from reads.
        projected: Whether content was withheld from this copy.
    """

    mark_type: ClassVar[MarkType]
    scope: str = ""
    agent_id: UUID = msgspec.field(default_factory=new_id)
    id: UUID = msgspec.field(default_factory=new_id)
    created_at: float = 0.0
    initial_strength: float = 1.0
    supersedes: UUID | None = None
    projected: bool = False

    def __post_init__(self) -> None:
        check_numbers(self)
        raise TypeError("Mark is the base; use Intent, Action, Observation, Warning or Need")

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """Return a copy with the fields in `update` replaced and validated."""
        fields = dict(update or {})
        if "mark_type" in fields:
            check_type(type(self), fields.pop("mark_type"))
        return msgspec.structs.replace(self, **fields)

    def model_dump(self) -> dict[str, Any]:
        """Return the fields as a new dict, the mark type after the scope."""
        dump: dict[str, Any] = {"scope": self.scope, "mark_type": self.mark_type}
        dump.update((name, plain(getattr(self, name))) for name in self.__struct_fields__)
        return dump


class Intent(Mark, frozen=True, kw_only=True, tag="intent"):
    """A plan to act on a resource. Dies at its scope's TTL.

    Attributes:
        resource: What is claimed.
        action: The verb.
        confidence: How sure the agent is, in [0, 1]; ranks claims.
    """

    mark_type: ClassVar[Literal[MarkType.INTENT]] = MarkType.INTENT
    resource: str = ""
    action: str = ""
    confidence: float = 0.5

    def __post_init__(self) -> None:
        check_numbers(self, "confidence", self.confidence)


class Action(Mark, frozen=True, kw_only=True, tag="action"):
    """A fact: something was done. Never decays.

    Attributes:
        resource: What was acted on.
        action: The verb.
        result: What came of it; JSON values and bytes.
        failed: Whether it went wrong; a failed action blocks nobody.
    """

    mark_type: ClassVar[Literal[MarkType.ACTION]] = MarkType.ACTION
    resource: str = ""
    action: str = ""
    result: MarkPayload = None
    failed: bool = False

    def __post_init__(self) -> None:
        check_numbers(self)


class Observation(Mark, frozen=True, kw_only=True, tag="observation"):
    """A belief. Decays exponentially and is weighted by the trust in its source.

    Attributes:
        topic: What it is about.
        content: The belief; JSON values and bytes.
        confidence: How sure the agent is, in [0, 1]; no part of strength.
        source: Where it comes from.
    """

    mark_type: ClassVar[Literal[MarkType.OBSERVATION]] = MarkType.OBSERVATION
    topic: str = ""
    content: MarkPayload = None
    confidence: float = 0.5
    source: Source = Source.FLEET

    def __post_init__(self) -> None:
        check_numbers(self, "confidence", self.confidence)
        if type(self.source) is not Source:
            put(self, "source", as_enum(Source, self.source, "source"))


class Warning(Mark, frozen=True, kw_only=True, tag="warning"):
    """A caution that may weaken one target mark. Decays exponentially.

    Attributes:
        invalidates: The mark that it weakens by its own strength.
        topic: What it is about.
        reason: Why.
        severity: How serious.
    """

    mark_type: ClassVar[Literal[MarkType.WARNING]] = MarkType.WARNING
    invalidates: UUID | None = None
    topic: str = ""
    reason: str = ""
    severity: Severity = Severity.INFO

    def __post_init__(self) -> None:
        check_numbers(self)
        if type(self.severity) is not Severity:
            put(self, "severity", as_enum(Severity, self.severity, "severity"))


class Need(Mark, frozen=True, kw_only=True, tag="need"):
    """A question to the human principal. Lives until it is resolved.

    Attributes:
        question: What is asked.
        context: What helps to answer; JSON values and bytes.
        priority: How urgent, in [0, 1].
        blocking: Whether the agent waits for the answer.
        resolved_by: The action that answered it.
        resolved_by_agent: Who answered it.
    """

    mark_type: ClassVar[Literal[MarkType.NEED]] = MarkType.NEED
    question: str = ""
    context: MarkPayload = None
    priority: float = 0.5
    blocking: bool = False
    resolved_by: UUID | None = None
    resolved_by_agent: UUID | None = None

    def __post_init__(self) -> None:
        check_numbers(self, "priority", self.priority)


AnyMark: TypeAlias = Intent | Action | Observation | Warning | Need
M = TypeVar("M", bound=Mark)

CONTENT_FIELDS: dict[MarkType, tuple[str, ...]] = {
    MarkType.INTENT: (),
    MarkType.ACTION: ("result",),
    MarkType.OBSERVATION: ("content",),
    MarkType.WARNING: ("reason",),
    MarkType.NEED: ("question", "context"),
}

BLANKS: Mapping[str, object] = MappingProxyType(
    {"result": None, "content": None, "context": None, "reason": "", "question": ""}
)


def project_mark(mark: M) -> M:
    """Return a copy without content, marked as projected, for a reader without content rights.

    Raises:
        KeyError: A content field has no registered blank value.
    """
    blanked = {field: BLANKS[field] for field in CONTENT_FIELDS[mark.mark_type]}
    return msgspec.structs.replace(mark, projected=True, **blanked)


def check_type(kind: type[Mark], mark_type: object) -> None:
    """Refuse a mark type that is not the one of a class; TypeError."""
    own = getattr(kind, "mark_type", None)
    if own is not None and own != mark_type:
        raise TypeError(
            f"mark_type={mark_type!r}: the class decides, and {kind.__name__} is {own.value!r}"
        )


def check_numbers(mark: Mark, field: str = "", share: float = 0.0) -> None:
    """Check a mark's numbers, and that the one in `field` lies in [0, 1].

    Raises:
        ValueError: One of them is NaN, out of range or no number.
    """
    strength, time = mark.initial_strength, mark.created_at
    are_plain = type(strength) is type(time) is type(share) is float  # on each read and write
    if are_plain and strength >= 0.0 and time == time and 0.0 <= share <= 1.0:
        return
    if not (is_number(strength) and strength >= 0):
        raise ValueError(f"initial_strength={strength!r} must be a number of at least 0")
    if not is_number(time) or time != time:
        raise ValueError(f"created_at={time!r} must be a time in seconds")
    if not (is_number(share) and 0 <= share <= 1):
        raise ValueError(f"{field}={share!r} must lie in [0, 1]")
