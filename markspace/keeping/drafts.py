"""Marks before their commit: who may write what where, and how it will lie in the store."""

from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from markspace.core.agents import Agent
from markspace.core.enums import MarkType
from markspace.core.marks import AnyMark, Mark, Observation
from markspace.core.scopes import ANY_TOPIC, Scope, check_scope_name
from markspace.core.strength import trust_weight
from markspace.errors import ScopeError, ValidationError
from markspace.keeping.codec import FORMS, Blobs, Form, position, storable
from markspace.keeping.identity import Identity

MAX_STRENGTH = 1.0
KINDS = frozenset(get_args(AnyMark))
OBSERVATION = MarkType.OBSERVATION


class Words(msgspec.Struct, frozen=True):
    """The words that a scope allows for one kind of mark.

    Attributes:
        name: What such a word is, for messages.
        field: Where a mark has it.
        allowed: Those that are allowed.
    """

    name: str
    field: str
    allowed: tuple[str, ...]


class Permit(msgspec.Struct, frozen=True):
    """The right of one author to write one kind of mark in one scope.

    It holds as long as the definitions of scopes do, so that it is looked up once for many marks.

    Attributes:
        author: Who may write.
        scope: The definition that governs the scope.
        form: The fields of that kind.
        words: The only words that the scope allows; None if it allows any.
    """

    author: Identity
    scope: Scope
    form: Form
    words: Words | None


class Draft(msgspec.Struct, frozen=True):
    """A mark that passed the rules of its scope, ready for a commit.

    Attributes:
        author: Who writes it.
        mark: The mark as it was given.
        where: Where it is filed, as the fields of a `Filing`.
        changes: Fields to replace so that it encodes.
        blobs: Large values that these refer to.
    """

    author: Identity
    mark: AnyMark
    where: tuple[str, str, str, bytes]
    changes: dict[str, Any]
    blobs: Blobs


def permit(author: Identity, path: str, kind: MarkType, scope: Scope) -> Permit:
    """Return an author's right to write that kind of mark at a path, which the scope governs.

    Raises:
        ScopeError: There is no such right.
    """
    if not author.agent.can_write(path, kind):
        raise ScopeError(f"agent {author.agent.name!r} may not write {kind} marks in {path!r}")
    return Permit(author, scope, FORMS[kind], words_of(scope, kind))


def words_of(scope: Scope, kind: MarkType) -> Words | None:
    """Return the only topics or verbs that a scope allows; None if it allows any."""
    if kind is OBSERVATION and ANY_TOPIC not in scope.observation_topics:
        return Words("observation topic", "topic", scope.observation_topics)
    if kind is MarkType.WARNING and ANY_TOPIC not in scope.warning_topics:
        return Words("warning topic", "topic", scope.warning_topics)
    if kind is MarkType.INTENT and scope.allowed_intent_verbs:
        return Words("intent verb", "action", scope.allowed_intent_verbs)
    if kind is MarkType.ACTION and scope.allowed_action_verbs:
        return Words("action verb", "action", scope.allowed_action_verbs)
    return None


def draft(granted: Permit, mark: AnyMark) -> Draft:
    """Check a mark against the rules of its scope, in the published order.

    Raises:
        ScopeError: Its author may not claim such a source.
        ValidationError: The scope does not allow it, or a field cannot be stored.
    """
    author, form = granted.author, granted.form
    if granted.words is not None:
        check_word(mark, granted.words, granted.scope)
    if mark.mark_type is OBSERVATION and mark.source is not author.agent.max_source:
        check_source(author.agent, mark)
    if mark.initial_strength > MAX_STRENGTH and not author.system:
        mark = replace(mark, initial_strength=MAX_STRENGTH)
    changes, blobs = storable(mark, form)
    return Draft(author, mark, position(mark, form, author.id_bytes), changes, blobs)


def check_mark(mark: AnyMark) -> None:
    """Refuse what is not a mark, or lies in what is not a scope; ValidationError."""
    if type(mark) not in KINDS and not isinstance(mark, Mark):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValidationError(f"only marks can be written, not {type(mark).__name__}")
    check_scope_name(mark.scope)


def check_word(mark: AnyMark, words: Words, scope: Scope) -> None:
    """Refuse a verb or topic that the scope does not list."""
    word: str = getattr(mark, words.field)
    if word not in words.allowed:
        raise ValidationError(
            f"{words.name} {word!r} is not allowed in scope {scope.name!r}; "
            f"allowed: {', '.join(words.allowed)}"
        )


def check_source(agent: Agent, mark: Observation) -> None:
    """Refuse a claim of more trust than the agent has."""
    if trust_weight(mark.source) > trust_weight(agent.max_source):
        raise ScopeError(
            f"source {mark.source} is above {agent.name!r}'s max_source {agent.max_source}"
        )
