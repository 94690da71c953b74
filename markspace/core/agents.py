"""Agents, what they may do, and what they declare to read and write."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Self
from uuid import UUID, uuid4

import msgspec

from markspace.budget import TokenBudget
from markspace.core.enums import MarkType, Source, as_enum
from markspace.core.marks import Action, AnyMark, Intent, Observation, Warning
from markspace.core.records import Record, put
from markspace.core.scopes import ancestors, scope_contains, words


class WatchPattern(Record, frozen=True):
    """A filter for the marks that somebody wants to hear of.

    Attributes:
        scope: The scope and all below it.
        mark_type: Only this type; None is any.
        topic: Only observations and warnings with this topic; None is any.
        resource: Only intents and actions on this resource; None is any.
    """

    scope: str
    mark_type: MarkType | None = None
    topic: str | None = None
    resource: str | None = None

    def __post_init__(self) -> None:
        if self.mark_type is not None:
            put(self, "mark_type", as_enum(MarkType, self.mark_type, "mark_type"))

    def matches(self, mark: AnyMark) -> bool:
        """Return whether the mark is wanted. A pattern with topic and resource wants nothing."""
        if not scope_contains(self.scope, mark.scope):
            return False
        if self.mark_type is not None and mark.mark_type != self.mark_type:
            return False
        topic = mark.topic if isinstance(mark, Observation | Warning) else None
        if self.topic is not None and topic != self.topic:
            return False
        resource = mark.resource if isinstance(mark, Intent | Action) else None
        return self.resource is None or resource == self.resource


class AgentManifest(Record, frozen=True):
    """An agent's declaration about itself.

    Attributes:
        inputs: Patterns that it reads.
        outputs: Pairs of scope and mark type that it writes.
        schedule_interval: Seconds between activations; None is never scheduled.
        expected_activity: Mark type value to marks per hour.
        budget: Its token budget; None is unlimited.
    """

    inputs: tuple[WatchPattern, ...] = ()
    outputs: tuple[tuple[str, MarkType], ...] = ()
    schedule_interval: float | None = None
    expected_activity: Mapping[str, float] | None = None
    budget: TokenBudget | None = None

    def __post_init__(self) -> None:
        put(self, "inputs", tuple(self.inputs))
        outputs = ((scope, as_enum(MarkType, kind, "outputs")) for scope, kind in self.outputs)
        put(self, "outputs", tuple(outputs))
        if self.expected_activity is not None:
            put(self, "expected_activity", MappingProxyType(dict(self.expected_activity)))

    def produces(self, scope: str, mark_type: MarkType) -> bool:
        """Return whether exactly this pair is declared as an output."""
        return (scope, mark_type) in self.outputs

    def consumes_pattern(self, pattern: WatchPattern) -> bool:
        """Return whether exactly this pattern is declared as an input."""
        return pattern in self.inputs


class Rights(tuple[str, ...]):
    """Mark type values that cannot be changed; equal to a list of the same."""

    __slots__ = ()

    def __hash__(self) -> int:
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        return list(self) == other if isinstance(other, list) else super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other


class Agent(Record, frozen=True, kw_only=True, eq=False):
    """An actor, with rights that cannot change after construction. Equal by id alone.

    Attributes:
        name: For people.
        id: Identity.
        scopes: Scope to the mark type values that it may write there and below.
        read_scopes: Scopes whose content it may read, with all below them.
        max_source: The most trusted source that it may claim.
        manifest: What it declares about itself.
    """

    name: str
    id: UUID = msgspec.field(default_factory=uuid4)
    scopes: Mapping[str, Iterable[str]] = msgspec.field(default_factory=dict[str, Iterable[str]])
    read_scopes: Iterable[str] = frozenset[str]()
    max_source: Source = Source.FLEET
    manifest: AgentManifest | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.scopes, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"scopes={self.scopes!r} must be a dict from scope to mark types")
        rights = {s: Rights(map(str, words(types, "scopes"))) for s, types in self.scopes.items()}
        put(self, "scopes", MappingProxyType(rights))
        put(self, "read_scopes", frozenset(words(self.read_scopes, "read_scopes")))
        put(self, "max_source", as_enum(Source, self.max_source, "max_source"))

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, Agent) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __deepcopy__(self, memo: object) -> Self:
        """Return the agent itself: it cannot change, and an equal object proves no identity."""
        return self

    def can_write(self, scope_name: str, mark_type: MarkType) -> bool:
        """Return whether the scope or one above it grants this type."""
        rights = self.scopes
        if mark_type in rights.get(scope_name, ()):
            return True
        return any(mark_type in rights.get(name, ()) for name in ancestors(scope_name)[1:])

    def can_read_content(self, scope_name: str) -> bool:
        """Return whether the scope or one above it grants its content."""
        return any(name in self.read_scopes for name in ancestors(scope_name))
