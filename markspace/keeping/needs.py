"""Needs: questions to the principal, grouped for reading and resolved by an action."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any
from uuid import UUID

import msgspec

from markspace.core.enums import MarkType
from markspace.core.ids import id_bytes, new_id
from markspace.core.marks import Action, AnyMark, Need
from markspace.core.scopes import scope_contains
from markspace.errors import ScopeError, ValidationError
from markspace.keeping.claim_rows import answered
from markspace.keeping.codec import FORMS, position, storable
from markspace.keeping.identity import Identity
from markspace.keeping.writing import Commit
from markspace.stores.base import SUPERSEDED

CROWD_FACTOR = 0.1


@dataclass
class NeedCluster:
    """The open needs of one scope.

    Attributes:
        scope: The scope, exactly.
        needs: The needs in order of writing.
        effective_priority: The highest priority, raised by 0.1·ln(n) for n needs, at most 1.
        blocking_count: How many agents wait for an answer.
        contexts: The context of each need.
    """

    scope: str
    needs: list[Need]
    effective_priority: float
    blocking_count: int
    contexts: list[Any]


def clustered(needs: Sequence[Need]) -> list[NeedCluster]:
    """Group needs by scope, most urgent group first."""
    groups: dict[str, list[Need]] = {}
    for need in needs:
        groups.setdefault(need.scope, []).append(need)
    clusters = [cluster(scope, group) for scope, group in groups.items()]
    return sorted(clusters, key=lambda c: -c.effective_priority)


def cluster(scope: str, needs: list[Need]) -> NeedCluster:
    """Return the cluster of the needs of one scope."""
    raised = max(n.priority for n in needs) + CROWD_FACTOR * log(len(needs))
    blocking = sum(need.blocking for need in needs)
    return NeedCluster(scope, needs, min(1.0, raised), blocking, [n.context for n in needs])


def resolved(commit: Commit, author: Identity | None, need_id: UUID, action_id: UUID) -> Need:
    """Store a copy of a need that an action resolved in place of it, and return the copy.

    Args:
        commit: Where it is stored.
        author: The agent that resolves; None is the infrastructure.
        need_id: The need.
        action_id: The action that answers it.

    Raises:
        ScopeError: The agent may not resolve it, or not by that action.
        ValidationError: One of them is not what it should be.
    """
    stored = commit.tx.get(id_bytes(need_id, "need"))
    need = None if stored is None else commit.decoder.decode(stored.body)
    if stored is None or not isinstance(need, Need):
        raise ValidationError(f"{need_id} is not a need of this space")
    if stored.state == SUPERSEDED or stored.ended:
        raise ValidationError(f"need {need_id} was resolved or superseded before")
    row = commit.tx.get(id_bytes(action_id, "action"))
    if row is None:
        raise ValidationError(f"{action_id} names no mark of this space")
    action = commit.decoder.decode(row.body)
    if author is not None:
        check_agent(author, need, action)
    check_scopes(need, action)
    answer = check_action(action)
    copy = msgspec.structs.replace(
        need,
        id=new_id(),
        supersedes=need.id,
        resolved_by=action_id,
        resolved_by_agent=answer.agent_id,
    )
    if commit.id_factory is not None:
        copy = msgspec.structs.replace(copy, id=commit.id_factory(copy))
    form = FORMS[MarkType.NEED]
    changes, blobs = storable(copy, form)
    encodable = msgspec.structs.replace(copy, **changes)
    where = position(copy, form, copy.agent_id.bytes)
    commit.put(encodable, where, blobs, stored, is_plain=not changes)
    if author is None or author.system:
        answered(commit.tx, need.id, answer)
    return copy


def check_agent(author: Identity, need: Need, action: AnyMark) -> None:
    """Refuse an agent without the right, or with somebody else's action."""
    agent = author.agent
    if not agent.can_write(need.scope, MarkType.ACTION):
        raise ScopeError(f"agent {agent.name!r} has no action right in {need.scope!r}")
    if not isinstance(action, Action) or author.system:
        return
    if action.agent_id != agent.id or action.scope != need.scope:
        raise ScopeError(
            f"agent {agent.name!r} can resolve a need of {need.scope!r} only by an "
            "action of its own in that scope"
        )


def check_scopes(need: Need, action: AnyMark) -> None:
    """Refuse an action that has nothing to do with a need's scope, whoever joins the two."""
    if not (scope_contains(need.scope, action.scope) or scope_contains(action.scope, need.scope)):
        raise ValidationError(
            f"{action.mark_type} {action.id} lies in {action.scope!r}, and a need of "
            f"{need.scope!r} is resolved by an action there, above or below"
        )


def check_action(mark: AnyMark) -> Action:
    """Return the mark as an action that did not fail; ValidationError otherwise."""
    if not isinstance(mark, Action):
        raise ValidationError(f"{mark.id} is not an action, but a {mark.mark_type}")
    if mark.failed:
        raise ValidationError(f"action {mark.id} failed; it resolves nothing")
    return mark
